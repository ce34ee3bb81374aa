/* The product of two fragments in the lanes that hold them (matrix_product.h), compiled once for each level of the instruction
 * set, as lane_loops.c is: a vector has as many lanes as a register of that level, and gcc 12 takes longer ones apart in a slow
 * way.  */
#include "simgpu/code/lane_math.h"
#include "simgpu/engine/matrix_product.h"

#include <string.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

#define NAME_OF(level) matrix_lanes_##level
#define NAME(level) NAME_OF(level)

#ifdef __AVX512F__
enum { VECTOR = 16 };
#else
enum { VECTOR = 8 };
#endif

enum {
    VECTORS = SIM_WARP_SIZE / VECTOR,
    EIGHT = 8,              /* rows, or columns, that a register of a warp holds */
    QUAD = 4,               /* lanes that hold one row of A, or column of B */
    VECTOR_NOTHING = -4096, /* the exponent of a zero */
    LARGEST_EXPONENT = 100  /* in magnitude: so far float32 has 2^exponent, its inverse, and what they multiply */
};

/* One number for each lane. */
typedef s32 Ints __attribute__((vector_size(4 * VECTOR)));
typedef u32 Bits __attribute__((vector_size(4 * VECTOR)));
typedef f32 Floats __attribute__((vector_size(4 * VECTOR)));
typedef s64 Longs __attribute__((vector_size(8 * VECTOR)));
typedef f64 Doubles __attribute__((vector_size(8 * VECTOR)));

/* -1 where a number is negative, else 0. gcc 12 takes comparisons of vectors apart, number by number, where their results are
 * used as bits. */
#define IS_NEGATIVE(numbers) (-(Ints)((Bits)(numbers) >> 31))

/* The larger of two numbers. */
#if defined __AVX512F__
#define LARGER(a, b) ((Ints)_mm512_max_epi32((__m512i)(a), (__m512i)(b)))
#elif defined __AVX2__
#define LARGER(a, b) ((Ints)_mm256_max_epi32((__m256i)(a), (__m256i)(b)))
#else
#define LARGER(a, b) ((a) + (((b) - (a)) & ~IS_NEGATIVE((b) - (a))))
#endif

/* Numbers as float32, with the exponents that their products are aligned by. */
typedef struct SplitNumbers {
    union {
        Floats values;
        Ints bits;
    };
    Ints exponents;
} SplitNumbers;

/* `specials`: which are infinities or NaN. */
static inline SplitNumbers split_numbers(MatrixType type, const Ints *bits, Ints *specials)
{
    Ints exponent, is_zero;
    SplitNumbers split;
    if (type == MATRIX_F16) {
        Ints biased = *bits >> 10 & 31, is_subnormal = IS_NEGATIVE(biased - 1);
        Ints mantissa = (*bits & 0x3FF) | (~is_subnormal & 0x400);
        exponent = biased - 15 - is_subnormal;
        is_zero = IS_NEGATIVE(mantissa - 1);
        Floats magnitude = __builtin_convertvector(mantissa, Floats) * (Floats)((exponent - 10 + 127) << 23);
        split.values = (Floats)((Ints)magnitude | (*bits << 16 & INT32_MIN));
        *specials |= IS_NEGATIVE(30 - biased);
    } else { /* the upper bits of a float32 */
        Ints wide = type == MATRIX_BF16 ? *bits << 16 : *bits & ~0x1FFF, biased = wide >> 23 & 255;
        Ints is_special = IS_NEGATIVE(254 - biased);
        exponent = biased - 127 - IS_NEGATIVE(biased - 1);
        is_zero = IS_NEGATIVE((wide & INT32_MAX) - 1);
        split.values = (Floats)(wide & ~is_special); /* an infinity fits no integer: see *specials */
        *specials |= is_special;
    }
    split.exponents = (is_zero & VECTOR_NOTHING) | (~is_zero & exponent);
    return split;
}

/* Element `index` of each lane's register. */
static inline SplitNumbers split_register(MatrixType type, const uint32_t *lanes, int index, Ints *specials)
{
    Ints bits;
    memcpy(&bits, lanes, sizeof bits);
    if (type != MATRIX_TF32)
        bits = bits >> (16 * index) & 0xFFFF;
    return split_numbers(type, &bits, specials);
}

