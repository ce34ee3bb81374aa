/* Holds the fast way to multiply floats against the general one, bit for bit.  */
#include "base/tests/unit.h"

#include "simgpu/code/lane_math.h"
#include "simgpu/engine/matrix_product.h"

#include <string.h>

enum { ROWS = 16, COLUMNS = 8, DEPTH = 16 };
static const uint32_t INFINITE_HALF = 0x7C00, NAN_OF_HALF = 0x7E01, INFINITE_FLOAT = 0x7F800000,
                      NAN_OF_FLOAT = 0x7FC00001;

static Matrix product_of(int depth)
{
    Matrix matrix = {.shape = {ROWS, COLUMNS, (uint8_t)depth},
                     .a = MATRIX_F16,
                     .b = MATRIX_F16,
                     .c = MATRIX_F32,
                     .d = MATRIX_F32,
                     .k_together = (uint8_t)depth};
    matrix_lay_out(&matrix);
    return matrix;
}

/* Puts a tile into the registers of a warp, or takes it from there. */
static void move_fragment(const MatrixShape *shape, MatrixPart part, MatrixType type, Tile tile, LaneWords words,
                          bool is_taken)
{
    const int bits = 8 * (int)matrix_type_bytes(type);
    for (int i = 0; i < matrix_registers(shape, part, type); i++)
        for (int lane = 0; lane < SIM_WARP_SIZE; lane++) {
            uint64_t word = 0;
            for (int j = 0; j < matrix_packed(part, type); j++) {
                const MatrixPlace place = matrix_place(shape, part, type, i, j);
                uint64_t *at = &tile[place.along + lane / 4][place.across + matrix_lane_step(part, type) * (lane % 4)];
                word |= *at << (bits * j);
                if (is_taken)
                    *at = words[i][lane] >> (bits * j);
            }
            if (!is_taken)
                words[i][lane] = (uint32_t)word;
        }
}

/* The fast way: false, and `c` as before, where it leaves the product to the general one. */
static bool multiply_fast(const Matrix *matrix, Tile a, Tile b, Tile c)
{
    const MatrixShape *shape = &matrix->shape;
    static LaneWords of_a, of_b, of_c, before;
    const uint32_t *words[3][MATRIX_REGISTERS];
    uint32_t *d[MATRIX_REGISTERS];
    move_fragment(shape, MATRIX_A, matrix->a, a, of_a, false);
    move_fragment(shape, MATRIX_B, matrix->b, b, of_b, false);
    move_fragment(shape, MATRIX_SUM, matrix->c, c, of_c, false);
    memcpy(before, of_c, sizeof before);
    for (int i = 0; i < MATRIX_REGISTERS; i++) {
        words[0][i] = of_a[i];
        words[1][i] = of_b[i];
        words[2][i] = d[i] = of_c[i];
    }
    if (!matrix_multiply_lanes(matrix, words[0], words[1], words[2], d)) {
        assert_memory_equal(of_c, before, sizeof before);
        return false;
    }
    move_fragment(shape, MATRIX_SUM, matrix->c, c, of_c, true);
    return true;
}

static uint32_t random_bits(void)
{
    static uint64_t numbers = 1;
    numbers = numbers * 6364136223846793005 + 1442695040888963407;
    return (uint32_t)(numbers >> 32);
}

static uint32_t random_sign(uint32_t bits, int at)
{
    return bits | (random_bits() & 1) << at;
}

/* Has biased exponents from `least` to `most`, of which 0 is that of zeros and subnormal numbers; one in `zeros` is 0. */
static uint32_t random_half(uint32_t least, uint32_t most, uint32_t zeros)
{
    uint32_t magnitude = (least + random_bits() % (most - least + 1)) << 10 | random_bits() % 1024;
    return random_sign(random_bits() % zeros == 0 ? 0 : magnitude, 15);
}
static uint32_t random_float(uint32_t least, uint32_t most, uint32_t zeros)
{
    uint32_t magnitude = (least + random_bits() % (most - least + 1)) << 23 | random_bits() % (1 << 23);
    return random_sign(random_bits() % zeros == 0 ? 0 : magnitude, 31);
}

