#include "grader/check/tests/checker_bench.h"

/* ---- one plane --------------------------------------------------------------------------------------------------- */

typedef struct Mistake {
    const char *name;
    void (*make)(Bench *bench);
    WrongNature nature;
} Mistake;

static void compute_with(Bench *bench, const float w[9])
{
    float own[9];
    memcpy(own, bench->w, sizeof own);
    memcpy(bench->w, w, sizeof own);
    fill_right(bench);
    memcpy(bench->w, own, sizeof own);
}

static void use_a_filter_upside_down(Bench *bench)
{
    const float *w = bench->w;
    compute_with(bench, (float[]){w[6], w[7], w[8], w[3], w[4], w[5], w[0], w[1], w[2]});
}

static void use_a_filter_from_right_to_left(Bench *bench)
{
    const float *w = bench->w;
    compute_with(bench, (float[]){w[2], w[1], w[0], w[5], w[4], w[3], w[8], w[7], w[6]});
}

static const float of_case_before[] = {0.1f, 8, 7, 6, -5, 4, 3, 2, 1}; /* the filter of the bench, flipped */

static void use_the_filter_of_the_case_before(Bench *bench)
{
    compute_with(bench, of_case_before);
}

static void use_a_filter_by_columns(Bench *bench)
{
    const float *w = bench->w;
    compute_with(bench, (float[]){w[0], w[3], w[6], w[1], w[4], w[7], w[2], w[5], w[8]});
}

static void write_by_columns(Bench *bench)
{
    float *turned = malloc(bench->count * sizeof *turned);
    for (size_t i = 0; i < bench->count; i++)
        turned[i % bench->cols * bench->rows + i / bench->cols] = bench->y[i];
    memcpy(bench->y, turned, bench->count * sizeof *turned);
    free(turned);
}

static void mix_up_rows_and_columns(Bench *bench)
{
    size_t rows = bench->rows;
    bench->rows = bench->cols;
    bench->cols = rows;
    fill_right(bench);
}

static void leave_out_the_last_column_of_taps(Bench *bench)
{
    const float *w = bench->w;
    compute_with(bench, (float[]){w[0], w[1], 0, w[3], w[4], 0, w[6], w[7], 0});
}

static void begin_with_the_second_row_of_taps(Bench *bench)
{
    const float *w = bench->w;
    compute_with(bench, (float[]){0, 0, 0, w[3], w[4], w[5], w[6], w[7], w[8]});
}

static void leave_out_the_last_row_and_column_of_taps(Bench *bench)
{
    const float *w = bench->w;
    compute_with(bench, (float[]){w[0], w[1], 0, w[3], w[4], 0, 0, 0, 0});
}

static void take_the_middle_column_of_taps_alone(Bench *bench)
{
    const float *w = bench->w;
    compute_with(bench, (float[]){0, w[1], 0, 0, w[4], 0, 0, w[7], 0});
}

/* What comes of the first row and column does not matter: -3. */
static void centre_the_filter(Bench *bench)
{
    float *right = malloc(bench->count * sizeof *right);
    memcpy(right, bench->y, bench->count * sizeof *right);
    for (size_t i = 0; i < bench->count; i++) {
        const size_t row = i / bench->cols, col = i % bench->cols;
        bench->y[i] = row > 0 && col > 0 ? right[i - bench->cols - 1] : -3;
    }
    free(right);
}

/* As where the statement centres the filter and solve() does not. */
static void begin_the_filter_at_the_output(Bench *bench)
{
    for (size_t i = 0; i < bench->count; i++)
        bench->y[i] = i / bench->cols + 1 < bench->rows && i % bench->cols + 1 < bench->cols
                          ? bench->y[i + bench->cols + 1]
                          : -3;
}

static void square_the_first_tap(Bench *bench)
{
    const float *w = bench->w;
    compute_with(bench, (float[]){9, w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8]});
}

