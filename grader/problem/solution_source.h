/* solution_source.h - how solutions are written down: in full, with parts that several share, or as what is wrong with one.
 * A file whose name ends with ".patch" is a wrong solution that differs from another one in a few lines:
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
 * must occur exactly once behind the hunk before, so a patch outlives changes of other lines and never changes a wrong one.
 *
 * In a file below solutions/, a line `#include "shared/NAME.cuh"` stands for the text of solutions/shared/NAME.cuh. What is
 * compiled, hashed, stored and shown is one source.  */
#ifndef GRADER_PROBLEM_SOLUTION_SOURCE_H
#define GRADER_PROBLEM_SOLUTION_SOURCE_H

#include "base/status.h"
#include "base/text.h"

#include <stdbool.h>

bool patch_is_name(const char *file_name);

/* Replaces the text of the patch at `path` by the source that it stands for. BAD_INPUT with the line of the patch if it does
 * not fit its base. */
MUST_USE Status patch_expand(const char *path, Text *source, Message *why);

/* Puts shared parts in their places if `path` is a file below solutions/ of this installation; others are left alone. */
MUST_USE Status shared_parts_expand(const char *path, Text *source, Message *why);

#endif
