#include "base/tests/unit.h"

#include "grader/check/constant_rule.h"
#include "grader/problem/problem.h"
#include "grader/tests/home.h"

/* solutions/conv1d-constant/ shows what the rule finds in submissions. */

static void read_blend(const char *filter, Problem *problem)
{
    Message why = {0};
    Text rule = {0};
    text_printf(&rule, "write_output\": true, \"constant_filter\": \"%s\"", filter);
    char *text = replaced(home_problem, "write_output\": true", rule.data);
    home_write("problems/blend/problem.json", text);
    free(text);
    text_free(&rule);
    if (problem_read("blend", problem, &why) != STATUS_OK)
        fail_test("%s", why.text);
}

static void the_rule_names_an_input_of_floats(void **state)
{
    Problem problem;
    read_blend("a", &problem);
    assert_string_equal(problem.constant_filter, "a");
    problem_free(&problem);
}

/* Cases of a made-up set: the group, the elements of the filter, and bytes. */
static const struct {
    CaseGroup group;
    int64_t rows, cols, bytes;
} rows[] = {
    {CASE_SAMPLE, 1, 2, 26},  {CASE_HIDDEN, 10, 10, 1 << 21}, /* the largest, but too much data */
    {CASE_HIDDEN, 3, 4, 500}, {CASE_HIDDEN, 4, 3, 600},       /* as large a filter, and more data */
    {CASE_HIDDEN, 6, 2, 550}, {CASE_TIMED, 9, 9, 1000},       {CASE_TIMED, 9, 9, 1000},
};

static void the_largest_filter_and_then_the_most_data_are_taken(void **state)
{
    Problem problem;
    Testcase cases[COUNT_OF(rows)] = {{0}};
    read_blend("a", &problem);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        cases[i] = (Testcase){.group = rows[i].group, .bytes = rows[i].bytes};
        cases[i].sizes.values[4] = rows[i].rows;
        cases[i].sizes.values[5] = rows[i].cols;
    }
    const TestcaseSet set = {.cases = cases, .count = COUNT_OF(rows)}, large = {.cases = cases + 1, .count = 1};
    assert_ptr_equal(constant_rule_case(&problem, &set), &cases[3]);
    assert_null(constant_rule_case(&problem, &large));
    problem_free(&problem);
}

static void a_problem_without_a_small_case_is_refused(void **state)
{
    Problem problem;
    Testcase cases[] = {{.group = CASE_SAMPLE, .bytes = 1 << 21}, {.group = CASE_TIMED, .bytes = 100}};
    const TestcaseSet set = {.cases = cases, .count = COUNT_OF(cases)};
    ConstantRuleFinding finding;
    Message why;
    read_blend("a", &problem);
    assert_int_equal(constant_rule_check(&problem, &set, NULL, NULL, NULL, NULL, NULL, &finding, &why),
                     STATUS_BAD_INPUT);
    assert_string_equal(why.text, "problem blend: no sample or hidden case is small enough to prove the rule "
                                  "\"constant_filter\" with; at least one must have 1048576 bytes or less");
    problem_free(&problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rule_names_an_input_of_floats),
        cmocka_unit_test(the_largest_filter_and_then_the_most_data_are_taken),
        cmocka_unit_test(a_problem_without_a_small_case_is_refused),
    };
    return cmocka_run_group_tests_name("constant_rule", tests, home_with_problem, home_remove);
}
