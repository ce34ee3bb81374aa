/* kernel_constants.h - values that a source fixes when it is compiled, and the rows of its shared arrays.  */
#ifndef GRADER_EXPLAIN_KERNEL_CONSTANTS_H
#define GRADER_EXPLAIN_KERNEL_CONSTANTS_H

#include "grader/problem/problem.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The value of a whole-number expression of constants: numbers, `#define`s, `const int` and the sizes of a case.
 * False where something in it is not known. */
bool constant_value(const char *source, const Problem *problem, const Sizes *sizes, const char *expression,
                    int64_t *value);
/* The declaration of an array, as in "__shared__ float tile[ROWS + 2][COLS]": copies what stands in the last pair of
 * brackets. False where the source declares none of that name, or one without a size. */
bool array_row(const char *source, const char *array, char *columns, size_t size, int *line);

#endif
