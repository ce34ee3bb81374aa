#include "simgpu/engine/matrix_product.h"

#include "simgpu/code/lane_math.h"

enum { GUARD_BITS = 25, NOTHING = -100000 }; /* the exponent of a zero */

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
    int64_t sum = shifted(c->mantissa, c->exponent - digits_of(MATRIX_F32) - most + GUARD_BITS);
    for (int i = 0; i < k; i++)
        sum += shifted((int64_t)a[i].mantissa * b[i].mantissa,
                       a[i].exponent + b[i].exponent - 2 * digits - most + GUARD_BITS);
    return (ProductSum){.sum = sum, .exponent = most - GUARD_BITS};
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

void matrix_multiply_floats(const Matrix *matrix, Tile a, Tile b, int first, Tile c)
{
    static _Thread_local ProductParts rows[MATRIX_MOST][MATRIX_MOST], columns[MATRIX_COLUMNS][MATRIX_MOST];
    const MatrixShape *shape = &matrix->shape;
    bool turned = matrix_is_turned(shape, MATRIX_SUM);
    split(a, shape->m, shape->k, matrix->a, rows);
    split(b + first, MATRIX_COLUMNS, shape->k, matrix->b, columns);
    for (int i = 0; i < shape->m; i++)
        for (int j = 0; j < MATRIX_COLUMNS; j++) {
            uint64_t *at = turned ? &c[first + j][i] : &c[i][first + j];
            *at = product_bits(matrix, rows[i], columns[j], *at);
        }
}

/* ---- floats, eight columns at a time ----------------------------------------------------------------------------- */

enum {
    COLUMNS = MATRIX_COLUMNS,
    DEPTH = 16,             /* of k, at most */
    VECTOR_NOTHING = -4096, /* the exponent of a zero; a sum of two of them is an int16_t */
    LARGEST_EXPONENT = 100  /* in magnitude: so far float32 has 2^exponent, its inverse, and what they multiply */
};

/* Compiled once for each kind of processor: vectors of 32 bytes make it more than twice as fast. */
#define INLINED static inline __attribute__((always_inline))

/* One number for each column. */
typedef int16_t Shorts __attribute__((vector_size(2 * COLUMNS)));
typedef s32 Ints __attribute__((vector_size(4 * COLUMNS)));
typedef f32 Floats __attribute__((vector_size(4 * COLUMNS)));
typedef s64 Longs __attribute__((vector_size(8 * COLUMNS)));
typedef f64 Doubles __attribute__((vector_size(8 * COLUMNS)));

/* Numbers as float32, with the exponents that their products are aligned by; which are infinities or NaN. */
INLINED void split_numbers(MatrixType type, const Ints *bits, Floats *values, Shorts *exponents, Ints *specials)
{
    Ints biased, exponent, is_zero;
    if (type == MATRIX_F16) {
        biased = *bits >> 10 & 31;
        Ints is_subnormal = biased == 0; /* a comparison gives 0 or -1 */
        Ints mantissa = (*bits & 0x3FF) | (~is_subnormal & 0x400), is_negative = (*bits & 0x8000) != 0;
        exponent = biased - 15 - is_subnormal;
        is_zero = mantissa == 0;
        Floats magnitude = __builtin_convertvector(mantissa, Floats) * (Floats)((exponent - 10 + 127) << 23);
        *values = (Floats)((Ints)magnitude | (is_negative & INT32_MIN));
        *specials |= biased == 31;
    } else { /* the upper bits of a float32 */
        Ints wide = type == MATRIX_BF16 ? *bits << 16 : *bits & ~0x1FFF;
        biased = wide >> 23 & 255;
        exponent = biased - 127 - (biased == 0);
        is_zero = (wide & INT32_MAX) == 0;
        *values = (Floats)(wide & ~(biased == 255)); /* an infinity fits no integer: see *specials */
        *specials |= biased == 255;
    }
    *exponents = __builtin_convertvector((is_zero & VECTOR_NOTHING) | (~is_zero & exponent), Shorts);
}

/* One row of sums in float32. A product of two such numbers is exact in float32, and so is it times a power of two; one too
 * large for it makes its sum special, and of one too small nothing is left by the alignment. */
