#include "simgpu/code/matrix_fragment.h"

/* ==== matrix descriptor =========================================================================================== */

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

/* ==== matrix fragment ============================================================================================= */

uint32_t matrix_type_bytes(MatrixType type)
{
    switch (type) {
    case MATRIX_S8:
    case MATRIX_U8: return 1;
    case MATRIX_F16:
    case MATRIX_BF16: return 2;
    case MATRIX_F64: return 8;
    case MATRIX_TF32:
    case MATRIX_F32:
    case MATRIX_S32: return 4;
    }
    return 0;
}

int matrix_packed(MatrixPart part, MatrixType type)
{
    uint32_t bytes = matrix_type_bytes(type);
    return bytes < 4 ? (int)(4 / bytes) : 1;
}

int matrix_lane_step(MatrixPart part, MatrixType type)
{
    return part == MATRIX_SUM ? 2 : matrix_packed(part, type);
}

static int along_extent(const MatrixShape *shape, MatrixPart part)
{
    return part == MATRIX_A ? shape->m : part == MATRIX_B ? shape->n : shape->n == 32 ? shape->n : shape->m;
}

static int across_extent(const MatrixShape *shape, MatrixPart part)
{
    return part != MATRIX_SUM ? shape->k : shape->n == 32 ? shape->m : shape->n;
}

bool matrix_is_turned(const MatrixShape *shape, MatrixPart part)
{
    return part == MATRIX_B || (part == MATRIX_SUM && shape->n == 32);
}

int matrix_registers(const MatrixShape *shape, MatrixPart part, MatrixType type)
{
    int elements = along_extent(shape, part) * across_extent(shape, part), packed = matrix_packed(part, type);
    if (part != MATRIX_SUM && shape->k % (4 * packed) != 0)
        return 0;
    return elements / 32 / packed;
}

/* The sums are pairs of columns: 8 rows further down first, then 16, or 8 columns to the right. */
static MatrixPlace place_of_sum(const MatrixShape *shape, int element)
{
    int pair = element >> 1, further = pair >> 1;
    MatrixPlace place = {.along = 8 * (pair & 1), .across = element & 1};
    if (along_extent(shape, MATRIX_SUM) == 32)
        place.along += 16 * further;
    else
        place.across += 8 * further;
    return place;
}

MatrixPlace matrix_place(const MatrixShape *shape, MatrixPart part, MatrixType type, int number, int index)
{
    int packed = matrix_packed(part, type), register_number = number % matrix_registers(shape, part, type);
    if (part == MATRIX_SUM)
        return place_of_sum(shape, register_number * packed + index);
    int steps = shape->k / (4 * packed); /* of k, from one register to another */
    bool is_tall = part == (shape->n == 32 ? MATRIX_B : MATRIX_A) && along_extent(shape, part) > 8;
    int step = is_tall ? register_number / 2 % steps : register_number % steps;
    int along = 8 * (register_number / steps);
    if (is_tall)
        along = 8 * (register_number & 1) + 16 * (register_number / 2 / steps);
    return (MatrixPlace){.along = along, .across = index + 4 * packed * step};
}

void matrix_lay_out(Matrix *matrix)
{
    const MatrixType types[] = {[MATRIX_A] = matrix->a, [MATRIX_B] = matrix->b, [MATRIX_SUM] = matrix->d};
    for (MatrixPart part = MATRIX_A; part <= MATRIX_SUM; part++) {
        MatrixLayout *layout = &matrix->layouts[part];
        layout->count = matrix_registers(&matrix->shape, part, types[part]);
        for (int i = 0; i < layout->count; i++)
            layout->places[i] = matrix_place(&matrix->shape, part, types[part], i, 0);
    }
}
