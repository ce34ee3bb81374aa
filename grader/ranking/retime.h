/* retime.h - times the best submissions of a board side by side: A B A B, in one go on one device. It may be another one than
 * the board's: a real GPU shows how good the modelled times of a simulated board are.
 *
 * Times that were taken on different days differ by more than the device does within minutes. Each round times every
 * contender once, one after the other, each in new processes. There are seven, and more until each two contenders are told
 * apart or differ by less than 2 %, at most 31; of modelled times, which do not vary, two. Contenders are the best runs of a board, one for each person,
 * from the sources that the database keeps, and the best reference solution. Nothing is stored. On another device
 * than the board's one round is enough.  */
#ifndef GRADER_RANKING_RETIME_H
#define GRADER_RANKING_RETIME_H

#include "base/arena.h"
#include "base/status.h"
#include "base/terminal.h"
#include "grader/judge/result.h"
#include "grader/judge/timing.h"
#include "grader/problem/submission.h"
#include "grader/ranking/ranking.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Contender {
    const char *name;    /* the person, or the file name of the reference solution */
    int64_t run;         /* 0: the reference solution */
    MeasuredTime stored; /* the time that counts on the board */
    size_t stored_rank;  /* 1 + the contenders that are significantly faster by the stored times */
    Submission submission;
    double *ms;          /* [rounds]: the score of each round; 0: it was not accepted */
    double retimed_ms;   /* the median of these; 0: never accepted */
    size_t retimed_rank; /* 1 + the contenders that are significantly faster in the rounds; 0: no time */
    Verdict verdict;     /* of the round that failed; else VERDICT_ACCEPTED */
} Contender;

typedef struct Retiming {
    const Problem *problem; /* owned by the caller */
    Board board;
    DeviceInfo of, device; /* the board's, and the one that times */
    Contender *contenders; /* in the order of their stored times */
    size_t count;
    size_t rounds, most_rounds; /* that were timed, and that may be */
    const char **missing;       /* people whose source the database does not have */
    size_t missing_count;
    Arena arena;
} Retiming;

/* Chooses the contenders on the board of device `of`, to be timed on device `on`: the `top` best people, and the best reference
 * solution. There may be none. */
MUST_USE Status retime_choose(Store *store, const Problem *problem, const char *of, const char *on, size_t top,
                              Retiming *retiming, Message *why);

/* Times them, and fills in times and ranks. */
MUST_USE Status retime_run(Retiming *retiming, Progress *progress, Message *why);

/* True if the rounds so far decide each pair of contenders, or if no more may be timed. It looks only after 7, 11, 15
 * ... rounds, since looking after each round would more often take chance for an order. */
bool retime_is_done(const Retiming *retiming);

PairedRatio retime_ratio(const Retiming *retiming, const Contender *a, const Contender *b);

/* True if a contender is significantly faster than one that the stored times put significantly before it. */
bool retime_contradicts(const Retiming *retiming);

/* True if a time on the other device lies outside of the interval of the board's modelled time. A stored time of which the
 * interval is unknown, of an older version, has none. */
bool retime_is_outside(const Contender *contender);

void retime_free(Retiming *retiming);

#endif
