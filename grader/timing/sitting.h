/* sitting.h - everything that is timed of one submission on a real GPU, in one go: an anchor, the blocks, the anchor
 * again.
 *
 * The anchor is a reference solution whose time is known. Timed before and after, it says how far the device itself
 * drifted meanwhile, which becomes part of the uncertainty; a large drift makes the times worthless.  */
#ifndef GRADER_TIMING_SITTING_H
#define GRADER_TIMING_SITTING_H

#include "grader/timing/measure.h"

typedef struct Anchor { /* name NULL: there is none, and the drift is not known */
    const char *name;
    const Compiled *compiled;
} Anchor;

/* Fills in the cases' calls, and of the result its anchor and the conditions of its blocks. Ends early where a call
 * failed. */
MUST_USE Status sitting_take(Measuring *measuring, const Compiled *compiled, const Anchor *anchor, CaseCalls *cases,
                             size_t case_count, Result *result, Message *why);

#endif
