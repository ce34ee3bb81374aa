#include "base/tests/unit.h"

#include "grader/problem/generator.h"
#include "grader/problem/testcase.h"
#include "grader/problem/testcase_data.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 300007 };

/* Independent values: splitmix64 as published, started at a state, gives its first output for state + the golden ratio.
 * The first three outputs from state 0 stand in many implementations' tests. */
static void the_bits_are_those_of_splitmix64(void **state)
{
    assert_true(generator_bits(0, 0) == 0xE220A8397B1DCDAFu);
    assert_true(generator_bits(0, 1) == 0x6E789E6AA1B965F4u);
    assert_true(generator_bits(0, 2) == 0x06C45D188009454Fu);
}

static float *fill(const CaseSource *source, uint64_t secret, int threads)
{
    static Problem problem; /* one parameter, of float */
    Testcase testcase = {.number = 3, .sources = {*source}};
    float *data = malloc(COUNT * sizeof *data);
    omp_set_num_threads(threads);
    testcase_fill(&problem, &testcase, 0, secret, data, COUNT);
    return data;
}

static const CaseSource sources[] = {
    {.kind = SOURCE_UNIFORM, .a = -3, .b = 5},
    {.kind = SOURCE_UNIFORM, .a = 0.1, .b = 0.3, .seeded = true, .seed = 9},
    {.kind = SOURCE_NORMAL, .a = 10, .b = 2},
    {.kind = SOURCE_INTEGERS, .a = -9, .b = 9},
    {.kind = SOURCE_IMPULSE, .a = 4, .position = -1},
    {.kind = SOURCE_RAMP, .a = 1, .b = 0.25},
    {.kind = SOURCE_CONSTANT, .a = -2},
};

static void data_do_not_depend_on_the_number_of_threads(void **state)
{
    for (size_t i = 0; i < COUNT_OF(sources); i++) {
        float *one = fill(&sources[i], 42, 1), *three = fill(&sources[i], 42, 3);
        assert_memory_equal(one, three, COUNT * sizeof *one);
        free(one);
        free(three);
    }
}

static void only_data_without_a_seed_depend_on_the_secret(void **state)
{
    for (size_t i = 0; i < 4; i++) {
        float *data = fill(&sources[i], 42, 2), *other = fill(&sources[i], 43, 2);
        size_t alike = 0;
        for (size_t j = 0; j < COUNT; j++)
            alike += data[j] == other[j];
        if (sources[i].seeded)
            assert_int_equal(alike, COUNT);
        else
            assert_true(alike < COUNT / 10); /* of 19 whole numbers, one in 19 is equal by chance */
        free(data);
        free(other);
    }
}

/* Mean, deviation and range over many elements; limits are five standard errors wide. */
static const struct {
    CaseSource source;
    double mean, deviation, low, high;
} statistics[] = {
    {{.kind = SOURCE_UNIFORM, .a = -3, .b = 5}, 1, 2.309401, -3, 5},
    {{.kind = SOURCE_NORMAL, .a = 10, .b = 2}, 10, 2, -2, 22},
    {{.kind = SOURCE_INTEGERS, .a = -9, .b = 9}, 0, 5.477226, -9, 9},
    {{.kind = SOURCE_INTEGERS, .a = 0, .b = 1}, 0.5, 0.5, 0, 1},
};

static void generated_numbers_have_their_distribution(void **state)
{
    for (size_t i = 0; i < COUNT_OF(statistics); i++) {
        float *data = fill(&statistics[i].source, 7, 2);
        double sum = 0, squares = 0;
        for (size_t j = 0; j < COUNT; j++) {
            assert_true(data[j] >= statistics[i].low && data[j] <= statistics[i].high);
            sum += data[j];
            squares += (data[j] - statistics[i].mean) * (data[j] - statistics[i].mean);
        }
        double error = statistics[i].deviation / sqrt(COUNT);
        assert_true(fabs(sum / COUNT - statistics[i].mean) < 5 * error);
        assert_true(fabs(sqrt(squares / COUNT) - statistics[i].deviation) < 5 * error);
        free(data);
    }
}

static void the_upper_end_of_uniform_numbers_is_never_met(void **state)
{
    float low = 1, high = nextafterf(nextafterf(1, 2), 2); /* only two numbers are possible, and most round up */
    size_t lows = 0;
    for (uint64_t i = 0; i < 1000; i++) {
        float value = generator_uniform(5, i, low, high);
        assert_true(value >= low && value < high);
        lows += value == low;
    }
    assert_true(lows > 100 && lows < 900);
}

static void whole_numbers_reach_both_ends(void **state)
{
    int seen[5] = {0};
    for (uint64_t i = 0; i < 200; i++)
        seen[generator_integer(1, i, -2, 2) + 2]++;
    for (int i = 0; i < 5; i++)
        assert_true(seen[i] > 10);
    for (uint64_t i = 0; i < 200; i++) {
        int64_t value = generator_integer(1, i, INT32_MIN, INT32_MAX);
        assert_true(value >= INT32_MIN && value <= INT32_MAX);
    }
}

static void simple_data_are_what_they_say(void **state)
{
    float *impulse = fill(&sources[4], 1, 2), *ramp = fill(&sources[5], 1, 2), *constant = fill(&sources[6], 1, 2);
    for (size_t i = 0; i < COUNT; i++) {
        assert_true(impulse[i] == (i == COUNT / 2 ? 4 : 0));
        assert_true(ramp[i] == 1 + 0.25f * (float)i);
        assert_true(constant[i] == -2);
    }
    free(impulse);
    free(ramp);
    free(constant);
}

static void no_two_arrays_of_a_run_are_alike(void **state)
{
    static Problem problem;
    const CaseSource source = {.kind = SOURCE_UNIFORM, .a = 0, .b = 1};
    float first[16][8];
    size_t count = 0;
    for (int group = CASE_HIDDEN; group <= CASE_TIMED_CUDA; group++)
        for (int number = 1; number <= 4; number++)
            for (size_t parameter = 0; parameter < 2; parameter++) {
                Testcase testcase = {.group = (CaseGroup)group, .number = number, .sources = {source, source}};
                testcase_fill(&problem, &testcase, parameter, 1, first[count], 8);
                for (size_t i = 0; i < count; i++)
                    assert_memory_not_equal(first[i], first[count], sizeof first[i]);
                count++;
            }
}

static void secrets_differ(void **state)
{
    uint64_t a, b;
    Message why;
    assert_int_equal(secret_seed(&a, &why), STATUS_OK);
    assert_int_equal(secret_seed(&b, &why), STATUS_OK);
    assert_true(a != b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bits_are_those_of_splitmix64),
        cmocka_unit_test(data_do_not_depend_on_the_number_of_threads),
        cmocka_unit_test(only_data_without_a_seed_depend_on_the_secret),
        cmocka_unit_test(generated_numbers_have_their_distribution),
        cmocka_unit_test(the_upper_end_of_uniform_numbers_is_never_met),
        cmocka_unit_test(whole_numbers_reach_both_ends),
        cmocka_unit_test(simple_data_are_what_they_say),
        cmocka_unit_test(no_two_arrays_of_a_run_are_alike),
        cmocka_unit_test(secrets_differ),
    };
    return cmocka_run_group_tests_name("generator", tests, NULL, NULL);
}
