#include "simgpu/engine/matrix_product.h"

#include "base/machine.h"
#include "simgpu/code/lane_math.h"

enum { NOTHING = -100000 }; /* the exponent of a zero */

#define LEVEL(NAME, MARCH, TARGET) MultiplyLanes matrix_lanes_##NAME;
MACHINE_LEVELS(LEVEL)
#undef LEVEL

/* ---- floats ------------------------------------------------------------------------------------------------------ */

/* mantissa * 2^(exponent - digits of the type); infinities and NaN are kept as a float. */
typedef struct ProductParts {
    int32_t mantissa, exponent;
    bool is_special;
    f32 value;
} ProductParts;

static int digits_of(MatrixType type)
{
    return type == MATRIX_BF16 ? 7 : type == MATRIX_F32 ? 23 : 10;
}

static ProductParts parts_of(uint64_t bits, MatrixType type)
{
    int digits = digits_of(type), exponent_bits = type == MATRIX_F16 ? 5 : 8;
    if (type == MATRIX_TF32)
        bits >>= 13; /* tf32 ignores the lower bits */
    int32_t biased = (int32_t)(bits >> digits) & ((1 << exponent_bits) - 1), bias = (1 << (exponent_bits - 1)) - 1;
    int32_t fraction = (int32_t)bits & ((1 << digits) - 1);
    bool is_negative = bits >> (digits + exponent_bits) & 1, is_special = biased == (1 << exponent_bits) - 1;
    ProductParts parts = {.mantissa = biased == 0 ? fraction : fraction | 1 << digits,
                          .exponent = (biased == 0 ? 1 : biased) - bias,
                          .is_special = is_special};
    parts.value = is_special ? (fraction != 0 ? NAN : INFINITY) : (f32)parts.mantissa;
    if (parts.mantissa == 0)
        parts.exponent = NOTHING;
    if (is_negative) {
        parts.mantissa = -parts.mantissa;
        parts.value = -parts.value;
    }
    return parts;
}

/* mantissa * 2^shift, truncated towards zero. */
static int64_t shifted(int64_t mantissa, int shift)
{
    uint64_t magnitude = (uint64_t)(mantissa < 0 ? -mantissa : mantissa);
    magnitude = shift >= 0 ? magnitude << shift : shift < -63 ? 0 : magnitude >> -shift;
    return mantissa < 0 ? -(int64_t)magnitude : (int64_t)magnitude;
}

/* sum * 2^exponent as float32, truncated towards zero. */
static u32 cut_off(int64_t sum, int exponent)
{
    uint64_t magnitude = (uint64_t)(sum < 0 ? -sum : sum);
    u32 sign = sum < 0 ? 1u << 31 : 0;
    if (sum == 0)
        return 0;
    int highest = 63 - __builtin_clzll(magnitude), scale = exponent + highest;
    if (scale > 127)
        return sign | 0x7F800000;
    int drop = scale < -126 ? -149 - exponent : highest - 23;
    u32 mantissa = (u32)shifted((int64_t)magnitude, -drop);
    return sign | (scale < -126 ? mantissa : ((u32)(scale + 126) << 23) + mantissa);
}

/* A sum with an infinity or a NaN among its terms. */
static f32 special_sum(const ProductParts *a, const ProductParts *b, const ProductParts *c, int k)
{
    f32 sum = c->is_special ? c->value : 0;
    for (int i = 0; i < k; i++)
        if (a[i].is_special || b[i].is_special)
            sum += a[i].value * b[i].value;
    return sum;
}

typedef struct ProductSum {
    bool is_special;
    f32 value;   /* of one that is */
    int64_t sum; /* times 2^exponent */
    int exponent;
} ProductSum;

static ProductSum sum_of(const ProductParts *a, const ProductParts *b, const ProductParts *c, int k, int digits)
{
    int most = c->exponent;
    bool is_special = c->is_special;
    for (int i = 0; i < k; i++) {
        int exponent = a[i].exponent + b[i].exponent;
        most = exponent > most ? exponent : most;
        is_special |= a[i].is_special | b[i].is_special;
    }
    if (is_special)
        return (ProductSum){.is_special = true, .value = special_sum(a, b, c, k)};
    if (most < NOTHING / 2)
        return (ProductSum){.sum = 0};
    int64_t sum = shifted(c->mantissa, c->exponent - digits_of(MATRIX_F32) - most + MATRIX_GUARD_BITS);
    for (int i = 0; i < k; i++)
        sum += shifted((int64_t)a[i].mantissa * b[i].mantissa,
                       a[i].exponent + b[i].exponent - 2 * digits - most + MATRIX_GUARD_BITS);
    return (ProductSum){.sum = sum, .exponent = most - MATRIX_GUARD_BITS};
}

