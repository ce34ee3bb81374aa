#include "base/tests/unit.h"

#include "grader/check/checker.h"
#include "grader/tests/home.h"
#include "grader/problem/problem_read.h"
#include "grader/problem/testcase_read.h"
#include "grader/problem/testcase_data.h"

#include <math.h>
#include <omp.h>

/* A problem of two dimensions with a filter, and one testcase of it: 40 rows of 60, filter 3 x 3. */
static const char conv_problem[] =
    "{\"schema\": 1, \"id\": \"conv\", \"title\": \"Filter\", \"difficulty\": \"easy\",\n"
    "\"signature\": \"void solve(const float* x, const float* w, float* y, int rows, int cols)\",\n"
    "\"parameters\": [{\"name\": \"x\", \"role\": \"in\", \"shape\": [\"rows + 2\", \"cols + 2\"]},\n"
    "{\"name\": \"w\", \"role\": \"in\", \"shape\": [\"3\", \"3\"]},\n"
    "{\"name\": \"y\", \"role\": \"out\", \"shape\": [\"rows\", \"cols\"]},\n"
    "{\"name\": \"rows\", \"role\": \"size\", \"min\": 1, \"max\": 9000},\n"
    "{\"name\": \"cols\", \"role\": \"size\", \"min\": 1, \"max\": 9000}],\n"
    "\"constraints\": [], \"operations\": \"18 * rows * cols\", \"bytes\": \"8 * rows * cols\",\n"
    "\"tolerance\": {\"sum_factor\": 32, \"max_factor\": 4, \"rms\": 2e-5, \"why\": \"sums\"},\n"
    "\"limits\": {\"device_mebibytes\": 10, \"host_mebibytes\": 20, \"host_seconds\": 5, \"wall_seconds\": 5,\n"
    " \"sim_warp_instructions\": 1000, \"source_bytes\": 1024},\n"
    "\"rules\": {\"kernel_must_write_output\": true},\n"
    "\"timing\": {\"blocks\": 3, \"warm_up_calls\": 0, \"timed_calls\": 100}}\n";

static const char conv_oracle[] =
    "ORACLE Sum oracle(const Case *c, long row, long col)\n"
    "{\n"
    "    Sum sum = SUM_ZERO;\n"
    "    for (int r = 0; r < 3; r++)\n"
    "        for (int s = 0; s < 3; s++)\n"
    "            sum = sum_add(sum, at(c->x, (row + r) * (c->cols + 2) + col + s), c->w[3 * r + s]);\n"
    "    return sum;\n"
    "}\n";

static const char conv_cases[] =
    "{\"schema\": 1, \"cases\": [{\"name\": \"a\", \"why\": \"b\","
    " \"sizes\": {\"rows\": 40, \"cols\": 60},"
    " \"inputs\": {\"x\": {\"generator\": \"uniform\", \"low\": -1, \"high\": 2, \"seed\": 5},"
    " \"w\": {\"values\": [1, 2, 3, 4, -5, 6, 7, 8, 0.1]}}}]}";

enum { POISON = 0x7FC0BEEF };

typedef struct Bench {
    Problem problem;
    TestcaseSet set;
    Testcase *testcase;
    Oracle *oracle;
    float *x, *w, *y; /* y: right, rounded once */
    size_t rows, cols, count;
} Bench;

static int make_problem(void **state)
{
    int status = home_new(state);
    home_write("problems/conv/problem.json", conv_problem);
    home_write("problems/conv/oracle.h", conv_oracle);
    home_write("testcases/conv/sample.json", conv_cases);
    home_write("testcases/conv/hidden.json", conv_cases);
    return status;
}

static void fill_right(Bench *bench)
{
    for (size_t i = 0; i < bench->count; i++) {
        double sum = 0;
        for (size_t r = 0; r < 3; r++)
            for (size_t s = 0; s < 3; s++)
                sum += (double)bench->x[(i / bench->cols + r) * (bench->cols + 2) + i % bench->cols + s] *
                       bench->w[3 * r + s];
        bench->y[i] = (float)sum;
    }
}

