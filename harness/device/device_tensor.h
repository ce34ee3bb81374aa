/* device_tensor.h - a tensor of device memory that a tensor map describes (DeviceTensorOps of device.h).
 *
 * Source   CUDA Driver API 13.0, Tensor Map Object Management.  */
#ifndef HARNESS_DEVICE_DEVICE_TENSOR_H
#define HARNESS_DEVICE_DEVICE_TENSOR_H

#include <stdbool.h>
#include <stdint.h>

enum { DEVICE_TENSOR_DIMENSIONS = 5, DEVICE_TENSOR_MAP_BYTES = 128, DEVICE_TENSOR_MAP_ALIGNMENT = 64 };

/* The values are those of the driver's enumerations CUtensorMapDataType, ...Swizzle and ...FloatOOBfill. */
typedef enum DeviceTensorType {
    DEVICE_TENSOR_U8,
    DEVICE_TENSOR_U16,
    DEVICE_TENSOR_U32,
    DEVICE_TENSOR_S32,
    DEVICE_TENSOR_U64,
    DEVICE_TENSOR_S64,
    DEVICE_TENSOR_F16,
    DEVICE_TENSOR_F32,
    DEVICE_TENSOR_F64,
    DEVICE_TENSOR_BF16,
    DEVICE_TENSOR_F32_FLUSHED, /* to zero where it is subnormal */
    DEVICE_TENSOR_TF32,
    DEVICE_TENSOR_TF32_FLUSHED,
    DEVICE_TENSOR_TYPES
} DeviceTensorType;
typedef enum DeviceTensorSwizzle {
    DEVICE_TENSOR_NOT_SWIZZLED,
    DEVICE_TENSOR_SWIZZLE_32,
    DEVICE_TENSOR_SWIZZLE_64,
    DEVICE_TENSOR_SWIZZLE_128,
    DEVICE_TENSOR_SWIZZLES
} DeviceTensorSwizzle;

/* A tensor of device memory, and the box of it that one bulk copy moves. Dimension 0 is the innermost. */
typedef struct DeviceTensor {
    uint64_t address;
    uint64_t extents[DEVICE_TENSOR_DIMENSIONS];     /* elements */
    uint64_t strides[DEVICE_TENSOR_DIMENSIONS - 1]; /* bytes, of dimensions 1, 2 ... */
    uint32_t box[DEVICE_TENSOR_DIMENSIONS];         /* elements */
    uint32_t steps[DEVICE_TENSOR_DIMENSIONS];       /* every so many elements of the box are moved */
    uint32_t rank;
    DeviceTensorType type;
    DeviceTensorSwizzle swizzle;
    uint32_t promotion; /* CUtensorMapL2promotion, a hint */
    bool fills_nan;     /* what lies outside of the tensor reads as NaN, else as 0 */
} DeviceTensor;

#endif