/* Another type: exponents as far from that of 1 as those of halves; subnormal where they are. */
static uint64_t random_number(MatrixType type, uint32_t least, uint32_t most, uint32_t zeros)
{
    if (type == MATRIX_F16)
        return random_half(least, most, zeros);
    uint32_t bits = most == 0 ? random_float(0, 0, zeros) : random_float(least + 127 - 15, most + 127 - 15, zeros);
    return type == MATRIX_BF16 ? bits >> 16 : bits;
}

static void fill(MatrixType type, Tile tile, int rows, uint32_t least, uint32_t most, uint32_t zeros)
{
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < DEPTH; k++)
            tile[i][k] = random_number(type, least, most, zeros);
}

static void floats_multiply_to_the_same_bits(void **state)
{
    enum { ROUNDS = 50 };
    static const struct {
        const char *what;
        uint32_t least, most, zeros, least_sum, most_sum, zero_sums; /* biased exponents; one in so many is 0 */
    } rows[] = {
        {"alike", 13, 16, 1000, 126, 129, 1000},
        {"any halves", 0, 30, 50, 100, 150, 50},
        {"sums that outweigh all products", 0, 30, 50, 160, 227, 50},
        {"sums far below all products", 20, 30, 50, 27, 80, 50},
        {"subnormal numbers", 0, 0, 50, 60, 110, 3},
        {"subnormal sums", 10, 20, 50, 0, 0, 50},
        {"mostly zeros", 0, 30, 1, 30, 220, 2},
        {"a few products", 0, 30, 2, 70, 160, 2},
        {"nothing but zeros", 0, 0, 1, 0, 0, 1},
    };
    static const Matrix kinds[] = {
        {.a = MATRIX_F16, .shape = {16, 8, 16}, .k_together = 16},
        {.a = MATRIX_F16, .shape = {16, 8, 8}, .k_together = 8},
        {.a = MATRIX_F16, .shape = {16, 16, 16}, .k_together = 16},
        {.a = MATRIX_F16, .shape = {32, 8, 16}, .k_together = 16},
        {.a = MATRIX_BF16, .shape = {16, 8, 16}, .k_together = 16},
        {.a = MATRIX_TF32, .shape = {16, 8, 4}, .k_together = 4},
        {.a = MATRIX_TF32, .shape = {16, 8, 8}, .k_together = 8},
        {.a = MATRIX_TF32, .shape = {16, 16, 8}, .k_together = 4},
    };
    static Tile a, b, c, fast;
    for (size_t row = 0; row < COUNT_OF(rows); row++)
        for (size_t round = 0; round < ROUNDS * COUNT_OF(kinds); round++) {
            Matrix matrix = kinds[round / ROUNDS];
            matrix.b = matrix.a;
            matrix.c = matrix.d = MATRIX_F32;
            matrix_lay_out(&matrix);
            if (round % 2 == 0) /* each A is multiplied by two B, one after the other */
                fill(matrix.a, a, matrix.shape.m, rows[row].least, rows[row].most, rows[row].zeros);
            fill(matrix.b, b, matrix.shape.n, rows[row].least, rows[row].most, rows[row].zeros);
            for (int i = 0; i < matrix.shape.m; i++)
                for (int j = 0; j < matrix.shape.n; j++)
                    c[i][j] = random_float(rows[row].least_sum, rows[row].most_sum, rows[row].zero_sums);
            memcpy(fast, c, sizeof c);
            /* Products of subnormal numbers with float32's exponents are too small, unless the sum outweighs them. */
            bool may_be_general = matrix.a != MATRIX_F16 && rows[row].most == 0;
            matrix_multiply(&matrix, a, b, c);
            if (!multiply_fast(&matrix, a, b, fast)) {
                if (!may_be_general)
                    fail_test("%s, type %d: left to the general way", rows[row].what, matrix.a);
                memcpy(fast, c, sizeof c);
            }
            for (int i = 0; i < matrix.shape.m; i++)
                for (int j = 0; j < matrix.shape.n; j++)
                    if (fast[i][j] != c[i][j])
                        fail_test("%s, type %d, k = %d: (%d, %d) is %08llx, expected %08llx", rows[row].what, matrix.a,
                                  matrix.shape.k, i, j, (unsigned long long)fast[i][j], (unsigned long long)c[i][j]);
        }
}

