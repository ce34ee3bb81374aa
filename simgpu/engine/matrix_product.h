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

#include "simgpu/code/matrix_fragment.h"

typedef uint64_t Tile[MATRIX_MOST][MATRIX_MOST]; /* bits of elements, [along][across] */

/* c = a b + c; the bits in `c` are first of type `matrix->c`, then of type `matrix->d`. */
void matrix_multiply(const Matrix *matrix, Tile a, Tile b, Tile c);

enum { MATRIX_COLUMNS = 8 }; /* of every product there is a multiple */

/* The columns of c from `first` on, MATRIX_COLUMNS of them, in the general way, for products of floats that are no float64. */
void matrix_multiply_floats(const Matrix *matrix, Tile a, Tile b, int first, Tile c);
/* The same, many times as fast, for sums in float32 that are not turned; false, and `c` as before, for all others, and
 * where a number is an infinity or a NaN or a sum is nearly as large or small as float32 allows. */
bool matrix_multiply_columns(const Matrix *matrix, Tile a, Tile b, int first, Tile c);

#endif
