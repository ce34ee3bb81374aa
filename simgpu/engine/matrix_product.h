/* matrix_product.h - products of tiles, as tensor cores compute them.
 *
 * Sums of float16, bfloat16 and tf32 products equal those of an H200 to the bit. Products are exact. They and C are
 * aligned to the largest exponent among them, where a product's exponent is the sum of its factors' exponents, and are
 * truncated 25 bits below it. Their sum is truncated to float32, or rounded to float16.
 * Matrix.k_together says how many products are added at once.
 * simgpu/tests/test_recorded.c checks this against recordings.
 *
 * Source   Fasi, Higham, Mikaitis and Pranesh, Numerical Behavior of NVIDIA Tensor Cores (2021), for the method.  */
#ifndef SIMGPU_ENGINE_MATRIX_PRODUCT_H
#define SIMGPU_ENGINE_MATRIX_PRODUCT_H

#include "simgpu/code/code.h"
#include "simgpu/code/matrix_fragment.h"

enum { MATRIX_GUARD_BITS = 25 }; /* that are kept below the largest exponent */

typedef uint64_t Tile[MATRIX_MOST][MATRIX_MOST]; /* bits of elements, [along][across] */

/* c = a b + c; the bits in `c` are first of type `matrix->c`, then of type `matrix->d`. */
void matrix_multiply(const Matrix *matrix, Tile a, Tile b, Tile c);

typedef uint32_t LaneWords[MATRIX_REGISTERS][SIM_WARP_SIZE]; /* the registers of a fragment, in the lanes of a warp */

/* a, b, c and d tell for each register where the lanes of a warp hold it. */
typedef bool MultiplyLanes(const Matrix *matrix, const uint32_t *const a[], const uint32_t *const b[],
                           const uint32_t *const c[], uint32_t *const d[]);

enum { MATRIX_LANES_DEPTH = 16, MATRIX_LANES_COLUMNS = 16 }; /* k and n, at most, for: */

/* The same for fragments, d = a b + c, many times as fast, for products of floats of at most 32 bits whose sums are float32 and not turned;
 * false, and `d` as before, for all others, and where a number is an infinity or a NaN, a sum is nearly as large or small as float32
 * allows, or its terms nearly all are as large as their exponents allow. */
MultiplyLanes matrix_multiply_lanes;

#endif