static const Mistake mistakes[] = {
    {"upside down", use_a_filter_upside_down, WRONG_NATURE_FLIPPED},
    {"from right to left", use_a_filter_from_right_to_left, WRONG_NATURE_FLIPPED},
    {"by columns", use_a_filter_by_columns, WRONG_NATURE_FILTER_TURNED},
    {"output by columns", write_by_columns, WRONG_NATURE_TRANSPOSED},
    {"rows and columns", mix_up_rows_and_columns, WRONG_NATURE_TRANSPOSED},
    {"no last column", leave_out_the_last_column_of_taps, WRONG_NATURE_CUT_OFF},
    {"no first row", begin_with_the_second_row_of_taps, WRONG_NATURE_CUT_OFF},
    {"no last row and column", leave_out_the_last_row_and_column_of_taps, WRONG_NATURE_CUT_OFF},
    {"the middle column", take_the_middle_column_of_taps_alone, WRONG_NATURE_CUT_OFF},
    {"centred", centre_the_filter, WRONG_NATURE_MOVED},
    {"not centred", begin_the_filter_at_the_output, WRONG_NATURE_MOVED},
    {"another tap", square_the_first_tap, WRONG_NATURE_UNKNOWN},
};

static WrongNature nature_of(Bench *bench, const void *const *previous)
{
    const void *inputs[PROBLEM_MAX_PARAMETERS] = {bench->x, bench->w};
    Comparison comparison;
    Message why = {0};
    if (checker_compare(&bench->problem, bench->testcase, bench->oracle, inputs, previous, bench->y, POISON,
                        &comparison, &why) != STATUS_OK)
        fail_test("%s", why.text);
    assert_true(comparison.wrong > 0);
    return comparison.kind.nature;
}

static void mistakes_of_order_are_recognised(void **state)
{
    for (size_t i = 0; i < COUNT_OF(mistakes); i++) {
        Bench bench;
        bench_open(&bench, 30, 50);
        mistakes[i].make(&bench);
        WrongNature nature = nature_of(&bench, NULL);
        if (nature != mistakes[i].nature)
            fail_test("%s: \"%s\"", mistakes[i].name, wrong_nature_words(nature));
        bench_close(&bench);
    }
}

/* A move of the output would leave one of its four elements to compare. */
static void a_filter_that_is_centred_is_recognised_in_a_small_sample(void **state)
{
    Bench bench;
    bench_open(&bench, 2, 2);
    float *own = bench.x;
    bench.x = calloc(16, sizeof *bench.x);
    for (size_t i = 0; i < 9; i++)
        bench.x[5 + i / 3 * 4 + i % 3] = own[i / 3 * 4 + i % 3];
    fill_right(&bench);
    free(bench.x);
    bench.x = own;
    assert_int_equal(nature_of(&bench, NULL), WRONG_NATURE_MOVED);
    bench_close(&bench);
}

/* In an image whose elements are all 1, a filter that is centred does the same as a loop that leaves out the first row and
 * column of the image. */
static void a_filter_that_is_centred_is_not_called_cut_off(void **state)
{
    Bench bench;
    bench_open(&bench, 2, 2);
    for (size_t i = 0; i < 16; i++)
        bench.x[i] = i / 4 > 0 && i % 4 > 0 ? 1 : 0;
    fill_right(&bench);
    for (size_t i = 0; i < 16; i++)
        bench.x[i] = 1;
    assert_int_equal(nature_of(&bench, NULL), WRONG_NATURE_MOVED);
    bench_close(&bench);
}

static void a_filter_of_the_case_before_is_not_called_flipped(void **state)
{
    const void *previous[PROBLEM_MAX_PARAMETERS] = {NULL, of_case_before};
    Bench bench;
    bench_open(&bench, 30, 50);
    use_the_filter_of_the_case_before(&bench);
    assert_int_equal(nature_of(&bench, NULL), WRONG_NATURE_FLIPPED);
    assert_int_equal(nature_of(&bench, previous), WRONG_NATURE_STALE);
    use_a_filter_upside_down(&bench);
    assert_int_equal(nature_of(&bench, previous), WRONG_NATURE_FLIPPED);
    bench_close(&bench);
}