/* Lane i gets number `first` + `by_quad` (i / 4) + `in_quad` (i % 4) of those that are held: of one vector where `in_quad` is
 * 0, else of the warp's. */
static inline void take(const Ints *held, int first, int by_quad, int in_quad, Ints *lanes)
{
#if defined __AVX2__ && !defined __clang__
#ifdef __AVX512F__
    const Ints numbers = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
#else
    const Ints numbers = {0, 1, 2, 3, 4, 5, 6, 7};
#endif
    const Ints from = first + by_quad * (numbers / QUAD) + in_quad * (numbers % QUAD);
    *lanes = __builtin_shuffle(held[0], held[in_quad == 0 ? 0 : 1], from); /* which looks at the lower bits of `from` */
    if (in_quad == 0 || VECTORS == 2)
        return;
    const Ints upper = __builtin_shuffle(held[VECTORS - 2], held[VECTORS - 1], from);
    *lanes = __builtin_shuffle(*lanes, upper, numbers + from / (2 * VECTOR) * VECTOR);
#else /* gcc 12 takes shuffles of SSE apart in a slow way, and clang, which builds the fuzzers, has none by a variable */
    for (int i = 0; i < VECTOR; i++)
        ((s32 *)lanes)[i] = ((const s32 *)held)[first + by_quad * (i / QUAD) + in_quad * (i % QUAD)];
#endif
}

/* For each lane its row of A at one place of k, which one lane of its quad holds. */
static inline void take_rows(const SplitNumbers *held, int lane, SplitNumbers *rows)
{
    take(&held->bits, lane, QUAD, 0, &rows->bits);
    take(&held->exponents, lane, QUAD, 0, &rows->exponents);
}

/* For each lane one of its two columns of B, or of C, at one place of k: column 2 (lane % 4) + `column`. */
static inline void take_columns(const SplitNumbers held[VECTORS], int lane, int column, SplitNumbers *columns)
{
    const int first = QUAD * column + lane;
    Ints bits[VECTORS], exponents[VECTORS];
    for (int part = 0; part < VECTORS; part++) {
        bits[part] = held[part].bits;
        exponents[part] = held[part].exponents;
    }
    take(bits, first, 0, 2 * QUAD, &columns->bits);
    take(exponents, first, 0, 2 * QUAD, &columns->exponents);
}

/* Sums in float32. A product of two such numbers is exact in float32, and so is it times a power of two; one too large for it
 * makes its sum special, and of one too small nothing is left by the alignment. */
static inline void add_products(const SplitNumbers *row, const SplitNumbers *column, int depth, Ints *sums,
                                Ints *specials)
{
    Ints is_zero = IS_NEGATIVE((*sums & INT32_MAX) - 1), exponent = (*sums >> 23 & 255) - 127;
    exponent = (is_zero & VECTOR_NOTHING) | (~is_zero & exponent);
    for (int k = 0; k < depth; k++)
        exponent = LARGER(exponent, row[k].exponents + column[k].exponents);
    exponent &= IS_NEGATIVE(VECTOR_NOTHING / 2 - exponent); /* else all of them are zero */
    /* So are infinities and NaN. */
    Ints special = IS_NEGATIVE((exponent + LARGEST_EXPONENT) | (LARGEST_EXPONENT - exponent));
    Floats scale = (Floats)(~special & (127 + MATRIX_GUARD_BITS - exponent) << 23);
    Ints products = {0}; /* each of the 16 is below 2^27; what a special sum comes to here is not used */
    for (int k = 0; k < depth; k++)
        products += __builtin_convertvector(row[k].values * column[k].values * scale, Ints);
    Ints start = __builtin_convertvector((Floats)(~special & *sums) * scale, Ints);
    Doubles sum = __builtin_convertvector(products, Doubles) + __builtin_convertvector(start, Doubles);
    /* Cuts off what float32 has no bits for; what is left is exact. */
    Doubles cut = (Doubles)((Longs)sum & -(1ll << (52 - 23)));
    Doubles unit = (Doubles)((__builtin_convertvector(exponent, Longs) + (1023 - MATRIX_GUARD_BITS)) << 52);
    *sums = (Ints) __builtin_convertvector(cut * unit, Floats);
    *specials |= special;
}

