#include "base/tests/unit.h"

#include "grader/check/oracle.h"
#include "grader/problem/key_stream.h"
#include "grader/problem/problem.h"
#include "grader/problem/testcase.h"
#include "grader/problem/testcase_data.h"
#include "grader/tests/home.h"
#include "grader/tests/oracle_bench.h"

#include <dirent.h>
#include <fftw3.h>
#include <math.h>
#include <omp.h>

/* --- an independent implementation -------------------------------------------------------------------------------- */

/* The spectrum of a rows x cols array in the corner of a padded one. */
static fftw_complex *spectrum(const float *array, int rows, int cols, int padded_rows, int padded_cols)
{
    double *padded = fftw_alloc_real((size_t)padded_rows * (size_t)padded_cols);
    fftw_complex *result = fftw_alloc_complex((size_t)padded_rows * (size_t)(padded_cols / 2 + 1));
    fftw_plan plan = fftw_plan_dft_r2c_2d(padded_rows, padded_cols, padded, result, FFTW_ESTIMATE);
    memset(padded, 0, sizeof *padded * (size_t)padded_rows * (size_t)padded_cols);
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++)
            padded[r * padded_cols + c] = array[r * cols + c];
    fftw_execute(plan);
    fftw_destroy_plan(plan);
    fftw_free(padded);
    return result;
}

/* Circular correlation; it equals the plain one wherever the whole filter lies on the input. */
static double *correlate(const float *input, int rows, int cols, const float *filter, int filter_rows, int filter_cols)
{
    size_t spectrum_count = (size_t)rows * (size_t)(cols / 2 + 1);
    fftw_complex *x = spectrum(input, rows, cols, rows, cols);
    fftw_complex *w = spectrum(filter, filter_rows, filter_cols, rows, cols);
    double *result = fftw_alloc_real((size_t)rows * (size_t)cols);
    fftw_plan plan = fftw_plan_dft_c2r_2d(rows, cols, x, result, FFTW_ESTIMATE);
    for (size_t i = 0; i < spectrum_count; i++) { /* x times the conjugate of w */
        double real = x[i][0] * w[i][0] + x[i][1] * w[i][1], imaginary = x[i][1] * w[i][0] - x[i][0] * w[i][1];
        x[i][0] = real / (rows * (double)cols);
        x[i][1] = imaginary / (rows * (double)cols);
    }
    fftw_execute(plan);
    fftw_destroy_plan(plan);
    fftw_free(x);
    fftw_free(w);
    return result;
}

static void compare_with_fftw(Bench *bench, const Testcase *testcase, int rows, int cols, int filter_rows,
                              int filter_cols)
{
    Message why;
    if (bench_evaluate(bench, testcase, &why) != STATUS_OK)
        fail_test("%s", why.text);
    double *other = correlate(bench->inputs[0], rows, cols, bench->inputs[1], filter_rows, filter_cols);
    double largest = 0, worst = 0;
    int out_cols = cols - filter_cols + 1;
    for (size_t i = 0; i < bench->count; i++) {
        size_t row = i / (size_t)out_cols, col = i % (size_t)out_cols;
        largest = fmax(largest, bench->magnitude[i]);
        worst = fmax(worst, fabs(bench->expected[i] - other[row * (size_t)cols + col]));
    }
    if (!(worst < 1e-12 * largest))
        fail_test("%d x %d with %d x %d: error %g, magnitude %g", rows, cols, filter_rows, filter_cols, worst, largest);
    fftw_free(other);
    bench_drop_case(bench);
}

static int64_t whole_number(const GeneratorKey *key, uint64_t index, int64_t low, int64_t high)
{
    return generator_integer(generator_word(key, index), low, high);
}

static Testcase uniform_case(uint64_t seed)
{
    const CaseSource source = {.kind = SOURCE_UNIFORM, .a = -1, .b = 1, .seeded = true, .seed = seed};
    Testcase testcase = {.sources = {source, source}};
    testcase.sources[1].seed++;
    return testcase;
}