static void a_filter_that_is_a_multiple_of_the_last_one_is_called_stale(void **state)
{
    float twice[9];
    const void *previous[PROBLEM_MAX_PARAMETERS] = {NULL, twice};
    Bench bench;
    bench_open(&bench, 30, 50);
    for (size_t i = 0; i < 9; i++)
        twice[i] = 2 * bench.w[i];
    compute_with(&bench, twice);
    assert_int_equal(nature_of(&bench, NULL), WRONG_NATURE_FACTOR);
    assert_int_equal(nature_of(&bench, previous), WRONG_NATURE_STALE);
    bench_close(&bench);
}

static void a_filter_that_is_not_used_is_not_called_stale(void **state)
{
    static const float zeros[9] = {0};
    const void *previous[PROBLEM_MAX_PARAMETERS] = {NULL, zeros};
    Bench bench;
    bench_open(&bench, 30, 50);
    compute_with(&bench, zeros);
    assert_int_not_equal(nature_of(&bench, previous), WRONG_NATURE_STALE);
    bench_close(&bench);
}

/* ---- pixels of four bytes ---------------------------------------------------------------------------------------- */

enum { PIXEL_ROWS = 6, PIXEL_COLS = 10, PIXELS = PIXEL_ROWS * PIXEL_COLS };

static const char pixel_problem[] =
    "{\"schema\": 1, \"id\": \"pixels\", \"title\": \"Filter\", \"difficulty\": \"easy\",\n"
    "\"signature\": \"void solve(const unsigned char* x, unsigned char* y, int rows, int cols)\",\n"
    "\"parameters\": [{\"name\": \"x\", \"role\": \"in\", \"shape\": [\"rows\", \"4 * cols\"]},\n"
    "{\"name\": \"y\", \"role\": \"out\", \"shape\": [\"rows\", \"4 * cols\"]},\n"
    "{\"name\": \"rows\", \"role\": \"size\", \"min\": 1, \"max\": 9000},\n"
    "{\"name\": \"cols\", \"role\": \"size\", \"min\": 1, \"max\": 9000}],\n"
    "\"constraints\": [], \"operations\": \"rows * cols\", \"bytes\": \"8 * rows * cols\",\n"
    "\"tolerance\": {\"levels\": 1, \"why\": \"rounding\"},\n"
    "\"limits\": {\"device_mebibytes\": 10, \"host_mebibytes\": 20, \"host_seconds\": 5, \"wall_seconds\": 5,\n"
    " \"sim_warp_instructions\": 1000, \"source_bytes\": 1024},\n"
    "\"rules\": {\"kernel_must_write_output\": true},\n"
    "\"timing\": {\"blocks\": 3, \"warm_up_calls\": 0, \"timed_calls\": 100}}\n";

/* The negative, so that no missing input is told by an output of 0. */
static const char pixel_oracle[] = "ORACLE Sum oracle(const Case *c, long row, long col)\n"
                                   "{\n"
                                   "    return sum_add(SUM_ZERO, 255 - at(c->x, row * 4 * c->cols + col), 1);\n"
                                   "}\n";

static const char pixel_cases[] = "{\"schema\": 1, \"cases\": [{\"name\": \"a\", \"why\": \"b\","
                                  " \"sizes\": {\"rows\": 6, \"cols\": 10},"
                                  " \"inputs\": {\"x\": {\"generator\": \"integers\", \"low\": 0, \"high\": 255}}}]}";

/* The place of a byte of a pixel, as different libraries have it. */
static size_t red_for_blue(size_t pixel, size_t channel)
{
    return 4 * pixel + (channel == 3 ? 3 : 2 - channel);
}
static size_t last_channel_first(size_t pixel, size_t channel)
{
    return 4 * pixel + 3 - channel;
}
static size_t alpha_first(size_t pixel, size_t channel)
{
    return 4 * pixel + (channel + 1) % 4;
}
static size_t in_planes(size_t pixel, size_t channel)
{
    return channel * PIXELS + pixel;
}

