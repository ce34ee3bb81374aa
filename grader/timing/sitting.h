/* sitting.h - times one submission on a real GPU in one sitting: the anchor, the blocks of the submission, the anchor
 * again.
 *
 * The anchor is a reference solution whose time is known. Its times before and after the submission show how far
 * the device drifted. The drift becomes part of the uncertainty; a large one makes the times worthless.  */
#ifndef GRADER_TIMING_SITTING_H
#define GRADER_TIMING_SITTING_H

#include "grader/timing/measure.h"

typedef struct Anchor { /* name NULL: there is no anchor, and the drift is unknown */
    const char *name;
    const Compiled *compiled;
} Anchor;

typedef struct Sitting {
    AnchorTimes anchor;
    BlockConditions *blocks; /* [block_count], in the arena of the caller */
    size_t block_count;
    char anchor_failure[800]; /* the anchor failed: one sentence; "": it did not */
} Sitting;

/* Times all cases by the plan and fills in their samples. Stops after a call that failed. Samples and blocks lie in
 * `arena`. */
MUST_USE Status sitting_take(Measuring *measuring, const Compiled *compiled, const Anchor *anchor, const CallPlan *plan,
                             TimedCase *cases, size_t case_count, Arena *arena, Sitting *sitting, Message *why);

#endif