static void oracles_agree_with_fourier_transforms_on_random_sizes(void **state)
{
    Bench one, two;
    GeneratorKey seed;
    Message why;
    unsetenv("CONVJUDGE_HOME");
    bench_open(&one, "conv1d");
    bench_open(&two, "conv2d");
    assert_int_equal(key_new(&seed, &why), STATUS_OK);
    for (uint64_t i = 0; i < 12; i++) {
        int taps = (int)whole_number(&seed, 10 * i, 1, 2047),
            size = taps + (int)whole_number(&seed, 10 * i + 1, 0, 20000);
        Testcase testcase = uniform_case(seed.words[0] + i);
        testcase.sizes = (Sizes){{[3] = size, [4] = taps}};
        compare_with_fftw(&one, &testcase, 1, size, 1, taps);
        int rows = (int)whole_number(&seed, 10 * i + 2, 31, 200), cols = (int)whole_number(&seed, 10 * i + 3, 31, 200);
        int r = (int)whole_number(&seed, 10 * i + 4, 1, 31), s = (int)whole_number(&seed, 10 * i + 5, 1, 31);
        testcase.sizes = (Sizes){{[3] = rows, [4] = cols, [5] = r, [6] = s}};
        compare_with_fftw(&two, &testcase, rows, cols, r, s);
    }
    bench_close(&one);
    bench_close(&two);
    setenv("CONVJUDGE_HOME", home, 1);
}

static void literal_expected_values_agree_with_the_oracle(void **state)
{
    static const char *const ids[] = {"conv1d", "conv2d"};
    size_t literal = 0;
    unsetenv("CONVJUDGE_HOME");
    for (size_t i = 0; i < COUNT_OF(ids); i++) {
        Bench bench;
        TestcaseSet set;
        Message why;
        bench_open(&bench, ids[i]);
        assert_int_equal(testcases_read(&bench.problem, &set, &why), STATUS_OK);
        for (size_t j = 0; j < set.count; j++) {
            const float *expected = set.cases[j].expected[problem_output(&bench.problem)].data;
            if (expected == NULL)
                continue;
            assert_int_equal(bench_evaluate(&bench, &set.cases[j], &why), STATUS_OK);
            for (size_t k = 0; k < bench.count; k++)
                if (!(fabs(expected[k] - bench.expected[k]) <= 0x1p-23 * bench.magnitude[k]))
                    fail_test("%s, %s: element %zu: %g, oracle %g", ids[i], set.cases[j].name, k, expected[k],
                              bench.expected[k]);
            bench_drop_case(&bench);
            literal++;
        }
        testcases_free(&set);
        bench_close(&bench);
    }
    assert_true(literal >= 2);
    setenv("CONVJUDGE_HOME", home, 1);
}

/* --- the ways to compute it --------------------------------------------------------------------------------------- */

/* blend's "larger": 37 rows of 29, three groups of eight neighbours and five single elements each. */
static void open_larger(Bench *bench, TestcaseSet *set)
{
    Message why = {0};
    bench_open(bench, "blend");
    if (testcases_read(&bench->problem, set, &why) != STATUS_OK ||
        bench_evaluate(bench, &set->cases[1], &why) != STATUS_OK)
        fail_test("%s", why.text);
}

static void close_larger(Bench *bench, TestcaseSet *set)
{
    bench_drop_case(bench);
    bench_close(bench);
    testcases_free(set);
}

static void values_are_those_of_the_formula(void **state)
{
    Bench bench;
    TestcaseSet set;
    open_larger(&bench, &set);
    const float *a = bench.inputs[0];
    const int32_t *b = bench.inputs[1];
    for (size_t i = 0; i < bench.count; i++) {
        double term = i % 29 == 3 ? b[i] : 0; /* the mask is an impulse at 3 */
        assert_true(bench.expected[i] == a[i] + term);
        assert_true(bench.magnitude[i] == fabs((double)a[i]) + fabs(term));
    }
    close_larger(&bench, &set);
}

/* Any part of the output, on any number of threads, has the bits that the whole has: a part of one element is computed
 * alone, a part that begins elsewhere groups other neighbours together. */
