/* matrix_fragment.h - matrix fragments: which element of a matrix lies in which register of which lane.
 *
 * A fragment is spread over a warp. Two indices tell where an element lies: `along` goes with the lane's number / 4,
 * and `across` with the lane's number % 4. For A they are row and column, for B column and row, for C and D row and
 * column. For C and D of shapes with n = 32 they are column and row, because these are computed as the transposed
 * product.
 *
 * Source   PTX ISA 9.0, Warp Level Matrix Instructions, for mma; the fragments of wmma, which the ISA leaves open, are
 *          as recorded from an H200 (tests/data/matrices.bin).  */
#ifndef SIMGPU_CODE_MATRIX_FRAGMENT_H
#define SIMGPU_CODE_MATRIX_FRAGMENT_H

#include "simgpu/code/code.h"

typedef enum MatrixType {
    MATRIX_F16,
    MATRIX_BF16,
    MATRIX_TF32,
    MATRIX_S8,
    MATRIX_U8,
    MATRIX_F64,
    MATRIX_F32,
    MATRIX_S32
} MatrixType;

typedef enum MatrixPart { MATRIX_A, MATRIX_B, MATRIX_SUM } MatrixPart;

enum { MATRIX_REGISTERS = 8, MATRIX_MOST = 32 }; /* most registers of a fragment; largest extent of a matrix */

typedef struct MatrixShape {
    uint8_t m, n, k;
} MatrixShape;

/* What an instruction multiplies; D = A B + C. */
struct Matrix { /* of code.h */
    MatrixShape shape;
    MatrixType a, b, c, d;
    bool is_of_warpgroup; /* of wgmma, which is faster */
    bool saturates;       /* integer sums clamp instead of wrapping around */
    uint8_t k_together; /* products of floats that are added up together with C; the next ones are added to that sum */
    uint8_t d_count, a_count, b_count, c_count;
    Operand operands[4 * MATRIX_REGISTERS]; /* those of D, A, B and C one after the other */
};

/* Number of the operands of a product; `matrix` may be NULL. */
static inline int matrix_operand_count(const Matrix *matrix)
{
    return matrix == NULL ? 0 : matrix->d_count + matrix->a_count + matrix->b_count + matrix->c_count;
}

typedef struct MatrixPlace {
    int along, across;
} MatrixPlace;

uint32_t matrix_type_bytes(MatrixType type);
/* Elements of one register. */
int matrix_packed(MatrixPart part, MatrixType type);
/* Registers of a lane that hold each element once; further registers repeat them. 0: there is no such fragment. */
int matrix_registers(const MatrixShape *shape, MatrixPart part, MatrixType type);
/* Is `along` the column and `across` the row? */
bool matrix_is_turned(const MatrixShape *shape, MatrixPart part);
/* The place of element `index` of register `number` in lane 0. */
MatrixPlace matrix_place(const MatrixShape *shape, MatrixPart part, MatrixType type, int number, int index);
/* What each step of a lane's number % 4 adds to `across`. To `along` a lane adds its number / 4. */
int matrix_lane_step(MatrixPart part, MatrixType type);

#endif