static void bench_open(Bench *bench, size_t rows, size_t cols)
{
    Message why = {0};
    *bench = (Bench){.rows = rows, .cols = cols, .count = rows * cols};
    if (problem_read("conv", &bench->problem, &why) != STATUS_OK ||
        testcases_read(&bench->problem, &bench->set, &why) != STATUS_OK ||
        oracle_open(&bench->problem, &bench->oracle, &why) != STATUS_OK)
        fail_test("%s", why.text);
    bench->testcase = &bench->set.cases[0];
    bench->testcase->sizes.values[3] = (int64_t)rows;
    bench->testcase->sizes.values[4] = (int64_t)cols;
    bench->x = malloc((rows + 2) * (cols + 2) * sizeof *bench->x);
    bench->w = malloc(9 * sizeof *bench->w);
    bench->y = malloc(bench->count * sizeof *bench->y);
    testcase_fill(&bench->problem, bench->testcase, 0, 1, bench->x, (rows + 2) * (cols + 2));
    testcase_fill(&bench->problem, bench->testcase, 1, 1, bench->w, 9);
    fill_right(bench);
}

static void bench_close(Bench *bench)
{
    free(bench->x);
    free(bench->w);
    free(bench->y);
    oracle_close(bench->oracle);
    testcases_free(&bench->set);
    problem_free(&bench->problem);
}

static Comparison compare(const Bench *bench)
{
    const void *inputs[PROBLEM_MAX_PARAMETERS] = {bench->x, bench->w};
    Comparison comparison;
    Message why = {0};
    if (checker_compare(&bench->problem, bench->testcase, bench->oracle, inputs, bench->y, POISON, &comparison, &why) !=
        STATUS_OK)
        fail_test("%s", why.text);
    return comparison;
}

/* S of an element, computed here. */
static double magnitude(const Bench *bench, size_t i)
{
    double sum = 0;
    for (size_t r = 0; r < 3; r++)
        for (size_t s = 0; s < 3; s++)
            sum += fabs((double)bench->x[(i / bench->cols + r) * (bench->cols + 2) + i % bench->cols + s] *
                        bench->w[3 * r + s]);
    return sum;
}

static double max_magnitude(const Bench *bench)
{
    double largest = 0;
    for (size_t i = 0; i < bench->count; i++)
        largest = fmax(largest, magnitude(bench, i));
    return largest;
}

static void a_right_output_is_accepted(void **state)
{
    Bench bench;
    bench_open(&bench, 40, 60);
    Comparison comparison = compare(&bench);
    assert_int_equal(comparison.count, 2400);
    assert_int_equal(comparison.wrong, 0);
    assert_false(comparison.rms_exceeded);
    assert_string_equal(comparison.kind, "");
    assert_true(comparison.max_error > 0 && comparison.max_error < comparison.bound / 10);
    assert_true(comparison.mean_error > 0 && comparison.mean_error < comparison.max_error);
    assert_true(comparison.rms > 0 && comparison.rms < 1e-7);
    bench_close(&bench);
}

/* An element just within its bound passes, one just beyond does not. */
static void the_bound_is_that_of_the_formula(void **state)
{
    Bench bench;
    bench_open(&bench, 40, 60);
    size_t i = 17 * 60 + 21;
    double bound = 0x1p-23 * (32 * magnitude(&bench, i) + 4 * max_magnitude(&bench)), right = bench.y[i];
    bench.y[i] = (float)(right + 0.99 * bound);
    assert_int_equal(compare(&bench).wrong, 0);
    bench.y[i] = (float)(right - 1.01 * bound);
    Comparison comparison = compare(&bench);
    assert_int_equal(comparison.wrong, 1);
    assert_int_equal(comparison.first.index, i);
    assert_int_equal(comparison.first.position[0], 17);
    assert_int_equal(comparison.first.position[1], 21);
    assert_true(fabs(comparison.bound - bound) < 1e-12 * bound);
    assert_true(comparison.first.got == bench.y[i]);
    assert_true(fabs(comparison.first.expected - right) < 1e-5);
    bench_close(&bench);
}

static void the_first_and_the_worst_are_told_apart(void **state)
{
    Bench bench;
    bench_open(&bench, 40, 60);
    bench.y[100] += 1;
    bench.y[200] -= 30;
    bench.y[300] += 2;
    Comparison comparison = compare(&bench);
    assert_int_equal(comparison.wrong, 3);
    assert_int_equal(comparison.first.index, 100);
    assert_int_equal(comparison.worst.index, 200);
    assert_true(fabs(comparison.max_error - 30) < 1e-4);
    bench_close(&bench);
}