static void every_part_has_the_bits_of_the_whole(void **state)
{
    static const size_t lengths[] = {1, 7, 8, 9, 100, 500};
    Bench bench;
    TestcaseSet set;
    Message why;
    double expected[500], magnitude[500];
    open_larger(&bench, &set);
    for (size_t i = 0; i < COUNT_OF(lengths); i++)
        for (size_t first = 0; first + lengths[i] <= bench.count; first += lengths[i]) {
            omp_set_num_threads(1 + (int)(first % 3));
            assert_int_equal(oracle_evaluate(bench.oracle, &bench.testcase.sizes, (const void *const *)bench.inputs,
                                             first, lengths[i], expected, magnitude, &why),
                             STATUS_OK);
            assert_memory_equal(expected, bench.expected + first, lengths[i] * sizeof *expected);
            assert_memory_equal(magnitude, bench.magnitude + first, lengths[i] * sizeof *magnitude);
        }
    close_larger(&bench, &set);
}

/* Sums of many rounded terms: the order and the rounding of each must agree. */
static void long_sums_have_the_same_bits_alone_and_together(void **state)
{
    Bench bench;
    Message why;
    Testcase testcase = uniform_case(11);
    unsetenv("CONVJUDGE_HOME");
    bench_open(&bench, "conv1d");
    testcase.sizes = (Sizes){{[3] = 1300, [4] = 1001}};
    assert_int_equal(bench_evaluate(&bench, &testcase, &why), STATUS_OK);
    for (size_t i = 0; i < bench.count; i++) {
        double expected, magnitude;
        assert_int_equal(oracle_evaluate(bench.oracle, &testcase.sizes, (const void *const *)bench.inputs, i, 1,
                                         &expected, &magnitude, &why),
                         STATUS_OK);
        assert_memory_equal(&expected, &bench.expected[i], sizeof expected);
        assert_memory_equal(&magnitude, &bench.magnitude[i], sizeof magnitude);
    }
    bench_drop_case(&bench);
    bench_close(&bench);
    setenv("CONVJUDGE_HOME", home, 1);
}

/* Parts of more elements than one thread takes keep the inner sums that their elements share; single elements do not. The
 * parts begin and end in the middle of rows, and some rows have borders above or below. */
static void inner_sums_that_are_kept_change_no_bit(void **state)
{
    enum { WIDTH = 150, HEIGHT = 103, PART = 5001 };
    Bench bench;
    Message why;
    Testcase testcase = uniform_case(13);
    double expected[PART], magnitude[PART], one, its_magnitude;
    testcase.sources[0].kind = testcase.sources[1].kind = SOURCE_NORMAL;
    testcase.sources[2] = testcase.sources[1];
    testcase.sizes = (Sizes){{[4] = WIDTH, [5] = HEIGHT, [6] = 5}};
    unsetenv("CONVJUDGE_HOME");
    bench_open(&bench, "conv2d-separable");
    if (bench_evaluate(&bench, &testcase, &why) != STATUS_OK)
        fail_test("%s", why.text);
    for (size_t first = 0; first + PART <= bench.count; first += 997) {
        assert_int_equal(oracle_evaluate(bench.oracle, &testcase.sizes, (const void *const *)bench.inputs, first, PART,
                                         expected, magnitude, &why),
                         STATUS_OK);
        assert_memory_equal(expected, bench.expected + first, sizeof expected);
        assert_memory_equal(magnitude, bench.magnitude + first, sizeof magnitude);
    }
    for (size_t i = 0; i < bench.count; i++) {
        assert_int_equal(oracle_evaluate(bench.oracle, &testcase.sizes, (const void *const *)bench.inputs, i, 1, &one,
                                         &its_magnitude, &why),
                         STATUS_OK);
        assert_memory_equal(&one, &bench.expected[i], sizeof one);
        assert_memory_equal(&its_magnitude, &bench.magnitude[i], sizeof its_magnitude);
    }
    bench_drop_case(&bench);
    bench_close(&bench);
    setenv("CONVJUDGE_HOME", home, 1);
}

