/* tensor_map.h - how the simulated GPU keeps a tensor map: what a kernel's bulk copies need to know of a tensor of global
 * memory, in the 128 bytes of a CUtensorMap.
 *
 * Shapes   dimension 0 is the innermost: its elements are neighbours in memory. A box is what one copy moves: of
 *          dimension i, every steps[i]-th of `box[i]` elements. It is packed in shared memory, dimension 0 innermost.
 * Trust    kernels can write such bytes themselves: whoever reads them checks every number, and every address that follows.
 * Source   CUDA Driver API 13.0, Tensor Map Object Management; the layout is this library's own, since NVIDIA's is secret.  */
#ifndef SIMGPU_CODE_TENSOR_MAP_H
#define SIMGPU_CODE_TENSOR_MAP_H

#include <stdbool.h>
#include <stdint.h>

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

#endif
