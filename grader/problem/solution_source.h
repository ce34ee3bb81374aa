/* solution_source.h - a wrong solution that is written down as what is wrong with it: a file of solutions/ whose name ends with ".patch".
 *
 *     // Mistake: the last output is never written.
 *     // problem: conv1d
 *     --- conv1d/accepted/naive.cu
 *     +++ this file
 *     @@
 *      int i = blockIdx.x * blockDim.x + threadIdx.x;
 *     -if (i >= output_size)
 *     +if (i >= output_size - 1)
 *
 * The comment at the top takes the place of the one at the top of the base, which lies below solutions/ of this
 * installation. Each hunk begins with "@@"; what follows on that line does not matter. The lines of a hunk that the base has
 * must occur exactly once behind the hunk before, so a patch outlives changes of other lines and never changes a wrong one.  */
#ifndef GRADER_PROBLEM_SOLUTION_SOURCE_H
#define GRADER_PROBLEM_SOLUTION_SOURCE_H

#include "base/status.h"
#include "base/text.h"

#include <stdbool.h>

bool patch_is_name(const char *file_name);

/* Replaces the text of the patch at `path` by the source that it stands for. BAD_INPUT with the line of the patch if it does
 * not fit its base. */
MUST_USE Status patch_expand(const char *path, Text *source, Message *why);

#endif