/* Some long sums differ in their last bits, and none by more than the rounding of its terms. */
static void long_double_differs_from_double_by_rounding_alone(void **state)
{
    Bench bench;
    Message why;
    Oracle *wide;
    double expected[300], magnitude[300];
    size_t different = 0;
    Testcase testcase = uniform_case(12);
    testcase.sources[0].kind = testcase.sources[1].kind = SOURCE_NORMAL; /* sums of the uniform ones are exact */
    testcase.sources[0].a = testcase.sources[1].a = 1. / 3;
    unsetenv("CONVJUDGE_HOME");
    bench_open(&bench, "conv1d");
    testcase.sizes = (Sizes){{[3] = 1300, [4] = 1001}};
    assert_int_equal(bench_evaluate(&bench, &testcase, &why), STATUS_OK);
    if (oracle_open_wide(&bench.problem, &wide, &why) != STATUS_OK)
        fail_test("%s", why.text);
    assert_int_equal(oracle_evaluate(wide, &testcase.sizes, (const void *const *)bench.inputs, 0, bench.count, expected,
                                     magnitude, &why),
                     STATUS_OK);
    for (size_t i = 0; i < bench.count; i++) {
        assert_true(fabs(expected[i] - bench.expected[i]) <= 1e-13 * magnitude[i]);
        different += expected[i] != bench.expected[i];
    }
    assert_true(different > 0);
    oracle_close(wide);
    bench_drop_case(&bench);
    bench_close(&bench);
    setenv("CONVJUDGE_HOME", home, 1);
}

static void elements_beyond_the_output_are_refused(void **state)
{
    Bench bench;
    TestcaseSet set;
    Message why;
    open_larger(&bench, &set);
    assert_int_equal(oracle_evaluate(bench.oracle, &bench.testcase.sizes, (const void *const *)bench.inputs,
                                     37 * 29 - 3, 4, bench.expected, bench.magnitude, &why),
                     STATUS_BAD_INPUT);
    assert_string_equal(why.text, "elements 1070 to 1074 of an output of 1073");
    close_larger(&bench, &set);
}

/* --- oracles with a mistake --------------------------------------------------------------------------------------- */

static const struct {
    const char *from, *to;
    Status status;
    const char *message;
} bad_oracles[] = {
    {"c->cols + col", "c->cols + column", STATUS_BAD_INPUT, "problems/blend/oracle.h:3:"},
    {"c->cols + col", "c->cols + column", STATUS_BAD_INPUT, "error: 'column' undeclared"},
    {"c->cols", "c->out", STATUS_BAD_INPUT, "error: 'Case' has no member named 'out'"},
    {"Sum oracle(", "Sum orakel(", STATUS_BAD_INPUT, "error:"},
    {"ORACLE", "#include <math.h>\nORACLE", STATUS_BAD_INPUT,
     "oracle.h:1: expected no #include: an oracle stands alone"},
    {"at(c->a, i), 1)", "at(c->a, i), 1e300) ; sum.value *= 1e300", STATUS_SYSTEM, "an expected value is not finite"},
    {"at(c->a, i), 1)", "at(c->a, i / 2), 1)", STATUS_SYSTEM,
     "neighbours differ from single elements: the index of at() must grow by one along the last index, and that of pass_at() belong to its position"},
    {"at(c->a, i), 1)", "at(c->a, row * c->cols), 1)", STATUS_SYSTEM, "neighbours differ from single elements"},
};

static void mistakes_in_an_oracle_are_the_judges(void **state)
{
    for (size_t i = 0; i < COUNT_OF(bad_oracles); i++) {
        Bench bench = {0};
        TestcaseSet set;
        Message why = {0};
        char *text = replaced(home_oracle, bad_oracles[i].from, bad_oracles[i].to);
        home_write("problems/blend/oracle.h", text);
        free(text);
        assert_int_equal(problem_read("blend", &bench.problem, &why), STATUS_OK);
        assert_int_equal(testcases_read(&bench.problem, &set, &why), STATUS_OK);
        Status status = oracle_open(&bench.problem, &bench.oracle, &why);
        if (status == STATUS_OK) {
            status = bench_evaluate(&bench, &set.cases[1], &why);
            bench_drop_case(&bench);
        }
        if (status != bad_oracles[i].status || strstr(why.text, bad_oracles[i].message) == NULL)
            fail_test("row %zu: status %d, \"%s\"", i, status, why.text);
        testcases_free(&set);
        bench_close(&bench);
    }
    home_write("problems/blend/oracle.h", home_oracle);
}