static void no_number_and_infinity_never_pass(void **state)
{
    static const float values[] = {NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < COUNT_OF(values); i++) {
        Bench bench;
        bench_open(&bench, 40, 60);
        bench.problem.tolerance.sum_factor = 1e6;
        bench.y[2399] = values[i];
        Comparison comparison = compare(&bench);
        assert_int_equal(comparison.wrong, 1);
        assert_int_equal(comparison.worst.index, 2399);
        assert_true(i == 0 ? isnan(comparison.max_error) : isinf(comparison.max_error));
        assert_true(isfinite(comparison.mean_error));
        bench_close(&bench);
    }
}

static void an_output_of_poison_is_all_wrong(void **state)
{
    Bench bench;
    const uint32_t poison = POISON;
    bench_open(&bench, 40, 60);
    for (size_t i = 0; i < bench.count; i++)
        memcpy(&bench.y[i], &poison, sizeof poison);
    Comparison comparison = compare(&bench);
    assert_int_equal(comparison.wrong, 2400);
    assert_true(isnan(comparison.mean_error));
    assert_string_equal(comparison.kind, "every element: never written");
    bench_close(&bench);
}

static void too_little_precision_all_over_fails_by_rms(void **state)
{
    Bench bench;
    bench_open(&bench, 40, 60);
    for (size_t i = 0; i < bench.count; i++)
        bench.y[i] *= 1 + (i % 2 ? 1e-4f : -1e-4f);
    bench.problem.tolerance.sum_factor = 10000; /* no element alone exceeds its bound */
    Comparison comparison = compare(&bench);
    assert_int_equal(comparison.wrong, 0);
    assert_true(comparison.rms_exceeded);
    assert_true(fabs(comparison.rms - 1e-4) < 1e-6);
    assert_string_equal(comparison.kind, "small errors everywhere: too little precision");
    bench.problem.tolerance.rms = 0;
    assert_false(compare(&bench).rms_exceeded);
    bench_close(&bench);
}

static void literal_expected_values_come_before_the_oracle(void **state)
{
    Bench bench;
    bench_open(&bench, 40, 60);
    float *literal = malloc(bench.count * sizeof *literal);
    memcpy(literal, bench.y, bench.count * sizeof *literal);
    literal[5] += 1;
    bench.testcase->expected = (Tensor){ELEMENT_FLOAT32, 2, {40, 60}, literal};
    Comparison comparison = compare(&bench);
    assert_int_equal(comparison.wrong, 1);
    assert_int_equal(comparison.first.index, 5);
    assert_true(comparison.first.expected == literal[5]);
    bench_close(&bench);
}

static void all_zero_inputs_want_all_zero_outputs(void **state)
{
    Bench bench;
    bench_open(&bench, 40, 60);
    memset(bench.x, 0, 42 * 62 * sizeof *bench.x);
    memset(bench.y, 0, bench.count * sizeof *bench.y);
    bench.y[7] = -0.0f;
    Comparison comparison = compare(&bench);
    assert_int_equal(comparison.wrong, 0);
    assert_false(comparison.rms_exceeded);
    bench.y[7] = 1e-30f;
    comparison = compare(&bench);
    assert_int_equal(comparison.wrong, 1);
    assert_int_equal(comparison.worst.index, 7);
    bench_close(&bench);
}

/* --- kinds of mistake --------------------------------------------------------------------------------------------- */

typedef enum Place {
    EVERYWHERE,
    NEARLY_ALL,
    LAST_COLUMNS,
    FIRST_ROW,
    LAST_ROWS,
    CORNER,
    BORDER,
    EVERY_4TH,
    EVERY_7TH_COLUMN,
    ALL_BUT_3RD,
    TAIL,
    ONE,
    FIRST,
    ONE_COLUMN,
    TILE_EDGES,
    SCATTERED
} Place;

static bool is_hit(Place place, size_t row, size_t col)
{
    size_t i = row * 60 + col;
    switch (place) {
    case EVERYWHERE: return true;
    case LAST_COLUMNS: return col >= 57;
    case FIRST_ROW: return row == 0;
    case LAST_ROWS: return row >= 32;
    case CORNER: return row >= 38 && col < 2;
    case BORDER: return row < 1 || row >= 39 || col < 1 || col >= 59;
    case EVERY_4TH: return i % 4 == 1;
    case EVERY_7TH_COLUMN: return col % 7 == 3;
    case ALL_BUT_3RD: return i % 3 != 2;
    case TAIL: return i >= 1000;
    case ONE: return i == 1234;
    case FIRST: return i == 0;
    case ONE_COLUMN: return col == 30;
    case TILE_EDGES: return col % 16 >= 14;
    case SCATTERED: return (i * 2654435761u >> 7) % 13 == 0;
    case NEARLY_ALL: return (i * 2654435761u >> 7) % 113 != 0;
    }
    return false;
}

