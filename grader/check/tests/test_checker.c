#include "grader/check/tests/checker_bench.h"

#include "grader/check/call.h"

static void a_right_output_is_accepted(void **state)
{
    Bench bench;
    bench_open(&bench, 40, 60);
    Comparison comparison = compare(&bench);
    assert_int_equal(comparison.count, 2400);
    assert_int_equal(comparison.wrong, 0);
    assert_false(comparison.rms_exceeded);
    assert_string_equal(comparison.text, "");
    assert_true(comparison.max_error > 0 && comparison.max_error < comparison.bound / 10);
    assert_true(comparison.mean_error > 0 && comparison.mean_error < comparison.max_error);
    assert_true(comparison.rms > 0 && comparison.rms < comparison.rms_bound / 100);
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

static OutputElements elements_of(Bench *bench, Arena *arena)
{
    const void *inputs[PROBLEM_MAX_PARAMETERS] = {bench->x, bench->w};
    const uint32_t poison = POISON;
    OutputElements elements;
    Message why = {0};
    memcpy(&bench->y[3], &poison, sizeof poison);
    if (checker_elements(&bench->problem, bench->testcase, bench->oracle, inputs, bench->y, POISON, arena, &elements,
                         &why) != STATUS_OK)
        fail_test("%s", why.text);
    return elements;
}

static void all_elements_of_a_small_output_are_told(void **state)
{
    Bench bench;
    Arena arena = {0};
    bench_open(&bench, 20, 30);
    bench.y[100] += 1;
    const OutputElements elements = elements_of(&bench, &arena);
    assert_int_equal(elements.count, 600);
    assert_true(isnan(elements.got[3]));
    for (size_t i = 4; i < elements.count; i++) {
        assert_true(elements.got[i] == bench.y[i]);
        assert_true((fabs(elements.got[i] - elements.expected[i]) <= elements.bounds[i]) == (i != 100));
    }
    bench_close(&bench);
    arena_free(&arena);
}

static void those_of_a_large_output_are_not(void **state)
{
    Bench bench;
    Arena arena = {0};
    bench_open(&bench, 40, 60);
    assert_int_equal(elements_of(&bench, &arena).count, 0);
    bench_close(&bench);
    arena_free(&arena);
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
    assert_string_equal(comparison.text, "every element: never written");
    bench_close(&bench);
}

static void operands_of_16_bits_fail_in_timed_cases(void **state)
{
    Bench bench;
    bench_open(&bench, 40, 60);
    Testcase timed = *bench.testcase;
    timed.group = CASE_TIMED;
    for (size_t i = 0; i < bench.count; i++)
        bench.y[i] *= 1 + (i % 2 ? 4e-6f : -4e-6f);
    assert_false(compare(&bench).rms_exceeded);
    bench.testcase = &timed;
    assert_true(compare(&bench).rms_exceeded);
    bench_close(&bench);
}

static void too_little_precision_all_over_fails_by_rms(void **state)
{
    Bench bench;
    bench_open(&bench, 40, 60);
    for (size_t i = 0; i < bench.count; i++)
        bench.y[i] *= 1 + (i % 2 ? 1e-4f : -1e-4f);
    bench.problem.tolerance.max_factor = 10000; /* no element alone exceeds its bound */
    Comparison comparison = compare(&bench);
    assert_int_equal(comparison.wrong, 0);
    assert_true(comparison.rms_exceeded);
    assert_true(fabs(comparison.rms / comparison.rms_bound - 1e-4 / 2e-5) < 0.05);
    assert_string_equal(comparison.text, "small errors everywhere: too little precision");
    bench.problem.tolerance.rms = 0;
    assert_false(compare(&bench).rms_exceeded);
    bench_close(&bench);
}

/* Where all outputs are nearly zero, they say nothing about rounding errors, which are as large as the products make them. */
static void products_that_cancel_may_have_their_rounding_errors(void **state)
{
    Bench bench;
    double sum = 0;
    bench_open(&bench, 40, 60);
    for (size_t i = 0; i < 42 * 62; i++)
        bench.x[i] = 1.7f;
    for (size_t i = 0; i < 8; i++)
        sum += bench.w[i] = 0.1f * (float)(i + 1);
    bench.w[8] = (float)-sum;
    float rounded = 0;
    for (size_t i = 0; i < 9; i++)
        rounded += bench.x[i] * bench.w[i];
    for (size_t i = 0; i < bench.count; i++)
        bench.y[i] = rounded;
    Comparison comparison = compare(&bench);
    assert_int_equal(comparison.wrong, 0);
    assert_true(comparison.rms > 0.01 * fabs((double)rounded)); /* far more than 2e-5 of the expected output */
    assert_false(comparison.rms_exceeded);
    const double rms_bound = 0x1p-20 * magnitude(&bench, 0); /* all are equal */
    assert_true(fabs(comparison.rms_bound - rms_bound) < 1e-9 * rms_bound);
    for (size_t i = 0; i < bench.count; i++)
        bench.y[i] = (float)(2 * rms_bound);
    comparison = compare(&bench);
    assert_int_equal(comparison.wrong, 0);
    assert_true(comparison.rms_exceeded);
    bench_close(&bench);
}

static void literal_expected_values_come_before_the_oracle(void **state)
{
    Bench bench;
    bench_open(&bench, 40, 60);
    float *literal = malloc(bench.count * sizeof *literal);
    memcpy(literal, bench.y, bench.count * sizeof *literal);
    literal[5] += 1;
    bench.testcase->expected[problem_output(&bench.problem)] = (Tensor){ELEMENT_FLOAT32, 2, {40, 60}, literal};
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
    assert_string_equal(wrong.text, "the last column: zero");
    bench_close(&bench);
}

/* --- a sample ----------------------------------------------------------------------------------------------------- */

static Comparison compare_sample(const Bench *bench, uint32_t key, bool in_part)
{
    const void *inputs[PROBLEM_MAX_PARAMETERS] = {bench->x, bench->w};
    const Chacha20Key sample = {{key}};
    Comparison comparison;
    Message why = {0};
    if (checker_compare_sample(&sample, in_part, &bench->problem, bench->testcase, bench->oracle, inputs, NULL, NULL,
                               bench->y, POISON, &comparison, &why) != STATUS_OK)
        fail_test("%s", why.text);
    return comparison;
}

static void a_sample_finds_mistakes_that_are_not_few(void **state)
{
    Bench bench;
    bench_open(&bench, 800, 900);
    Comparison comparison = compare_sample(&bench, 1, false);
    assert_true(comparison.count > 100000 && comparison.count < 160000); /* about 2048 units of 64 */
    assert_int_equal(comparison.wrong, 0);
    bench.y[719999] += 1; /* the last unit is always looked at */
    assert_int_equal(compare_sample(&bench, 1, false).wrong, 1);
    bench.y[719999] -= 1;
    for (size_t i = 400 * 900; i < 408 * 900; i++)
        bench.y[i] += 1;
    for (uint32_t key = 1; key <= 20; key++) {
        comparison = compare_sample(&bench, key, false);
        assert_int_equal(comparison.wrong, 8 * 900); /* all of them, not those of the sample alone */
        assert_int_equal(comparison.count, 720000);
    }
    bench_close(&bench);
}

/* One wrong element, in each of the places where an index may pass a limit. An output of 70,000 rows of 16. */
static void a_sample_holds_the_places_where_indices_go_wrong(void **state)
{
    static const size_t wrong[] = {
        200,           /* near the beginning, */
        1120000 - 200, /* and near the end */
        (1 << 20) - 1,
        1 << 20, /* a power of 2, */
        61356,
        61357,          /* and times the number of rows, about 2^32 */
        58254 * 16 + 4, /* element 2^20 of the input, whose rows have 18 */
        4095 * 16 + 9,
        4096 * 16 + 9, /* a row whose number is a power of 2 */
        65534 * 16 + 3,
        65535 * 16 + 3, /* the most blocks along y */
    };
    Bench bench;
    bench_open(&bench, 70000, 16);
    for (size_t i = 0; i < COUNT_OF(wrong); i++)
        for (uint32_t key = 1; key <= 3; key++) {
            bench.y[wrong[i]] += 1;
            const Comparison comparison = compare_sample(&bench, key, false);
            bench.y[wrong[i]] -= 1;
            if (comparison.wrong != 1 || comparison.first.index != wrong[i])
                fail_test("key %u, element %zu: %zu are wrong", key, wrong[i], comparison.wrong);
        }
    bench_close(&bench);
}

static void what_was_not_computed_does_not_count_in_a_part(void **state)
{
    Bench bench;
    const uint32_t poison = POISON;
    bench_open(&bench, 800, 900);
    for (size_t i = 0; i < bench.count; i++)
        if (i / 1000 % 4 != 0)
            memcpy(&bench.y[i], &poison, sizeof poison);
    Comparison comparison = compare_sample(&bench, 1, true);
    assert_int_equal(comparison.wrong, 0);
    assert_true(comparison.count > 100000 && comparison.count < 160000); /* as many as of a whole output */
    assert_int_equal(compare(&bench).wrong, 540000);
    bench.y[0] += 1;
    assert_int_equal(compare_sample(&bench, 1, true).wrong, 1);
    bench_close(&bench);
}

static void a_single_element_that_nobody_wrote_is_in_each_sample_of_a_whole_output(void **state)
{
    Bench bench;
    const uint32_t poison = POISON;
    bench_open(&bench, 800, 900);
    memcpy(&bench.y[333333], &poison, sizeof poison);
    for (uint32_t key = 1; key <= 10; key++)
        assert_int_equal(compare_sample(&bench, key, false).wrong, 1);
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
    if (checker_compare(&bench->problem, &bench->set.cases[0], bench->oracle, inputs, NULL, bench->y, POISON,
                        &comparison, &why) != STATUS_OK)
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
    bench.problem.tolerance.absolute = 2;
    assert_int_equal(compare_levels(&bench).wrong, 0);
    bench.problem.tolerance.absolute = 0;
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
    assert_string_equal(compare_levels(&bench).text, "the last 3 columns");
    levels_close(&bench);
    levels_open(&bench);
    for (size_t i = 0; i < COUNT_OF(bench.y); i++)
        bench.y[i] += bench.y[i] < 128 ? 2 : -2;
    assert_string_equal(compare_levels(&bench).text,
                        "every element: small errors: too little precision, or small terms left out");
    levels_close(&bench);
}

static void bytes_that_were_never_written_are_named(void **state)
{
    LevelsBench bench;
    levels_open(&bench);
    for (size_t i = 0; i < COUNT_OF(bench.y); i++) {
        const uint32_t word = call_poison_word(POISON, false, i / sizeof word);
        if (i % 60 >= 40)
            bench.y[i] = ((const unsigned char *)&word)[i % sizeof word];
    }
    assert_non_null(strstr(compare_levels(&bench).text, "from column 40 on: never written"));
    bench.y[1] ^= 128;
    assert_null(strstr(compare_levels(&bench).text, "never written"));
    levels_close(&bench);
}

/* As of a noisy image that was blurred: with four bytes over and over, one of them would be a result in 16 of 254. */
static void results_that_are_nearly_alike_count_as_written(void **state)
{
    static uint8_t output[1 << 16];
    SessionArgument *argument;
    LevelsBench bench;
    Call call;
    Message why = {0};
    levels_open(&bench);
    if (call_describe(&bench.problem, &bench.set.cases[0], &call, &why) != STATUS_OK)
        fail_test("%s", why.text);
    for (size_t i = 0; i < sizeof output; i++)
        output[i] = (uint8_t)(126 + i % 3);
    argument = &call.arguments[2];
    argument->data = argument->result = output;
    argument->bytes = sizeof output;
    for (uint32_t poison = 0; poison < 300; poison++) {
        argument->poison_bits = poison << 20 | poison;
        assert_true(fabs(call_written_share(&call) - 1) < 1e-3); /* though one in 256 hides the value before it */
    }
    levels_close(&bench);
}

/* Blocks of threads may begin anywhere in a word. */
static void bytes_that_were_not_computed_do_not_count_in_a_part(void **state)
{
    const uint32_t poison = 0xFF1200FE;
    const Chacha20Key sample = {{1}};
    const void *inputs[PROBLEM_MAX_PARAMETERS];
    LevelsBench bench;
    Comparison comparison;
    Call call;
    Message why = {0};
    levels_open(&bench);
    inputs[0] = bench.x;
    inputs[1] = bench.w;
    for (size_t i = 0; i < COUNT_OF(bench.y); i++)
        if (i / 30 % 2 == 1)
            bench.y[i] = (uint8_t)(call_poison_word(poison, false, i / 4) >> i % 4 * 8);
    if (call_describe(&bench.problem, &bench.set.cases[0], &call, &why) != STATUS_OK)
        fail_test("%s", why.text);
    call.arguments[2].data = call.arguments[2].result = bench.y;
    call.arguments[2].poison_bits = poison;
    assert_true(fabs(call_written_share(&call) - 0.5) < 0.01);
    for (int wrong = 0; wrong < 2; wrong++) {
        bench.y[1] ^= wrong << 7;
        if (checker_compare_sample(&sample, true, &bench.problem, &bench.set.cases[0], bench.oracle, inputs, NULL, NULL,
                                   bench.y, poison, &comparison, &why) != STATUS_OK)
            fail_test("%s", why.text);
        assert_int_equal(comparison.wrong, wrong);
    }
    levels_close(&bench);
}

static void literal_bytes_come_before_the_oracle(void **state)
{
    LevelsBench bench;
    levels_open(&bench);
    uint8_t *literal = malloc(sizeof bench.y);
    memcpy(literal, bench.y, sizeof bench.y);
    literal[5] ^= 64;
    bench.set.cases[0].expected[problem_output(&bench.problem)] = (Tensor){ELEMENT_UINT8, 2, {40, 60}, literal};
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
        cmocka_unit_test(all_elements_of_a_small_output_are_told),
        cmocka_unit_test(those_of_a_large_output_are_not),
        cmocka_unit_test(no_number_and_infinity_never_pass),
        cmocka_unit_test(an_output_of_poison_is_all_wrong),
        cmocka_unit_test(operands_of_16_bits_fail_in_timed_cases),
        cmocka_unit_test(too_little_precision_all_over_fails_by_rms),
        cmocka_unit_test(products_that_cancel_may_have_their_rounding_errors),
        cmocka_unit_test(literal_expected_values_come_before_the_oracle),
        cmocka_unit_test(all_zero_inputs_want_all_zero_outputs),
        cmocka_unit_test(large_outputs_are_compared_in_pieces),
        cmocka_unit_test(a_sample_finds_mistakes_that_are_not_few),
        cmocka_unit_test(a_sample_holds_the_places_where_indices_go_wrong),
        cmocka_unit_test(what_was_not_computed_does_not_count_in_a_part),
        cmocka_unit_test(a_single_element_that_nobody_wrote_is_in_each_sample_of_a_whole_output),
        cmocka_unit_test(bytes_are_expected_at_the_nearest_level),
        cmocka_unit_test(bytes_may_be_off_by_as_many_levels_as_the_problem_says),
        cmocka_unit_test(mistakes_in_bytes_are_named),
        cmocka_unit_test(bytes_that_were_never_written_are_named),
        cmocka_unit_test(results_that_are_nearly_alike_count_as_written),
        cmocka_unit_test(bytes_that_were_not_computed_do_not_count_in_a_part),
        cmocka_unit_test(literal_bytes_come_before_the_oracle),
        cmocka_unit_test(errors_of_hidden_cases_are_rounded_up),
    };
    return cmocka_run_group_tests_name("checker", tests, make_problem, home_remove);
}
