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

#include <stdbool.h>
#include <stdint.h>

/* ==== tensor map ================================================================================================== */

/* How the simulated GPU keeps a tensor map: what a kernel's bulk copies need to know of a tensor of global
 * memory, in the 128 bytes of a CUtensorMap.
 *
 * Shapes   dimension 0 is the innermost: its elements are neighbours in memory. A box is what one copy moves: of
 *          dimension i, every steps[i]-th of `box[i]` elements. It is packed in shared memory, dimension 0 innermost.
 * Trust    kernels can write such bytes themselves: whoever reads them checks every number, and every address that follows.
 * Source   CUDA Driver API 13.0, Tensor Map Object Management; the layout is this library's own, since NVIDIA's is secret. */

enum {
    TENSOR_MAP_BYTES = 128,
    TENSOR_MAP_ALIGNMENT = 64,
    TENSOR_DIMENSIONS = 5,
    TENSOR_MAX_BOX = 256, /* elements of a box in each dimension */
    TENSOR_MAX_STEP = 8,
    /* Strides are multiples of so many bytes, and so are the innermost rows of a box and where they begin. */
    TENSOR_ROW_UNIT = 16,
    TENSOR_LINE = 128,  /* boxes begin at multiples of so many bytes of shared memory; a swizzle stays within a line */
    TENSOR_NAN = 0x7FF7 /* what stands outside of a tensor of any type of float, every 16 bits; as an H200 fills it */
};

/* As CUtensorMapDataType counts them; those that follow are not simulated. */
typedef enum TensorType {
    TENSOR_U8,
    TENSOR_U16,
    TENSOR_U32,
    TENSOR_S32,
    TENSOR_U64,
    TENSOR_S64,
    TENSOR_F16,
    TENSOR_F32,
    TENSOR_F64,
    TENSOR_BF16,
    TENSOR_TYPES
} TensorType;

/* As CUtensorMapSwizzle counts them: pieces of 16 bytes change places within a line of 128 bytes of shared memory. */
typedef enum TensorSwizzle {
    TENSOR_NOT_SWIZZLED,
    TENSOR_SWIZZLE_32,
    TENSOR_SWIZZLE_64,
    TENSOR_SWIZZLE_128,
    TENSOR_SWIZZLES
} TensorSwizzle;

#define TENSOR_MAP_MARK 0x70614D726F736E65ull /* where another value stands, the bytes are no tensor map */

typedef struct TensorMap {
    uint64_t mark;
    uint64_t address;                        /* of element 0 */
    uint64_t extents[TENSOR_DIMENSIONS];     /* elements; 1 beyond `rank` */
    uint64_t strides[TENSOR_DIMENSIONS - 1]; /* bytes from one element to the next in dimensions 1, 2 ... */
    uint16_t box[TENSOR_DIMENSIONS];         /* elements; 1 beyond `rank` */
    uint8_t steps[TENSOR_DIMENSIONS];        /* 1 in dimension 0 and beyond `rank` */
    uint8_t rank, type, swizzle;             /* TensorType, TensorSwizzle */
    uint8_t fills_nan;                       /* elements outside of the tensor read as NaN, else as 0 */
} TensorMap;

_Static_assert(sizeof(TensorMap) <= TENSOR_MAP_BYTES, "a TensorMap fits into a CUtensorMap");

static inline uint32_t tensor_type_bytes(TensorType type)
{
    switch (type) {
    case TENSOR_U8: return 1;
    case TENSOR_U16:
    case TENSOR_F16:
    case TENSOR_BF16: return 2;
    case TENSOR_U32:
    case TENSOR_S32:
    case TENSOR_F32: return 4;
    case TENSOR_U64:
    case TENSOR_S64:
    case TENSOR_F64: return 8;
    case TENSOR_TYPES: break;
    }
    return 0;
}

static inline bool tensor_type_is_float(TensorType type)
{
    return type == TENSOR_F16 || type == TENSOR_BF16 || type == TENSOR_F32 || type == TENSOR_F64;
}

/* Elements that a copy moves in a dimension. */
static inline uint32_t tensor_box_count(const TensorMap *map, int dimension)
{
    return (map->box[dimension] + map->steps[dimension] - 1u) / map->steps[dimension];
}

/* The number of bytes of a row that are swizzled together; 0: none are. */
static inline uint32_t tensor_swizzle_bytes(TensorSwizzle swizzle)
{
    return swizzle == TENSOR_NOT_SWIZZLED ? 0 : 16u << swizzle;
}

