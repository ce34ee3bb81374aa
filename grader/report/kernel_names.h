/* kernel_names.h - what a kernel calls its things: the arrays, the sum and the loop around one line of its source, for
 * sentences and sketches of new code.
 *
 * The reader is a scanner of words, not a parser of C++: it knows `name[...]`, `name = ...;`, `name += ...;` and
 * `for (...)`. Whatever it does not find keeps the name that the problem's statement uses.
 *
 * Errors   none: a name that was not found is "" or that of the statement.  */
#ifndef GRADER_REPORT_KERNEL_NAMES_H
#define GRADER_REPORT_KERNEL_NAMES_H

#include "grader/problem/problem.h"

#include <stdbool.h>
#include <stddef.h>

enum { NAME_ROOM = 64, INDEX_ROOM = 160 };

/* An array as a line uses it: `name` and everything from the first bracket to the last, "[row + r][s]". */
typedef struct ArrayUse {
    char name[NAME_ROOM], index[INDEX_ROOM];
} ArrayUse;

typedef struct KernelNames {
    ArrayUse input;                            /* its index depends on the thread */
    ArrayUse filter;                           /* its index is the same for all threads */
    char strided[NAME_ROOM];                   /* its index multiplies the thread's place; else that of the input */
    char sum[NAME_ROOM];                       /* what the line adds to, without an index */
    bool has_several_sums;                     /* it is an array already */
    bool has_patch_of_sums;                    /* and one with two indices */
    char loop[NAME_ROOM], loop_end[NAME_ROOM]; /* variable of the innermost loop around the line; what it runs up to */
    char column[NAME_ROOM], column_is[INDEX_ROOM]; /* the variable that holds the thread's place in x, and its value */
    char row[NAME_ROOM], row_is[INDEX_ROOM];       /* likewise in y; "" in one dimension */
    char output[NAME_ROOM];
} KernelNames;

/* `kernel` is its name without template arguments. `problem` may be NULL. */
void kernel_names_find(const char *source, const char *kernel, int line, const Problem *problem, KernelNames *names);

/* The line that defines the kernel; 0: not found by its usual form. */
int kernel_line(const char *source, const char *kernel);
/* The first line of the source that contains a word; 0: none does. */
int first_line_with(const char *source, const char *word);
/* The text of a line without its indentation, terminated. */
void copy_line(const char *source, int line, char *text, size_t size);

/* Columns of spaces at the start of a line; -1: the line is empty, or for the preprocessor. */
int line_indent(const char *source, int line);

/* Copies `text` with each whole word `word` replaced. "threadIdx.x" is a word, too. */
void replace_word(const char *text, const char *word, const char *by, char *out, size_t size);

#endif