static uint64_t sum_bits(const ProductSum *sum, MatrixType type)
{
    if (sum->is_special && type == MATRIX_F16)
        return f32_to_f16(sum->value);
    if (sum->is_special)
        return sum->value != sum->value ? 0x7FFFFFFF : f32_bits(sum->value);
    if (type == MATRIX_F16)
        return narrowed_f16(ldexp((f64)sum->sum, sum->exponent), ROUND_NEAREST);
    return cut_off(sum->sum, sum->exponent);
}

/* C as if it were float32, with an exponent of its own. */
static ProductParts sum_parts(uint64_t bits, MatrixType type)
{
    return parts_of(type == MATRIX_F16 ? f32_bits(f16_to_f32((u16)bits)) : bits, MATRIX_F32);
}

static void split(const uint64_t tile[][MATRIX_MOST], int extent, int k, MatrixType type,
                  ProductParts parts[][MATRIX_MOST])
{
    for (int i = 0; i < extent; i++)
        for (int j = 0; j < k; j++)
            parts[i][j] = parts_of(tile[i][j], type);
}

/* The sum of a row times a column and of C; `matrix->k_together` products are added at once. */
static uint64_t product_bits(const Matrix *matrix, const ProductParts *row, const ProductParts *column, uint64_t c)
{
    MatrixType type = matrix->c;
    for (int k = 0; k < matrix->shape.k; k += matrix->k_together) {
        ProductParts start = sum_parts(c, type);
        ProductSum sum = sum_of(row + k, column + k, &start, matrix->k_together, digits_of(matrix->a));
        c = sum_bits(&sum, matrix->d);
        type = matrix->d;
    }
    return c;
}

static void multiply_floats(const Matrix *matrix, Tile a, Tile b, Tile c)
{
    static _Thread_local ProductParts rows[MATRIX_MOST][MATRIX_MOST], columns[MATRIX_MOST][MATRIX_MOST];
    const MatrixShape *shape = &matrix->shape;
    bool turned = matrix_is_turned(shape, MATRIX_SUM);
    split(a, shape->m, shape->k, matrix->a, rows);
    split(b, shape->n, shape->k, matrix->b, columns);
    for (int i = 0; i < shape->m; i++)
        for (int j = 0; j < shape->n; j++) {
            uint64_t *at = turned ? &c[j][i] : &c[i][j];
            *at = product_bits(matrix, rows[i], columns[j], *at);
        }
}

/* ---- floats, in the lanes that hold them -------------------------------------------------------------------------- */

bool matrix_multiply_lanes(const Matrix *matrix, const uint32_t *const a[], const uint32_t *const b[],
                           const uint32_t *const c[], uint32_t *const d[])
{
#define LEVEL(NAME, MARCH, TARGET) matrix_lanes_##NAME,
    static MultiplyLanes *const multiply[] = {MACHINE_LEVELS(LEVEL)};
#undef LEVEL
    const MatrixShape *shape = &matrix->shape;
    if (matrix->c != MATRIX_F32 || matrix->d != MATRIX_F32 || matrix_is_turned(shape, MATRIX_SUM) ||
        shape->k > MATRIX_LANES_DEPTH || shape->n > MATRIX_LANES_COLUMNS)
        return false;
    return multiply[machine_level()](matrix, a, b, c, d);
}

/* ---- float64 and integers ---------------------------------------------------------------------------------------- */

static void multiply_doubles(const Matrix *matrix, Tile a, Tile b, Tile c)
{
    for (int i = 0; i < matrix->shape.m; i++)
        for (int j = 0; j < matrix->shape.n; j++) {
            f64 sum = f64_from(c[i][j]);
            for (int k = 0; k < matrix->shape.k; k++)
                sum = __builtin_fma(f64_from(a[i][k]), f64_from(b[j][k]), sum);
            c[i][j] = f64_bits(sum);
        }
}

static int64_t integer_of(uint64_t bits, MatrixType type)
{
    return type == MATRIX_S8 ? (s8)bits : (int64_t)bits;
}

static void multiply_integers(const Matrix *matrix, Tile a, Tile b, Tile c)
{
    bool turned = matrix_is_turned(&matrix->shape, MATRIX_SUM);
    for (int i = 0; i < matrix->shape.m; i++)
        for (int j = 0; j < matrix->shape.n; j++) {
            uint64_t *at = turned ? &c[j][i] : &c[i][j];
            int64_t sum = (s32)*at;
            for (int k = 0; k < matrix->shape.k; k++)
                sum += integer_of(a[i][k], matrix->a) * integer_of(b[j][k], matrix->b);
            *at = (u32)(matrix->saturates ? saturate_s32(sum) : (s32)(u32)sum);
        }
}

void matrix_multiply(const Matrix *matrix, Tile a, Tile b, Tile c)
{
    if (matrix->a == MATRIX_F64)
        multiply_doubles(matrix, a, b, c);
    else if (matrix->c == MATRIX_S32)
        multiply_integers(matrix, a, b, c);
    else
        multiply_floats(matrix, a, b, c);
}
