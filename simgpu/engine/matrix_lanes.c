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
    BESIDE = 4,             /* registers of sums one after the other: of two rows, 8 apart, and two columns */
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

/* For each place of k; `k_quad` is the first of its quad. The loop over a quad is unrolled, so that its shuffles are known. */
#define EACH_PLACE(depth, k)                                                                                           \
    for (int k##_quad = 0; k##_quad < (depth); k##_quad += QUAD)                                                       \
    _Pragma("GCC unroll 4") for (int k = k##_quad; k < k##_quad + QUAD; k++)

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

/* products + start, cut off where float32 has no bits for it. A sum that is too large for this becomes special. */
static inline void cut_sum(const Ints *products, const Ints *start, Floats *cut, Ints *special)
{
#ifdef __AVX512F__
    const Ints sum = (Ints)((Bits)*products + (Bits)*start);
    *special |= IS_NEGATIVE((*products ^ sum) & (*start ^ sum));
    *cut = (Floats)_mm512_cvt_roundepi32_ps((__m512i)sum, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
#else
    const Doubles sum = __builtin_convertvector(*products, Doubles) + __builtin_convertvector(*start, Doubles);
    *cut = __builtin_convertvector((Doubles)((Longs)sum & -(1ll << (52 - 23))), Floats);
#endif
}

/* Adds the products of two rows and two columns to the four sums of each lane, side by side, so that each number is loaded once
 * for two of them. Sums in float32: a product of two such numbers is exact in float32, and so is it times a power of two; one too
 * large for it makes its sum special, and of one too small nothing is left by the alignment. */
static inline void add_products(const SplitNumbers *const rows[2], const SplitNumbers *const columns[2], int depth,
                                Ints sums[BESIDE][VECTORS], Ints *specials)
{
    Ints exponent[BESIDE], special[BESIDE], products[BESIDE] = {0}; /* each of the 16 is below 2^27 */
    Floats scale[BESIDE];
    for (int i = 0; i < BESIDE; i++) {
        const Ints is_zero = IS_NEGATIVE((sums[i][0] & INT32_MAX) - 1);
        exponent[i] = (is_zero & VECTOR_NOTHING) | (~is_zero & ((sums[i][0] >> 23 & 255) - 127));
    }
    EACH_PLACE(depth, k)
    {
        Ints row[2];
        for (int i = 0; i < 2; i++)
            take(&rows[i][k_quad / QUAD].exponents, k - k_quad, QUAD, 0, &row[i]);
        for (int i = 0; i < BESIDE; i++)
            exponent[i] = LARGER(exponent[i], row[i / 2] + columns[i % 2][k].exponents);
    }
    for (int i = 0; i < BESIDE; i++) {
        exponent[i] &= IS_NEGATIVE(VECTOR_NOTHING / 2 - exponent[i]); /* else all of them are zero */
        /* So are infinities and NaN. What a special sum comes to here is not used. */
        special[i] = IS_NEGATIVE((exponent[i] + LARGEST_EXPONENT) | (LARGEST_EXPONENT - exponent[i]));
        scale[i] = (Floats)(~special[i] & (127 + MATRIX_GUARD_BITS - exponent[i]) << 23);
    }
    EACH_PLACE(depth, k)
    {
        Ints row[2];
        for (int i = 0; i < 2; i++)
            take(&rows[i][k_quad / QUAD].bits, k - k_quad, QUAD, 0, &row[i]);
        for (int i = 0; i < BESIDE; i++)
            products[i] += __builtin_convertvector((Floats)row[i / 2] * columns[i % 2][k].values * scale[i], Ints);
    }
    for (int i = 0; i < BESIDE; i++) {
        const Ints start = __builtin_convertvector((Floats)(~special[i] & sums[i][0]) * scale[i], Ints);
        const Floats unit = (Floats)((exponent[i] + (127 - MATRIX_GUARD_BITS)) << 23);
        Floats cut;
        cut_sum(&products[i], &start, &cut, &special[i]);
        sums[i][0] = (Ints)(cut * unit);
        *specials |= special[i];
    }
}

/* Rows of A as the lanes hold them, and columns of B as the lanes need them. Both count k by registers: what a quad holds of one
 * stands together. */
typedef SplitNumbers SplitRows[MATRIX_MOST / EIGHT][VECTORS][MATRIX_LANES_DEPTH / QUAD];
typedef SplitNumbers SplitColumns[MATRIX_LANES_COLUMNS / EIGHT][2][MATRIX_LANES_DEPTH];

static inline void split_rows(const Matrix *matrix, const uint32_t *const a[], SplitRows rows, Ints *specials)
{
    const MatrixLayout *layout = &matrix->layouts[MATRIX_A];
    const int packed = matrix_packed(MATRIX_A, matrix->a);
    for (int i = 0; i < layout->count; i++) {
        const MatrixPlace place = layout->places[i];
        for (int part = 0; part < VECTORS; part++)
            for (int j = 0; j < packed; j++)
                rows[place.along / EIGHT][part][place.across / QUAD + j] = split_register(
                    matrix->a, a[i] + part * VECTOR, j, specials);
    }
}

static inline void split_columns(const Matrix *matrix, const uint32_t *const b[], SplitColumns columns, Ints *specials)
{
    const MatrixLayout *layout = &matrix->layouts[MATRIX_B];
    const int packed = matrix_packed(MATRIX_A, matrix->a);
    for (int i = 0; i < layout->count; i++) {
        const MatrixPlace place = layout->places[i];
        for (int j = 0; j < packed; j++) {
            SplitNumbers held[VECTORS];
            for (int part = 0; part < VECTORS; part++)
                held[part] = split_register(matrix->b, b[i] + part * VECTOR, j, specials);
            for (int side = 0; side < 2; side++)
                for (int lane = 0; lane < QUAD; lane++)
                    take_columns(held, lane, side, &columns[place.along / EIGHT][side][place.across + QUAD * j + lane]);
        }
    }
}

/* What was split last. The warps of a block execute an instruction one after the other, and mostly multiply the same B; a block of
 * one warp multiplies the same A by one B after the other. */
typedef struct Kept {
    MatrixShape shape; /* at first an empty one, which no matrix has */
    MatrixType type;
    LaneWords words;
    Ints specials;
} Kept;

/* False if the words of a fragment are others than those that were kept, whose place they take. */
static inline bool are_kept(Kept *kept, const Matrix *matrix, MatrixPart part, const uint32_t *const words[])
{
    const int count = matrix->layouts[part].count;
    bool is_kept = kept->type == matrix->a && memcmp(&kept->shape, &matrix->shape, sizeof kept->shape) == 0;
    for (int i = 0; i < count && is_kept; i++)
        is_kept = memcmp(kept->words[i], words[i], sizeof kept->words[i]) == 0;
    for (int i = 0; i < count && !is_kept; i++)
        memcpy(kept->words[i], words[i], sizeof kept->words[i]);
    if (is_kept)
        return true;
    kept->shape = matrix->shape;
    kept->type = matrix->a;
    kept->specials = (Ints){0};
    return false;
}

bool NAME(LANES_LEVEL)(const Matrix *matrix, const uint32_t *const a[], const uint32_t *const b[],
                       const uint32_t *const c[], uint32_t *const d[])
{
    static _Thread_local Kept of_a, of_b;
    static _Thread_local SplitRows rows;
    static _Thread_local SplitColumns columns;
    const int count = matrix->layouts[MATRIX_SUM].count, together = matrix->k_together;
    Ints sums[MATRIX_REGISTERS][VECTORS];
    if (!are_kept(&of_a, matrix, MATRIX_A, a))
        split_rows(matrix, a, rows, &of_a.specials);
    if (!are_kept(&of_b, matrix, MATRIX_B, b))
        split_columns(matrix, b, columns, &of_b.specials);
    Ints specials = of_a.specials | of_b.specials;
    for (int i = 0; i < count; i++)
        memcpy(sums[i], c[i], sizeof sums[i]);
    for (int i = 0; i < count; i += BESIDE) {
        const MatrixPlace place = matrix->layouts[MATRIX_SUM].places[i];
        for (int part = 0; part < VECTORS; part++)
            for (int k = 0; k < matrix->shape.k; k += together)
                add_products((const SplitNumbers *[]){rows[place.along / EIGHT][part] + k / QUAD,
                                                      rows[place.along / EIGHT + 1][part] + k / QUAD},
                             (const SplitNumbers *[]){columns[place.across / EIGHT][0] + k,
                                                      columns[place.across / EIGHT][1] + k},
                             together, (Ints(*)[VECTORS]) & sums[i][part], &specials);
    }
    for (int lane = 0; lane < VECTOR; lane++)
        if (specials[lane] != 0)
            return false;
    for (int i = 0; i < count; i++)
        memcpy(d[i], sums[i], sizeof sums[i]);
    return true;
}
