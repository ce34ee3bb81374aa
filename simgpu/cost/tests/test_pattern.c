#include "base/tests/unit.h"

#include "simgpu/cost/pattern.h"

enum { LANES = 64 };

/* Counted by hand for sectors of 32 bytes and 32 banks of 4 bytes. */
static const struct {
    const char *what;
    int32_t row, row_step, step; /* lane i is at (i / row) * row_step + (i % row) * step */
    uint32_t bytes;
    uint64_t first;
    PatternKind kind;
    uint32_t sectors, wavefronts, distinct, lines; /* of two warps */
} patterns[] = {
    {"neighbours", 64, 0, 4, 4, 0, PATTERN_STRIDED, 8, 2, 64, 2},
    {"neighbours, not at a sector's start", 64, 0, 4, 4, 16, PATTERN_STRIDED, 10, 2, 64, 2},
    {"all the same", 64, 0, 0, 4, 0, PATTERN_STRIDED, 2, 2, 2, 2},
    {"every second", 64, 0, 8, 4, 0, PATTERN_STRIDED, 16, 4, 64, 4},
    {"one column of a matrix", 64, 0, 128, 4, 0, PATTERN_STRIDED, 64, 64, 64, 64},
    {"a padded column", 64, 0, 132, 4, 0, PATTERN_STRIDED, 64, 2, 64, 64},
    {"downwards", 64, 0, -4, 4, 28, PATTERN_STRIDED, 8, 2, 64, 4},
    {"bytes", 64, 0, 1, 1, 0, PATTERN_STRIDED, 2, 2, 16, 2},
    {"double", 64, 0, 8, 8, 0, PATTERN_STRIDED, 16, 4, 64, 4},
    {"float4", 64, 0, 16, 16, 0, PATTERN_STRIDED, 32, 8, 64, 8},
    {"one float4", 64, 0, 0, 16, 0, PATTERN_STRIDED, 2, 4, 2, 2},
    {"one double", 64, 0, 0, 8, 0, PATTERN_STRIDED, 2, 2, 2, 2},
    {"float4, each for two lanes", 2, 16, 0, 16, 0, PATTERN_SCATTERED, 16, 4, 32, 4},
    {"float4, each for four lanes", 4, 16, 0, 16, 0, PATTERN_RUNS, 8, 4, 16, 2},
    {"float4, each for eight lanes", 8, 16, 0, 16, 0, PATTERN_RUNS, 4, 4, 8, 2},
    {"float4, the same four for each eight lanes", 8, 0, 16, 16, 0, PATTERN_RUNS, 8, 8, 16, 2},
    {"double, each for two lanes", 2, 8, 0, 8, 0, PATTERN_SCATTERED, 8, 2, 32, 2},
    {"double, each for two lanes, in one bank", 2, 128, 0, 8, 0, PATTERN_SCATTERED, 32, 32, 32, 32},
    {"rows of 16", 16, 4096, 4, 4, 0, PATTERN_RUNS, 8, 4, 64, 4},
    {"rows of 16, banks apart", 16, 4096 + 64, 4, 4, 0, PATTERN_RUNS, 8, 2, 64, 4},
    {"rows of 16 that read one each", 16, 4096, 0, 4, 0, PATTERN_RUNS, 4, 4, 4, 4},
    {"pairs", 2, 1000, 4, 4, 0, PATTERN_SCATTERED, 32, 0, 64, 32},
};

static void place(size_t i, uint64_t *addresses)
{
    for (int lane = 0; lane < LANES; lane++)
        addresses[lane] = patterns[i].first + (uint64_t)(int64_t)((lane / patterns[i].row) * patterns[i].row_step +
                                                                  (lane % patterns[i].row) * patterns[i].step);
}

static void check(size_t i, const char *what, uint32_t got, uint32_t expected)
{
    if (got != expected)
        fail_test("%s: %u %s, expected %u", patterns[i].what, got, what, expected);
}

static void patterns_cost_what_hardware_counts(void **state)
{
    Pattern pattern;
    pattern_new(&pattern, LANES);
    for (size_t i = 0; i < COUNT_OF(patterns); i++) {
        uint64_t addresses[LANES];
        place(i, addresses);
        assert_true(pattern_set(&pattern, addresses, 0, LANES, NULL));
        check(i, "is the kind", pattern.kind, patterns[i].kind);
        check(i, "sectors", pattern_sectors(&pattern, NULL, patterns[i].first, patterns[i].bytes), patterns[i].sectors);
        if (patterns[i].wavefronts != 0)
            check(i, "wavefronts", pattern_wavefronts(&pattern, NULL, patterns[i].first, patterns[i].bytes),
                  patterns[i].wavefronts);
        check(i, "words", pattern_distinct(&pattern, NULL), patterns[i].distinct);
        check(i, "lines", pattern_lines(&pattern, NULL), patterns[i].lines);
    }
    pattern_free(&pattern);
}