INLINED void add_row(const f32 *row, const int16_t *row_exponents, const Floats *column, const Shorts *column_exponents,
                     int depth, Ints *sums, Ints *specials)
{
    Ints is_zero = (*sums & 0x7FFFFFFF) == 0, exponent = (*sums >> 23 & 255) - 127;
    Shorts most = __builtin_convertvector((is_zero & VECTOR_NOTHING) | (~is_zero & exponent), Shorts);
    for (int k = 0; k < depth; k++) {
        Shorts product = row_exponents[k] + column_exponents[k], is_more = product > most;
        most = (product & is_more) | (most & ~is_more);
    }
    exponent = __builtin_convertvector(most, Ints);
    exponent &= exponent > VECTOR_NOTHING / 2; /* else all of them are zero */
    /* So are infinities and NaN. */
    Ints special = (exponent < -LARGEST_EXPONENT) | (exponent > LARGEST_EXPONENT);
    Floats scale = (Floats)(~special & (127 + GUARD_BITS - exponent) << 23);
    Ints products = {0}; /* each of the 16 is below 2^27 */
    for (int k = 0; k < depth; k++)
        products += __builtin_convertvector((Floats)(~special & (Ints)(row[k] * column[k])) * scale, Ints);
    Ints start = __builtin_convertvector((Floats)(~special & *sums) * scale, Ints);
    Doubles sum = __builtin_convertvector(products, Doubles) + __builtin_convertvector(start, Doubles);
    /* Cuts off what float32 has no bits for; what is left is exact. */
    Doubles cut = (Doubles)((Longs)sum & -(1ll << (52 - 23)));
    Doubles unit = (Doubles)((__builtin_convertvector(exponent, Longs) + (1023 - GUARD_BITS)) << 52);
    *sums = (Ints) __builtin_convertvector(cut * unit, Floats);
    *specials |= special;
}

/* The columns from `first` on. False, and `c` as before, where an operand is an infinity or a NaN, or a sum beyond the largest
 * exponent. */
INLINED bool multiply_columns(const Matrix *matrix, Tile a, Tile b, int first, Tile c)
{
    const int depth = matrix->shape.k, together = matrix->k_together;
    Floats column[DEPTH], row[DEPTH / COLUMNS];
    Shorts column_exponents[DEPTH], row_exponents[DEPTH / COLUMNS];
    Ints specials = {0}, sums[MATRIX_MOST];
    for (int k = 0; k < depth; k++) {
        Ints bits = {0};
        for (int j = 0; j < COLUMNS; j++)
            bits[j] = (s32)b[first + j][k];
        split_numbers(matrix->b, &bits, &column[k], &column_exponents[k], &specials);
    }
    for (int i = 0; i < matrix->shape.m; i++) {
        for (int part = 0; part * COLUMNS < depth; part++) {
            Ints bits = {0};
            for (int k = 0; k < COLUMNS && part * COLUMNS + k < depth; k++)
                bits[k] = (s32)a[i][part * COLUMNS + k];
            split_numbers(matrix->a, &bits, &row[part], &row_exponents[part], &specials);
        }
        for (int j = 0; j < COLUMNS; j++)
            sums[i][j] = (s32)c[i][first + j];
        for (int k = 0; k < depth; k += together)
            add_row((const f32 *)row + k, (const int16_t *)row_exponents + k, column + k, column_exponents + k,
                    together, &sums[i], &specials);
    }
    for (int j = 0; j < COLUMNS; j++)
        if (specials[j] != 0)
            return false;
    for (int i = 0; i < matrix->shape.m; i++)
        for (int j = 0; j < COLUMNS; j++)
            c[i][first + j] = (u32)sums[i][j];
    return true;
}

static __attribute__((target("avx2"))) bool multiply_columns_avx2(const Matrix *matrix, Tile a, Tile b, int first,
                                                                  Tile c)
{
    return multiply_columns(matrix, a, b, first, c);
}

bool matrix_multiply_columns(const Matrix *matrix, Tile a, Tile b, int first, Tile c)
{
    const MatrixShape *shape = &matrix->shape;
    if (matrix->c != MATRIX_F32 || matrix->d != MATRIX_F32 || matrix_is_turned(shape, MATRIX_SUM) ||
        first + COLUMNS > shape->n || shape->k > DEPTH)
        return false;
    return __builtin_cpu_supports("avx2") ? multiply_columns_avx2(matrix, a, b, first, c)
                                          : multiply_columns(matrix, a, b, first, c);
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
        for (int first = 0; first < matrix->shape.n; first += MATRIX_COLUMNS)
            if (!matrix_multiply_columns(matrix, a, b, first, c))
                matrix_multiply_floats(matrix, a, b, first, c);
}