/* Single elements would be right; so only what is kept of 10,100 elements shows the mistake. */
static void an_inner_sum_of_another_position_is_the_judges(void **state)
{
    static const char with_pass[] =
        "ORACLE Sum alone(const Case *c, long row, long col)\n"
        "{\n"
        "    return sum_add(SUM_ZERO, at(c->a, row * c->cols + col), 1);\n"
        "}\n"
        "#define ORACLE_PASS alone\n"
        "ORACLE Sum oracle(const Case *c, long row, long col)\n"
        "{\n"
        "    Sum sum = SUM_ZERO;\n"
        "    for (int r = 0; r < 3; r++)\n"
        "        if (row + r < c->rows)\n"
        "            sum = sum_add_sum(sum, pass_at(c, (row + r) * c->cols + col, row + r, col), 1);\n"
        "    return sum;\n"
        "}\n";
    char *wrong = replaced(with_pass, "(row + r) * c->cols", "row * c->cols");
    const struct {
        const char *oracle;
        Status status;
    } rows[] = {{with_pass, STATUS_OK}, {wrong, STATUS_SYSTEM}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Bench bench;
        TestcaseSet set;
        Message why = {0};
        home_write("problems/blend/oracle.h", rows[i].oracle);
        bench_open(&bench, "blend");
        assert_int_equal(testcases_read(&bench.problem, &set, &why), STATUS_OK);
        set.cases[1].sizes = (Sizes){{[4] = 100, [5] = 101}};
        if (bench_evaluate(&bench, &set.cases[1], &why) != rows[i].status)
            fail_test("row %zu: \"%s\"", i, why.text);
        close_larger(&bench, &set);
    }
    free(wrong);
    home_write("problems/blend/oracle.h", home_oracle);
}

/* --- the cache ---------------------------------------------------------------------------------------------------- */

static int libraries_in(const char *folder, char *path, size_t size)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, alphasort), libraries = 0;
    for (int i = 0; i < count; i++) {
        if (entries[i]->d_name[0] != '.') {
            snprintf(path, size, "%s/%s", folder, entries[i]->d_name);
            libraries++;
        }
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    return libraries;
}

static void compiled_oracles_are_kept_and_mended(void **state)
{
    char folder[100], path[400];
    Bench bench;
    Message why;
    struct stat before, after;
    snprintf(folder, sizeof folder, "%s/cache", home);
    setenv("CONVJUDGE_CACHE", folder, 1);
    bench_open(&bench, "blend");
    bench_close(&bench);
    assert_int_equal(libraries_in(folder, path, sizeof path), 2);
    assert_int_equal(stat(path, &before), 0);
    bench_open(&bench, "blend");
    bench_close(&bench);
    assert_int_equal(stat(path, &after), 0);
    assert_int_equal(before.st_ino, after.st_ino);

    Text broken = {0};
    text_add(&broken, "no library");
    assert_int_equal(text_write_file(path, &broken, &why), STATUS_OK);
    text_free(&broken);
    bench_open(&bench, "blend");
    bench_close(&bench);
    assert_int_equal(stat(path, &after), 0);
    assert_int_equal(before.st_size, after.st_size);
    unsetenv("CONVJUDGE_CACHE");
}

static void everything_works_without_a_cache(void **state)
{
    Bench bench;
    setenv("CONVJUDGE_CACHE", "/proc/no/such/folder", 1);
    bench_open(&bench, "blend");
    bench_close(&bench);
    unsetenv("CONVJUDGE_CACHE");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(oracles_agree_with_fourier_transforms_on_random_sizes),
        cmocka_unit_test(literal_expected_values_agree_with_the_oracle),
        cmocka_unit_test(values_are_those_of_the_formula),
        cmocka_unit_test(every_part_has_the_bits_of_the_whole),
        cmocka_unit_test(inner_sums_that_are_kept_change_no_bit),
        cmocka_unit_test(long_sums_have_the_same_bits_alone_and_together),
        cmocka_unit_test(long_double_differs_from_double_by_rounding_alone),
        cmocka_unit_test(elements_beyond_the_output_are_refused),
        cmocka_unit_test(mistakes_in_an_oracle_are_the_judges),
        cmocka_unit_test(an_inner_sum_of_another_position_is_the_judges),
        cmocka_unit_test(compiled_oracles_are_kept_and_mended),
        cmocka_unit_test(everything_works_without_a_cache),
    };
    return cmocka_run_group_tests_name("oracle", tests, home_with_problem, home_remove);
}
