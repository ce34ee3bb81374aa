#include "base/tests/unit.h"

#include "grader/commands/command_check.c"
#include "grader/tests/home.h"

/* Accepted solutions that run with the data of many seeds, in plain C for the small problem of home.h. */

#define SOLVE(value)                                                                                                   \
    "void solve(const float* a, const int* b, const unsigned char *mask, float* out, int rows, int cols)\n"            \
    "{\n    for (int i = 0; i < rows * cols; i++)\n        out[i] = " value ";\n}\n"
#define RIGHT "(a[i] + (float)b[i] * (float)mask[i % cols])"

static Status judge_with_seeds(const char *source, double rms, Message *why)
{
    Checking checking = {.device = {.name = "cpu"},
                         .seeds = 3,
                         .progress = progress_new(stderr)}; /* each call of plain C is a process */
    char path[256];
    home_write("solutions/blend/accepted/x.c", source);
    snprintf(path, sizeof path, "%s/solutions/blend/accepted/x.c", home);
    if (problem_read("blend", &checking.problem, why) != STATUS_OK ||
        testcases_read(&checking.problem, &checking.set, why) != STATUS_OK)
        fail_test("%s", why->text);
    checking.problem.tolerance.rms = rms;
    paths_add(&checking.solutions, path);
    const Status status = judge_seeds(&checking, why);
    text_free(&checking.diagnostics);
    arena_free(&checking.solutions.arena);
    testcases_free(&checking.set);
    problem_free(&checking.problem);
    return status;
}

static void a_solution_that_rounds_as_it_must_stays_within_half_of_every_bound(void **state)
{
    Message why = {0};
    if (judge_with_seeds(SOLVE(RIGHT), 2e-5, &why) != STATUS_OK)
        fail_test("%s", why.text);
}

/* An error of 30 eps32, where 36 are allowed. */
static void a_solution_that_needs_more_is_named_with_case_and_seed(void **state)
{
    Message why = {0};
    assert_int_equal(judge_with_seeds(SOLVE(RIGHT " * (1 + 30 * 0x1p-23f)"), 2e-5, &why), STATUS_BAD_INPUT);
    if (strncmp(why.text, "x.c in \"larger\", seed 1: an error of 0.000", 42) != 0 ||
        strstr(why.text, "half of what \"tolerance\" allows") == NULL)
        fail_test("%s", why.text);
}

/* The same error in each element, which the largest of them would allow. */
static void errors_that_are_too_large_on_average_are_named_as_such(void **state)
{
    Message why = {0};
    assert_int_equal(judge_with_seeds(SOLVE(RIGHT " + 2e-5f"), 2e-7, &why), STATUS_BAD_INPUT);
    if (strstr(why.text, "seed 1: a root mean square error of 2e-05, expected at most ") == NULL)
        fail_test("%s", why.text);
}

static void a_solution_that_fails_is_named_with_its_verdict(void **state)
{
    Message why = {0};
    assert_int_equal(judge_with_seeds(SOLVE("*(volatile int *)0"), 2e-5, &why), STATUS_BAD_INPUT);
    if (strstr(why.text, "x.c in \"larger\", seed 1: Run-Time Error: ") == NULL)
        fail_test("%s", why.text);
}

static Testcase case_of(int64_t rows, int64_t cols, SourceKind kind)
{
    Testcase testcase = {.name = "", .group = CASE_HIDDEN, .operations = 3 * rows * cols};
    testcase.sizes.values[4] = rows;
    testcase.sizes.values[5] = cols;
    testcase.sources[0].kind = kind;
    return testcase;
}

static void the_cases_with_the_fewest_outputs_are_taken(void **state)
{
    Checking checking = {0};
    const Testcase *chosen[SEEDED_CASES];
    Message why = {0};
    Testcase cases[] = {case_of(9, 9, SOURCE_UNIFORM), case_of(1, 2, SOURCE_CONSTANT), case_of(2, 2, SOURCE_NORMAL),
                        case_of(1, 3, SOURCE_UNIFORM), case_of(7, 7, SOURCE_UNIFORM),  case_of(1, 4, SOURCE_INTEGERS),
                        case_of(8, 8, SOURCE_UNIFORM)};
    if (problem_read("blend", &checking.problem, &why) != STATUS_OK)
        fail_test("%s", why.text);
    cases[5].operations += 1; /* as many outputs as case 2, with more operations */
    checking.set = (TestcaseSet){.cases = cases, .count = COUNT_OF(cases)};
    assert_int_equal(choose_seeded(&checking, chosen), SEEDED_CASES);
    assert_ptr_equal(chosen[0], &cases[3]);
    assert_ptr_equal(chosen[1], &cases[5]);
    problem_free(&checking.problem);
}

static int make_home(void **state)
{
    int status = home_new(state);
    home_write("problems/blend/problem.json", home_problem);
    home_write("problems/blend/oracle.h", home_oracle);
    home_write("testcases/blend/sample.json", home_sample);
    home_write("testcases/blend/hidden.json", home_hidden);
    return status;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_solution_that_rounds_as_it_must_stays_within_half_of_every_bound),
        cmocka_unit_test(a_solution_that_needs_more_is_named_with_case_and_seed),
        cmocka_unit_test(errors_that_are_too_large_on_average_are_named_as_such),
        cmocka_unit_test(a_solution_that_fails_is_named_with_its_verdict),
        cmocka_unit_test(the_cases_with_the_fewest_outputs_are_taken),
    };
    return cmocka_run_group_tests_name("chance", tests, make_home, home_remove);
}
