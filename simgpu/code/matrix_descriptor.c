#include "simgpu/code/matrix_descriptor.h"

enum { CORE_ROWS = 8, CORE_BYTES = 16, PLACE_BITS = 14, PLACE_UNIT = 16 };

static uint64_t place_at(uint64_t bits, int shift)
{
    return (bits >> shift & ((1u << PLACE_BITS) - 1)) * PLACE_UNIT;
}

MatrixDescriptor matrix_descriptor(uint64_t bits)
{
    static const TensorSwizzle swizzles[] = {TENSOR_NOT_SWIZZLED, TENSOR_SWIZZLE_128, TENSOR_SWIZZLE_64,
                                             TENSOR_SWIZZLE_32};
    return (MatrixDescriptor){.start = place_at(bits, 0),
                              .leading = place_at(bits, 16),
                              .stride = place_at(bits, 32),
                              .swizzle = swizzles[bits >> 62],
                              .is_based = (bits >> 49 & 7) != 0};
}

/* The distance from the start to an element of `bytes`: `across` of k, `along` of m or n. */
static uint64_t distance(const MatrixDescriptor *descriptor, bool is_turned, uint32_t along, uint32_t across,
                         uint32_t bytes)
{
    const uint32_t span = descriptor->swizzle == TENSOR_NOT_SWIZZLED ? 0 : tensor_swizzle_bytes(descriptor->swizzle);
    const uint32_t row = is_turned ? across : along, byte = (is_turned ? along : across) * bytes;
    if (span > 0)
        return is_turned ? byte / span * descriptor->leading + row / CORE_ROWS * descriptor->stride +
                               row % CORE_ROWS * span + byte % span
                         : row / CORE_ROWS * descriptor->stride + row % CORE_ROWS * span + byte;
    const uint64_t by_row = is_turned ? descriptor->leading : descriptor->stride;
    const uint64_t by_byte = is_turned ? descriptor->stride : descriptor->leading;
    return row / CORE_ROWS * by_row + byte / CORE_BYTES * by_byte + row % CORE_ROWS * CORE_BYTES + byte % CORE_BYTES;
}

uint64_t matrix_descriptor_place(const MatrixDescriptor *descriptor, bool is_turned, uint32_t along, uint32_t across,
                                 uint32_t bytes)
{
    return tensor_swizzled(descriptor->swizzle,
                           descriptor->start + distance(descriptor, is_turned, along, across, bytes));
}
