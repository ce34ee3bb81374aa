/* appeal.h - times a run again beside its neighbours on the board, and says what follows from it.
 *
 * The neighbours are the best runs of the people just before and just after it, two each way, fewer where there are fewer. All
 * are timed in one sitting, with new data, in turn: A B C A B C, so that what drifts hits all alike (retime.h). The new figure
 * is the median of the rounds; its uncertainty reaches to the farther end of the interval of 98 % around it
 * (grader/timing/paired.h). It agrees with the first one if they differ by no more than their uncertainties combined.
 *
 * Ranks    among those timed, by the first figures and by the new ones. On the board, the run keeps its distance to those who
 *          were not timed: two places gained among those timed are two places on the board.  */
#ifndef GRADER_RANKING_APPEAL_H
#define GRADER_RANKING_APPEAL_H

#include "base/status.h"
#include "grader/ranking/retime.h"
#include "leaderboard/appeals.h"

#define APPEAL_NEIGHBOURS 2 /* on each side */

/* Chooses the run and its neighbours. `device` NULL: whichever of this machine the board of the run belongs to. `*rank` is that on
 * the board, 0 if the run does not rank now. NOT_FOUND: this machine has no such device. BAD_INPUT: the run cannot be timed
 * again, with the reason: it has no time, no source, or is of another revision of the problem. */
MUST_USE Status appeal_choose(Store *store, const Problem *problem, const RecordedRun *run, const char *device,
                              Retiming *retiming, size_t *rank, Message *why);

/* The figures of a retiming as an appeal, with what follows from them, allocated in `arena`; who, when and why are left out. */
void appeal_of_retiming(const Retiming *retiming, int64_t run, size_t rank, Arena *arena, Appeal *appeal);

/* Fills in whatever follows from the first figures, the rounds and `rank`. */
void appeal_derive(Appeal *appeal);

#endif