typedef enum Mistake {
    OFF,
    POISONED,
    NOT_A_NUMBER,
    INFINITE,
    ZERO,
    DOUBLED,
    AFTER,
    BEFORE,
    IMPRECISE,
    FLIPPED
} Mistake;

static float mistaken(const Bench *right, const Bench *flipped, Mistake mistake, size_t i)
{
    const uint32_t poison = POISON;
    float value = right->y[i];
    switch (mistake) {
    case OFF: return value + 0.5f + (float)(i * 2654435761u % 1000) * 0.001f;
    case POISONED: memcpy(&value, &poison, sizeof value); return value;
    case NOT_A_NUMBER: return NAN;
    case INFINITE: return INFINITY;
    case ZERO: return 0;
    case DOUBLED: return 2 * value;
    case AFTER: return right->y[i + 1 < right->count ? i + 1 : i];
    case BEFORE: return right->y[i > 0 ? i - 1 : i];
    case IMPRECISE: return value + (i % 2 ? 3e-3f : -3e-3f);
    case FLIPPED: return flipped->y[i];
    }
    return value;
}

static const struct {
    Place place;
    Mistake mistake;
    const char *kind;
} kinds[] = {
    {EVERYWHERE, OFF, "every element"},
    {EVERYWHERE, ZERO, "every element: zero"},
    {EVERYWHERE, NOT_A_NUMBER, "every element: NaN"},
    {EVERYWHERE, INFINITE, "every element: infinite"},
    {EVERYWHERE, DOUBLED, "every element: off by a constant factor"},
    {EVERYWHERE, FLIPPED, "every element: the filter is flipped"},
    {EVERYWHERE, IMPRECISE, "every element: small errors: too little precision, or small terms left out"},
    {LAST_COLUMNS, POISONED, "the last 3 columns: never written"},
    {LAST_COLUMNS, OFF, "the last 3 columns"},
    {FIRST_ROW, ZERO, "the first row: zero"},
    {LAST_ROWS, POISONED, "the last 8 rows: never written"},
    {CORNER, OFF, "the last 2 rows of the first 2 columns"},
    {BORDER, ZERO, "only the border, 1 deep: zero"},
    {EVERY_4TH, OFF, "every 4th column"}, /* 60 columns: it is also every fourth element */
    {EVERY_7TH_COLUMN, NOT_A_NUMBER, "every 7th column: NaN"},
    {ALL_BUT_3RD, OFF, "all but every 3rd element"},
    {TAIL, POISONED, "all elements after a certain one, in row order: never written"},
    {ONE, OFF, "one element"},
    {FIRST, NOT_A_NUMBER, "the first element: NaN"},
    {ONE_COLUMN, OFF, "one column"},
    {TILE_EDGES, OFF, "some columns of each block of 16"},
    {SCATTERED, OFF, "scattered elements"},
    {NEARLY_ALL, ZERO, "nearly every element: zero"},
};

static void the_kind_of_mistake_is_named(void **state)
{
    Bench bench, right, flipped;
    bench_open(&bench, 40, 60);
    bench_open(&right, 40, 60);
    bench_open(&flipped, 40, 60);
    for (size_t i = 0; i < 9; i++)
        flipped.w[i] = right.w[8 - i];
    fill_right(&flipped);
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        for (size_t j = 0; j < bench.count; j++)
            bench.y[j] = is_hit(kinds[i].place, j / 60, j % 60) ? mistaken(&right, &flipped, kinds[i].mistake, j)
                                                                : right.y[j];
        Comparison comparison = compare(&bench);
        if (strcmp(comparison.kind, kinds[i].kind) != 0)
            fail_test("row %zu: \"%s\" is not \"%s\"", i, comparison.kind, kinds[i].kind);
    }
    bench_close(&bench);
    bench_close(&right);
    bench_close(&flipped);
}