/* All numbers are 1 but for one. */
static void expect_general(const Matrix *matrix, Tile a, Tile b, Tile c, uint64_t *one, uint64_t value)
{
    for (int i = 0; i < MATRIX_MOST; i++)
        for (int j = 0; j < MATRIX_MOST; j++) {
            a[i][j] = b[i][j] = matrix->a == MATRIX_F16 ? 0x3C00 : 0x3F800000;
            c[i][j] = 0x3F800000;
        }
    *one = value;
    if (multiply_fast(matrix, a, b, c) || multiply_fast(matrix, a, b, c)) /* and so it is when the same A comes again */
        fail_test("%llx: not left to the general way", (unsigned long long)value);
}

static void what_is_no_plain_product_is_left_to_the_general_way(void **state)
{
    static Tile a, b, c;
    const uint32_t large = (127 + 101) << 23, negative = 1u << 31;
    const uint64_t halves[] = {INFINITE_HALF, INFINITE_HALF | 0x8000, NAN_OF_HALF};
    const uint64_t floats[] = {INFINITE_FLOAT, INFINITE_FLOAT | negative, NAN_OF_FLOAT, large, large | negative};
    Matrix matrix = product_of(DEPTH);
    for (size_t i = 0; i < COUNT_OF(halves); i++) {
        expect_general(&matrix, a, b, c, &a[ROWS - 1][DEPTH - 1], halves[i]);
        expect_general(&matrix, a, b, c, &b[COLUMNS - 1][DEPTH - 1], halves[i]);
    }
    for (size_t i = 0; i < COUNT_OF(floats); i++)
        expect_general(&matrix, a, b, c, &c[ROWS - 1][COLUMNS - 1], floats[i]);
    matrix = product_of(8);
    matrix.a = matrix.b = MATRIX_TF32;
    for (size_t i = 0; i < COUNT_OF(floats); i++)
        expect_general(&matrix, a, b, c, &a[ROWS - 1][0], floats[i]);
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < DEPTH; k++)
            a[i][k] = INFINITE_FLOAT | negative;
    memset(b, 0, sizeof b); /* the products are NaN, and have the exponents of zeros */
    assert_false(multiply_fast(&matrix, a, b, c));
    matrix = product_of(DEPTH);
    matrix.c = matrix.d = MATRIX_F16;
    expect_general(&matrix, a, b, c, &c[0][0], 0);
    matrix = product_of(DEPTH);
    matrix.shape.m = 8;
    matrix.shape.n = 32; /* computed as the transposed product */
    expect_general(&matrix, a, b, c, &c[0][0], 0);
}

/* A row of zeros leaves a sum by itself. */
static void sums_too_small_are_left_to_the_general_way(void **state)
{
    static Tile a, b, c;
    const Matrix matrix = product_of(DEPTH);
    c[3][5] = (127 - 100) << 23;
    assert_true(multiply_fast(&matrix, a, b, c));
    assert_int_equal(c[3][5], (127 - 100) << 23);
    c[3][5] = (127 - 101) << 23;
    assert_false(multiply_fast(&matrix, a, b, c));
    assert_int_equal(c[3][5], (127 - 101) << 23);
}

/* All terms are as large as their exponents allow, so that the sum before it is cut off has more bits than a word. */
static void the_largest_sums_are_right(void **state)
{
    static Tile a, b, c, expected;
    const Matrix matrix = product_of(DEPTH);
    for (uint32_t sign = 0; sign < 2; sign++) {
        for (int i = 0; i < ROWS; i++)
            for (int k = 0; k < DEPTH; k++) {
                a[i][k] = 0x3FFF | sign << 15;
                b[i][k] = 0x3FFF;
                c[i][k] = 0x3FFFFFFF | sign << 31;
            }
        memcpy(expected, c, sizeof c);
        matrix_multiply(&matrix, a, b, expected);
        if (!multiply_fast(&matrix, a, b, c)) /* as it may */
            matrix_multiply(&matrix, a, b, c);
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < COLUMNS; j++)
                assert_int_equal(c[i][j], expected[i][j]);
        assert_true(fabs(f32_from((uint32_t)c[0][0])) > 65);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floats_multiply_to_the_same_bits),
        cmocka_unit_test(what_is_no_plain_product_is_left_to_the_general_way),
        cmocka_unit_test(sums_too_small_are_left_to_the_general_way),
        cmocka_unit_test(the_largest_sums_are_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
