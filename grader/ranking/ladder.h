/* ladder.h - the reference solutions of a problem, solutions/<id>/accepted/, and their times on one board.  */
#ifndef GRADER_RANKING_LADDER_H
#define GRADER_RANKING_LADDER_H

#include "base/arena.h"
#include "base/status.h"
#include "grader/judge/judge.h"
#include "leaderboard/store.h"

#include <stddef.h>

typedef struct Rung {
    ReferenceTime time; /* its name is the file's; time.ms 0: not known yet */
    Submission submission;
} Rung;

typedef struct Ladder {
    const Problem *problem; /* the caller's */
    Rung *rungs;            /* by name */
    size_t count;
    Arena arena;
} Ladder;

/* Reads the files; no times. A problem without the folder has no rungs. */
MUST_USE Status ladder_read(const Problem *problem, Ladder *ladder, Message *why);
/* The same of the plain C files of solutions/<id>/cpu_baselines/. */
MUST_USE Status ladder_read_baselines(const Problem *problem, Ladder *ladder, Message *why);
void ladder_free(Ladder *ladder);

/* Takes over times that fit: of a rung that has none yet, with the source that the file still has. */
void ladder_take(Ladder *ladder, const ReferenceTime *times, size_t count);

/* Makes rungs of times alone, for a ladder that has none: a student's kit has the times, and no sources. */
void ladder_adopt(Ladder *ladder, const ReferenceTime *times, size_t count);

/* Judges one reference solution on its timed cases now. One that is not accepted is BAD_INPUT. */
MUST_USE Status ladder_time(Ladder *ladder, Rung *rung, const char *device, Progress *progress, Message *why);

/* The reference solution that says whether the device is steady: that of median stored time (of an even number the
 * faster of the middle two). NULL where none has a time. */
const Rung *ladder_anchor(const Ladder *ladder);

/* Those with a time, fastest first, in `arena`. */
ReferenceTime *ladder_times(const Ladder *ladder, Arena *arena, size_t *count);

#endif