/* Bytes in shared memory from one row of a box to the next: a swizzle leaves room behind rows that are shorter than what
 * it swizzles together, as an H200 does. */
static inline uint32_t tensor_row_pitch(const TensorMap *map)
{
    const uint32_t row = map->box[0] * tensor_type_bytes((TensorType)map->type);
    const uint32_t span = tensor_swizzle_bytes((TensorSwizzle)map->swizzle);
    return row > span ? row : span;
}

/* Where the byte that would lie at an address of shared memory lies: the number of its piece of 16 bytes is combined
 * with that of its line of 128 bytes. Source: CUDA C++ Programming Guide 13.0, Tensor Memory Access: swizzle modes. */
static inline uint64_t tensor_swizzled(TensorSwizzle swizzle, uint64_t address)
{
    const uint64_t pieces = (1u << swizzle) - 1;
    return address ^ (address >> 7 & pieces) << 4;
}

/* ==== matrix descriptor =========================================================================================== */

/* Where the elements of a matrix lie that wgmma reads from shared memory.
 *
 * The matrix is made of core matrices of 8 rows of 16 bytes. Rows of A, or columns of B, run along k; where the matrix is
 * turned, they run along m or n. A swizzle makes 2, 4 or 8 core matrices, side by side, one of 8 rows of 32, 64 or 128
 * bytes.
 *
 * Units    bytes.
 * Source   PTX ISA 9.0, Asynchronous Warpgroup Level Matrix Instructions: Shared Memory Matrix Layout, Strides, Matrix
 *          Descriptor Format. */

typedef struct MatrixDescriptor {
    uint64_t start;           /* in shared memory */
    uint64_t leading, stride; /* the two distances between core matrices */
    TensorSwizzle swizzle;
    bool is_based; /* has an offset for matrices that do not begin where their swizzle does */
} MatrixDescriptor;

MatrixDescriptor matrix_descriptor(uint64_t bits);
/* Where an element of `bytes` lies: number `across` along k, `along` in its row of A or column of B. */
uint64_t matrix_descriptor_place(const MatrixDescriptor *descriptor, bool is_turned, uint32_t along, uint32_t across,
                                 uint32_t bytes);

/* ==== matrix fragment ============================================================================================= */

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

typedef struct MatrixPlace {
    int along, across;
} MatrixPlace;

/* The registers of a fragment that hold each element once, and the places of element 0 of each in lane 0. */
typedef struct MatrixLayout {
    int count;
    MatrixPlace places[MATRIX_REGISTERS];
} MatrixLayout;

/* What an instruction multiplies; D = A B + C. */
struct Matrix { /* of code.h */
    MatrixShape shape;
    MatrixType a, b, c, d;
    bool is_of_warpgroup; /* of wgmma, which is faster */
    bool saturates;       /* integer sums clamp instead of wrapping around */
    uint8_t k_together; /* products of floats that are added up together with C; the next ones are added to that sum */
    uint8_t d_count, a_count, b_count, c_count;
    MatrixLayout layouts[MATRIX_SUM + 1];   /* of A, B and D (matrix_lay_out()) */
    Operand operands[4 * MATRIX_REGISTERS]; /* those of D, A, B and C one after the other */
};

/* Number of the operands of a product; `matrix` may be NULL. */
static inline int matrix_operand_count(const Matrix *matrix)
{
    return matrix == NULL ? 0 : matrix->d_count + matrix->a_count + matrix->b_count + matrix->c_count;
}

uint32_t matrix_type_bytes(MatrixType type);
/* Elements of one register. */
int matrix_packed(MatrixPart part, MatrixType type);
/* Registers of a lane that hold each element once; further registers repeat them. 0: there is no such fragment. */
int matrix_registers(const MatrixShape *shape, MatrixPart part, MatrixType type);
/* Is `along` the column and `across` the row? */
bool matrix_is_turned(const MatrixShape *shape, MatrixPart part);
/* The place of element `index` of register `number` in lane 0. */
MatrixPlace matrix_place(const MatrixShape *shape, MatrixPart part, MatrixType type, int number, int index);
/* Fills in matrix->layouts from its shape and its types. */
void matrix_lay_out(Matrix *matrix);
/* What each step of a lane's number % 4 adds to `across`. To `along` a lane adds its number / 4. */
int matrix_lane_step(MatrixPart part, MatrixType type);

#endif