static void a_shift_by_one_is_named(void **state)
{
    static const Mistake shifts[] = {AFTER, BEFORE};
    for (size_t i = 0; i < COUNT_OF(shifts); i++) {
        Bench bench, right;
        bench_open(&bench, 1, 3000);
        bench_open(&right, 1, 3000);
        for (size_t j = 0; j < bench.count; j++)
            bench.y[j] = mistaken(&right, NULL, shifts[i], j);
        Comparison comparison = compare(&bench);
        if (strstr(comparison.kind, ": shifted by one") == NULL)
            fail_test("%s", comparison.kind);
        bench_close(&bench);
        bench_close(&right);
    }
}

/* More than one piece, and more than one thread. */
static void large_outputs_are_compared_in_pieces(void **state)
{
    Bench bench;
    bench_open(&bench, 700, 901);
    Comparison right = compare(&bench);
    assert_int_equal(right.wrong, 0);
    omp_set_num_threads(3);
    Comparison again = compare(&bench);
    assert_memory_equal(&right.mean_error, &again.mean_error, sizeof right.mean_error);
    assert_memory_equal(&right.rms, &again.rms, sizeof right.rms);
    for (size_t row = 0; row < 700; row++)
        bench.y[row * 901 + 900] = 0;
    Comparison wrong = compare(&bench);
    assert_int_equal(wrong.wrong, 700);
    assert_int_equal(wrong.first.position[1], 900);
    assert_string_equal(wrong.kind, "the last column: zero");
    bench_close(&bench);
}

/* --- bytes -------------------------------------------------------------------------------------------------------- */

/* The same problem with bytes as its output. */
static void make_levels(void)
{
    char *bytes = replaced(conv_problem, "float* y", "unsigned char* y");
    char *named = replaced(bytes, "\"id\": \"conv\"", "\"id\": \"levels\"");
    char *text = replaced(named, "{\"sum_factor\": 32, \"max_factor\": 4, \"rms\": 2e-5, \"why\": \"sums\"}",
                          "{\"levels\": 1, \"why\": \"rounding\"}");
    home_write("problems/levels/problem.json", text);
    home_write("problems/levels/oracle.h", conv_oracle);
    home_write("testcases/levels/sample.json", conv_cases);
    home_write("testcases/levels/hidden.json", conv_cases);
    free(bytes);
    free(named);
    free(text);
}

typedef struct LevelsBench {
    Problem problem;
    TestcaseSet set;
    Oracle *oracle;
    float x[42 * 62], w[9];
    uint8_t y[40 * 60];
} LevelsBench;

/* A filter of one tap in the middle: the output is x, whose elements are from -40 to 300 in steps of a quarter. */
static void levels_open(LevelsBench *bench)
{
    Message why = {0};
    *bench = (LevelsBench){.w = {[4] = 1}};
    make_levels();
    if (problem_read("levels", &bench->problem, &why) != STATUS_OK ||
        testcases_read(&bench->problem, &bench->set, &why) != STATUS_OK ||
        oracle_open(&bench->problem, &bench->oracle, &why) != STATUS_OK)
        fail_test("%s", why.text);
    for (size_t i = 0; i < COUNT_OF(bench->x); i++)
        bench->x[i] = -40 + 0.25f * (float)(i * 7919 % 1361);
    for (size_t i = 0; i < COUNT_OF(bench->y); i++)
        bench->y[i] = (uint8_t)fmin(fmax(nearbyint(bench->x[(i / 60 + 1) * 62 + i % 60 + 1]), 0), 255);
}

static void levels_close(LevelsBench *bench)
{
    oracle_close(bench->oracle);
    testcases_free(&bench->set);
    problem_free(&bench->problem);
}

static Comparison compare_levels(const LevelsBench *bench)
{
    const void *inputs[PROBLEM_MAX_PARAMETERS] = {bench->x, bench->w};
    Comparison comparison;
    Message why = {0};
    if (checker_compare(&bench->problem, &bench->set.cases[0], bench->oracle, inputs, bench->y, POISON, &comparison,
                        &why) != STATUS_OK)
        fail_test("%s", why.text);
    return comparison;
}

static void bytes_are_expected_at_the_nearest_level(void **state)
{
    LevelsBench bench;
    levels_open(&bench);
    Comparison comparison = compare_levels(&bench);
    assert_int_equal(comparison.count, 2400);
    assert_int_equal(comparison.wrong, 0);
    assert_true(comparison.max_error == 0 && comparison.mean_error == 0 && comparison.bound == 1);
    levels_close(&bench);
}

