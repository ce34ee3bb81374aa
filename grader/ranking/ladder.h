/* ladder.h - the reference solutions of a problem, solutions/<id>/accepted/, and their times on one board.  */
#ifndef GRADER_RANKING_LADDER_H
#define GRADER_RANKING_LADDER_H

#include "base/arena.h"
#include "base/status.h"
#include "grader/judge/judge.h"
#include "leaderboard/store.h"

#include <stddef.h>

typedef struct Rung {
    ReferenceTime time; /* under the file's name; time.ms 0: not known yet */
    Submission submission;
} Rung;

typedef struct Ladder {
    const Problem *problem; /* owned by the caller */
    Rung *rungs;            /* sorted by name */
    size_t count;
    Arena arena;
} Ladder;

/* Reads the source files, but no times. A problem without the folder has no rungs. */
MUST_USE Status ladder_read(const Problem *problem, Ladder *ladder, Message *why);
/* Likewise for programs of others, in solutions/<id>/rivals/. */
MUST_USE Status ladder_read_rivals(const Problem *problem, Ladder *ladder, Message *why);
/* Likewise for the plain C files in solutions/<id>/cpu_baselines/. */
MUST_USE Status ladder_read_baselines(const Problem *problem, Ladder *ladder, Message *why);
void ladder_free(Ladder *ladder);

/* Takes over each time that belongs to a rung without one, if the rung's source is still the one that was timed. */
void ladder_take(Ladder *ladder, const ReferenceTime *times, size_t count);

/* Makes rungs from times alone, for a ladder without any: a student's kit has the times but not the sources. */
void ladder_adopt(Ladder *ladder, const ReferenceTime *times, size_t count);

/* Judges one reference solution on the timed cases now. BAD_INPUT if it is not accepted. */
MUST_USE Status ladder_time(Ladder *ladder, Rung *rung, const char *device, Progress *progress, Message *why);

/* The reference solution that shows whether the device is steady: of those whose stored time is certain to 1 % the one with the
 * median time (of an even number, the faster of the middle two); of all, if none is. Host code that works in each call makes a time
 * uncertain, whatever the device does. NULL if none has a time. */
const Rung *ladder_anchor(const Ladder *ladder);

/* The rungs with a time, fastest first, allocated in `arena`. */
ReferenceTime *ladder_times(const Ladder *ladder, Arena *arena, size_t *count);

#endif
