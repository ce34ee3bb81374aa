/* diff.h - what changed between two texts, line by line.
 *
 * The result is a shortest list of changes, by the longest common subsequence of lines. Where the parts that differ have
 * more than 2000 lines on both sides, they count as replaced as a whole.  */
#ifndef WEB_DIFF_H
#define WEB_DIFF_H

#include "base/arena.h"

#include <stddef.h>

typedef enum DiffKind { DIFF_SAME, DIFF_REMOVED, DIFF_ADDED } DiffKind;

typedef struct DiffLine {
    DiffKind kind;
    size_t before, after; /* numbers from 1; 0 of the text that does not have it */
    const char *text;     /* within one of both texts, not terminated */
    size_t length;
} DiffLine;

/* The list lives in `arena`; its lines point into both texts. */
DiffLine *diff_lines(const char *before, const char *after, Arena *arena, size_t *count);

#endif