/* Rows of A for each lane, and columns of B. */
typedef SplitNumbers SplitRows[MATRIX_MOST / EIGHT][VECTORS][MATRIX_LANES_DEPTH];
typedef SplitNumbers SplitColumns[MATRIX_LANES_COLUMNS / EIGHT][2][MATRIX_LANES_DEPTH];

static inline void split_rows(const Matrix *matrix, LaneWords a, SplitRows rows, Ints *specials)
{
    const MatrixLayout *layout = &matrix->layouts[MATRIX_A];
    const int packed = matrix_packed(MATRIX_A, matrix->a), step = matrix_lane_step(MATRIX_A, matrix->a);
    for (int i = 0; i < layout->count; i++) {
        const MatrixPlace place = layout->places[i];
        for (int part = 0; part < VECTORS; part++)
            for (int j = 0; j < packed; j++) {
                const SplitNumbers held = split_register(matrix->a, a[i] + part * VECTOR, j, specials);
                /* cppcheck-suppress uninitvar; what is taken is the address */
                SplitNumbers *row = &rows[place.along / EIGHT][part][place.across + j];
                for (int lane = 0; lane < QUAD; lane++)
                    take_rows(&held, lane, &row[step * lane]);
            }
    }
}

static inline void split_columns(const Matrix *matrix, LaneWords b, SplitColumns columns, Ints *specials)
{
    const MatrixLayout *layout = &matrix->layouts[MATRIX_B];
    const int packed = matrix_packed(MATRIX_A, matrix->a), step = matrix_lane_step(MATRIX_A, matrix->a);
    for (int i = 0; i < layout->count; i++) {
        const MatrixPlace place = layout->places[i];
        for (int j = 0; j < packed; j++) {
            SplitNumbers held[VECTORS];
            for (int part = 0; part < VECTORS; part++)
                held[part] = split_register(matrix->b, b[i] + part * VECTOR, j, specials);
            for (int side = 0; side < 2; side++) {
                SplitNumbers *column = &columns[place.along / EIGHT][side][place.across + j];
                for (int lane = 0; lane < QUAD; lane++)
                    take_columns(held, lane, side, &column[step * lane]);
            }
        }
    }
}

/* Kernels multiply the same A by one B after the other. */
typedef struct KeptRows {
    MatrixShape shape;
    MatrixType type;
    LaneWords a;
    SplitRows rows;
    Ints specials;
} KeptRows;

static inline const KeptRows *keep_rows(const Matrix *matrix, LaneWords a)
{
    static _Thread_local KeptRows kept; /* at first of an empty shape, which no matrix has */
    const size_t bytes = (size_t)matrix->layouts[MATRIX_A].count * sizeof *a;
    if (kept.type == matrix->a && memcmp(&kept.shape, &matrix->shape, sizeof kept.shape) == 0 &&
        memcmp(kept.a, a, bytes) == 0)
        return &kept;
    kept.shape = matrix->shape;
    kept.type = matrix->a;
    kept.specials = (Ints){0};
    memcpy(kept.a, a, bytes);
    split_rows(matrix, a, kept.rows, &kept.specials);
    return &kept;
}

bool NAME(LANES_LEVEL)(const Matrix *matrix, LaneWords a, LaneWords b, LaneWords c)
{
    const int count = matrix->layouts[MATRIX_SUM].count, together = matrix->k_together;
    const KeptRows *kept = keep_rows(matrix, a);
    SplitColumns columns;
    Ints specials = kept->specials, sums[MATRIX_REGISTERS][VECTORS];
    split_columns(matrix, b, columns, &specials);
    memcpy(sums, c, (size_t)count * sizeof *sums);
    for (int i = 0; i < count; i++) {
        const MatrixPlace place = matrix->layouts[MATRIX_SUM].places[i];
        const SplitNumbers *column = columns[place.across / EIGHT][place.across % EIGHT];
        for (int part = 0; part < VECTORS; part++)
            for (int k = 0; k < matrix->shape.k; k += together)
                add_products(kept->rows[place.along / EIGHT][part] + k, column + k, together, &sums[i][part],
                             &specials);
    }
    for (int lane = 0; lane < VECTOR; lane++)
        if (specials[lane] != 0)
            return false;
    memcpy(c, sums, (size_t)count * sizeof *sums);
    return true;
}