/* Cycles that an H200 takes for a warp's load from its L1, rounded (simgpu/calibrate, accesses). In the last two, a
 * quarter of a warp goes through at a time. */
static void loads_take_the_cycles_that_hardware_does(void **state)
{
    static const struct {
        int32_t row, row_step, step;
        uint32_t bytes, cycles;
    } rows[] = {
        {32, 0, 0, 4, 1},     {32, 0, 4, 4, 1},  {16, 1024, 4, 4, 2}, {8, 1024, 4, 4, 4},  {4, 1024, 4, 4, 8},
        {32, 0, 8, 4, 2},     {32, 0, 16, 4, 4}, {32, 0, 32, 4, 8},   {32, 0, 128, 4, 32}, {32, 0, 132, 4, 8},
        {32, 0, 1024, 4, 32}, {32, 0, 8, 8, 2},  {32, 0, 0, 16, 4},   {32, 0, 16, 16, 4},
    };
    Pattern pattern;
    pattern_new(&pattern, LANES);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        uint64_t addresses[LANES];
        for (int lane = 0; lane < LANES; lane++)
            addresses[lane] = (uint64_t)(0x1000 + lane % 32 / rows[i].row * rows[i].row_step +
                                         lane % rows[i].row * rows[i].step);
        assert_true(pattern_set(&pattern, addresses, 0, LANES, NULL));
        assert_int_equal(pattern_load_wavefronts(&pattern, NULL, rows[i].bytes), 2 * rows[i].cycles);
    }
    pattern_free(&pattern);
}

static void a_broadcast_takes_what_a_pattern_of_one_address_does(void **state)
{
    static const uint64_t addresses[32];
    Pattern pattern;
    pattern_new(&pattern, 32);
    for (uint32_t bytes = 1; bytes <= 16; bytes *= 2)
        for (uint32_t lanes = 1; lanes <= 32; lanes++) {
            assert_true(pattern_set(&pattern, addresses, 0, lanes, NULL));
            assert_int_equal(broadcast_load_wavefronts(~0u >> (32 - lanes), bytes),
                             pattern_load_wavefronts(&pattern, NULL, bytes));
        }
    pattern_free(&pattern);
}

static void inactive_lanes_cost_nothing(void **state)
{
    Pattern pattern;
    uint64_t addresses[LANES];
    const uint32_t bits[2] = {0x0000FF01, 0};
    for (int lane = 0; lane < LANES; lane++)
        addresses[lane] = lane == 0 || (lane >= 8 && lane < 16) ? (uint64_t)lane * 4 : 0xBAD00000BAD0;
    pattern_new(&pattern, LANES);
    assert_true(pattern_set(&pattern, addresses, 0, 16, bits));
    assert_int_equal(pattern_sectors(&pattern, bits, 0, 4), 2);
    assert_int_equal(pattern_wavefronts(&pattern, bits, 0, 4), 1);
    assert_int_equal(pattern_distinct(&pattern, bits), 9);
    assert_int_equal(pattern.high, 60);
    pattern_free(&pattern);
}

static void addresses_too_far_apart_make_no_pattern(void **state)
{
    Pattern pattern;
    uint64_t addresses[2] = {0, 1ull << 31};
    pattern_new(&pattern, LANES);
    assert_false(pattern_set(&pattern, addresses, 0, 2, NULL));
    assert_int_equal(pattern.kind, PATTERN_NONE);
    addresses[1]--;
    assert_true(pattern_set(&pattern, addresses, 0, 2, NULL));
    pattern_free(&pattern);
}

/* Two neighbours may lie further apart than a step can say, though each is near enough to the first lane. */
static void no_step_is_too_long_for_its_lanes(void **state)
{
    const int64_t far_away = 3ll << 29;
    Pattern pattern;
    uint64_t addresses[LANES];
    for (int lane = 0; lane < LANES; lane++)
        addresses[lane] = (1ull << 40) + (uint64_t)(4ll * lane + (lane == 31 ? -far_away : lane >= 32 ? far_away : 0));
    pattern_new(&pattern, LANES);
    assert_true(pattern_set(&pattern, addresses, 0, LANES, NULL));
    assert_int_equal(pattern.kind, PATTERN_RUNS);
    for (uint32_t i = 0; i < pattern.run_count; i++)
        for (uint32_t k = 0; k < pattern.runs[i].count; k++)
            assert_true(pattern.relative[pattern.runs[i].lane] + (int64_t)pattern.runs[i].step * k ==
                        (int64_t)(addresses[pattern.runs[i].lane + k] - addresses[0]));
    pattern_free(&pattern);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_step_is_too_long_for_its_lanes),
        cmocka_unit_test(patterns_cost_what_hardware_counts),
        cmocka_unit_test(loads_take_the_cycles_that_hardware_does),
        cmocka_unit_test(a_broadcast_takes_what_a_pattern_of_one_address_does),
        cmocka_unit_test(inactive_lanes_cost_nothing),
        cmocka_unit_test(addresses_too_far_apart_make_no_pattern),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