typedef struct PixelBench {
    Problem problem;
    TestcaseSet set;
    Oracle *oracle;
    unsigned char x[4 * PIXELS], y[4 * PIXELS];
} PixelBench;

static void pixels_open(PixelBench *bench)
{
    Message why = {0};
    home_write("problems/pixels/problem.json", pixel_problem);
    home_write("problems/pixels/oracle.h", pixel_oracle);
    home_write("testcases/pixels/sample.json", pixel_cases);
    home_write("testcases/pixels/hidden.json", pixel_cases);
    if (problem_read("pixels", &bench->problem, &why) != STATUS_OK ||
        testcases_read(&bench->problem, &bench->set, &why) != STATUS_OK ||
        oracle_open(&bench->problem, &bench->oracle, &why) != STATUS_OK)
        fail_test("%s", why.text);
    testcase_fill(&bench->problem, &bench->set.cases[0], 0, &(GeneratorKey){{1}}, bench->x, sizeof bench->x);
}

static void pixels_close(PixelBench *bench)
{
    oracle_close(bench->oracle);
    testcases_free(&bench->set);
    problem_free(&bench->problem);
}

static Comparison compare_pixels(const PixelBench *bench)
{
    const void *inputs[PROBLEM_MAX_PARAMETERS] = {bench->x};
    Comparison comparison;
    Message why = {0};
    if (checker_compare(&bench->problem, &bench->set.cases[0], bench->oracle, inputs, NULL, bench->y, POISON,
                        &comparison, &why) != STATUS_OK)
        fail_test("%s", why.text);
    return comparison;
}

static void channels_in_another_order_are_recognised(void **state)
{
    size_t (*const orders[])(size_t, size_t) = {red_for_blue, last_channel_first, alpha_first, in_planes};
    PixelBench bench;
    pixels_open(&bench);
    for (size_t i = 0; i < COUNT_OF(orders); i++) {
        for (size_t j = 0; j < sizeof bench.x; j++)
            bench.y[orders[i](j / 4, j % 4)] = 255 - bench.x[j];
        const Comparison comparison = compare_pixels(&bench);
        if (comparison.kind.nature != WRONG_NATURE_CHANNELS)
            fail_test("order %zu: %s", i, comparison.text);
    }
    pixels_close(&bench);
}

/* So many parts are tried that one of them explains two elements by chance. */
static void a_channel_that_is_left_out_is_recognised_from_three_wrong_elements_on(void **state)
{
    enum { ALPHA = 3 };
    PixelBench bench;
    pixels_open(&bench);
    for (size_t i = 0; i < PIXELS; i++)
        bench.x[4 * i + ALPHA] = 0;
    for (size_t i = 0; i < sizeof bench.y; i++)
        bench.y[i] = 255 - bench.x[i];
    for (size_t wrong = 1; wrong <= 4; wrong++) {
        bench.x[4 * (13 * wrong) + ALPHA] = 200;
        const Comparison comparison = compare_pixels(&bench);
        assert_int_equal(comparison.wrong, wrong);
        assert_int_equal(comparison.kind.nature, wrong < 3 ? WRONG_NATURE_UNKNOWN : WRONG_NATURE_CUT_OFF);
    }
    pixels_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mistakes_of_order_are_recognised),
        cmocka_unit_test(a_filter_that_is_centred_is_recognised_in_a_small_sample),
        cmocka_unit_test(a_filter_that_is_centred_is_not_called_cut_off),
        cmocka_unit_test(a_filter_of_the_case_before_is_not_called_flipped),
        cmocka_unit_test(a_filter_that_is_a_multiple_of_the_last_one_is_called_stale),
        cmocka_unit_test(a_filter_that_is_not_used_is_not_called_stale),
        cmocka_unit_test(channels_in_another_order_are_recognised),
        cmocka_unit_test(a_channel_that_is_left_out_is_recognised_from_three_wrong_elements_on),
    };
    return cmocka_run_group_tests(tests, make_problem, home_remove);
}
