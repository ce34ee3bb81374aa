/* advice.h - one piece of advice: what to change in a submission, in plain words and as a sketch of the new code.  */
#ifndef GRADER_REPORT_ADVICE_H
#define GRADER_REPORT_ADVICE_H

#include "grader/problem/problem.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ==== advice ====================================================================================================== */

typedef struct Advice {
    const char *id;   /* "uncoalesced", "bank_conflicts", ...: docs/reference/advice.md lists them */
    uint32_t kernel;  /* index in the explanation; the first one where the advice is about the call as a whole */
    int line;         /* of the submission's own file; 0: not known */
    double after_s;   /* modelled time of the call after this change alone */
    double gain;      /* share of the call's modelled time that it saves, 0 to 1 */
    char name[64];    /* of the array or variable that it is about, as the source writes it; "": none */
    char text[500];   /* without the line and the last full stop */
    char sketch[900]; /* two to six lines of new code, in the names of this kernel; "": none */
} Advice;

/* Sets the line and the sentence. */
__attribute__((format(printf, 3, 4))) void advice_say(Advice *advice, int line, const char *format, ...);
/* Sets the name. One that does not fit is cut. */
void advice_name(Advice *advice, const char *name);
/* Adds a line to the sketch. A line that does not fit is left out. */
__attribute__((format(printf, 2, 3))) void advice_sketch(Advice *advice, const char *format, ...);

/* ==== kernel constants ============================================================================================ */

/* Values that a source fixes when it is compiled, and the rows of its shared arrays. */

/* The value of a whole-number expression of constants: numbers, `#define`s, `const int` and the sizes of a case.
 * False where something in it is not known. */
bool constant_value(const char *source, const Problem *problem, const Sizes *sizes, const char *expression,
                    int64_t *value);
/* The declaration of an array, as in "__shared__ float tile[ROWS + 2][COLS]": copies what stands in the last pair of
 * brackets. False where the source declares none of that name, or one without a size. */
bool array_row(const char *source, const char *array, char *columns, size_t size, int *line);

/* ==== padding ===================================================================================================== */

/* Computes how many elements to add to each row of a shared array, so that a warp's accesses meet no bank twice.
 *
 * Shapes   a warp is 32 threads of a block, x fastest. Elements and banks have 4 bytes.
 * Source   CUDA C++ Programming Guide 13.0, Compute Capabilities, "Shared Memory": 32 banks, one word each per cycle. */

/* The way in which a warp walks through a two-dimensional array. */
typedef enum WarpWalk {
    WALK_ROWS,   /* array[threadIdx.y][threadIdx.x] */
    WALK_COLUMNS /* array[threadIdx.x][threadIdx.y] */
} WarpWalk;

/* Wavefronts of one access: the most different words that one bank has to deliver. */
int padding_wavefronts(WarpWalk walk, uint32_t block_x, int64_t row_elements);

/* The least number of elements, 0 to 31, that makes an access of `wavefronts`, as measured, take as few as any padding
 * can. Negative: neither walk explains what was measured, or no padding helps. */
int padding_of(uint32_t block_x, int64_t row_elements, double wavefronts);

#endif
