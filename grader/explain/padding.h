/* padding.h - how many elements to add to the rows of a shared array, so that a warp's accesses meet no bank twice.
 *
 * Shapes   a warp is 32 threads of a block, x fastest. Elements and banks have 4 bytes.
 * Source   CUDA C++ Programming Guide 13.0, Compute Capabilities, "Shared Memory": 32 banks, one word each per cycle.  */
#ifndef GRADER_EXPLAIN_PADDING_H
#define GRADER_EXPLAIN_PADDING_H

#include <stdint.h>

/* How a warp goes through a two-dimensional array. */
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