static void bytes_may_be_off_by_as_many_levels_as_the_problem_says(void **state)
{
    LevelsBench bench;
    levels_open(&bench);
    for (size_t i = 0; i < COUNT_OF(bench.y); i++)
        bench.y[i] += bench.y[i] < 128 ? 1 : -1;
    Comparison comparison = compare_levels(&bench);
    assert_int_equal(comparison.wrong, 0);
    assert_true(comparison.max_error == 1 && comparison.mean_error == 1);

    bench.y[130] += bench.y[130] < 128 ? 1 : -1;
    comparison = compare_levels(&bench);
    assert_int_equal(comparison.wrong, 1);
    assert_int_equal(comparison.first.index, 130);
    assert_true(comparison.worst.error == 2 && comparison.worst.bound == 1);
    bench.problem.tolerance.levels = 2;
    assert_int_equal(compare_levels(&bench).wrong, 0);
    bench.problem.tolerance.levels = 0;
    assert_int_equal(compare_levels(&bench).wrong, 2400);
    levels_close(&bench);
}

static void mistakes_in_bytes_are_named(void **state)
{
    LevelsBench bench;
    levels_open(&bench);
    for (size_t i = 0; i < COUNT_OF(bench.y); i++)
        if (i % 60 >= 57)
            bench.y[i] ^= 128;
    assert_string_equal(compare_levels(&bench).kind, "the last 3 columns");
    levels_close(&bench);
    levels_open(&bench);
    for (size_t i = 0; i < COUNT_OF(bench.y); i++)
        bench.y[i] += bench.y[i] < 128 ? 2 : -2;
    assert_string_equal(compare_levels(&bench).kind,
                        "every element: small errors: too little precision, or small terms left out");
    levels_close(&bench);
}

static void literal_bytes_come_before_the_oracle(void **state)
{
    LevelsBench bench;
    levels_open(&bench);
    uint8_t *literal = malloc(sizeof bench.y);
    memcpy(literal, bench.y, sizeof bench.y);
    literal[5] ^= 64;
    bench.set.cases[0].expected = (Tensor){ELEMENT_UINT8, 2, {40, 60}, literal};
    Comparison comparison = compare_levels(&bench);
    assert_int_equal(comparison.wrong, 1);
    assert_true(comparison.first.index == 5 && comparison.first.expected == literal[5]);
    levels_close(&bench);
}

static void errors_of_hidden_cases_are_rounded_up(void **state)
{
    static const double rows[][2] = {{0, 0},       {0.003, 0.01}, {0.01, 0.01}, {1, 1},
                                     {1.0001, 10}, {1e-5, 1e-5},  {7e8, 1e9}};
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_true(fabs(checker_coarse(rows[i][0]) - rows[i][1]) <= 1e-12 * rows[i][1]);
    assert_true(isnan(checker_coarse(NAN)));
    assert_true(isinf(checker_coarse(INFINITY)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_right_output_is_accepted),
        cmocka_unit_test(the_bound_is_that_of_the_formula),
        cmocka_unit_test(the_first_and_the_worst_are_told_apart),
        cmocka_unit_test(no_number_and_infinity_never_pass),
        cmocka_unit_test(an_output_of_poison_is_all_wrong),
        cmocka_unit_test(too_little_precision_all_over_fails_by_rms),
        cmocka_unit_test(literal_expected_values_come_before_the_oracle),
        cmocka_unit_test(all_zero_inputs_want_all_zero_outputs),
        cmocka_unit_test(the_kind_of_mistake_is_named),
        cmocka_unit_test(a_shift_by_one_is_named),
        cmocka_unit_test(large_outputs_are_compared_in_pieces),
        cmocka_unit_test(bytes_are_expected_at_the_nearest_level),
        cmocka_unit_test(bytes_may_be_off_by_as_many_levels_as_the_problem_says),
        cmocka_unit_test(mistakes_in_bytes_are_named),
        cmocka_unit_test(literal_bytes_come_before_the_oracle),
        cmocka_unit_test(errors_of_hidden_cases_are_rounded_up),
    };
    return cmocka_run_group_tests_name("checker", tests, make_problem, home_remove);
}
