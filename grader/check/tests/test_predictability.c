#include "base/tests/unit.h"

#include "grader/check/predictability.h"
#include "grader/problem/problem.h"
#include "grader/problem/testcase.h"
#include "grader/tests/home.h"

/* The small problem adds a and, where the mask is not zero, b. Here a comes from a file; b and the mask are small. */
static Status foresee(const char *a, Message *why)
{
    Problem problem;
    TestcaseSet set;
    Oracle *oracle;
    char *text = replaced(home_hidden, "\"a\": {\"generator\": \"normal\"}", a);
    home_write("testcases/blend/hidden.json", text);
    free(text);
    assert_int_equal(problem_read("blend", &problem, why), STATUS_OK);
    if (testcases_read(&problem, &set, why) != STATUS_OK || oracle_open(&problem, &oracle, why) != STATUS_OK)
        fail_test("%s", why->text);
    Status status = STATUS_OK;
    for (size_t i = 0; i < set.count && status == STATUS_OK; i++)
        status = predictability_check(&problem, &set.cases[i], oracle, &(GeneratorKey){{1}}, why);
    oracle_close(oracle);
    testcases_free(&set);
    problem_free(&problem);
    return status;
}

/* Twelve levels from 64 to 122. */
static void write_picture(void)
{
    home_write("testcases/blend/a.pgm", "P5 4 3 255\nAzBz@zDzEzFz");
}

static void a_strong_perturbation_cannot_be_foreseen(void **state)
{
    Message why = {0};
    write_picture();
    if (foresee("\"a\": {\"file\": \"a.pgm\", \"perturb\": 0.4}", &why) != STATUS_OK)
        fail_test("%s", why.text);
}

static void a_weak_perturbation_is_refused_with_what_it_must_reach(void **state)
{
    Message why = {0};
    write_picture();
    assert_int_equal(foresee("\"a\": {\"file\": \"a.pgm\", \"perturb\": 0.01}", &why), STATUS_BAD_INPUT);
    assert_non_null(strstr(why.text, "case \"fast\": \"perturb\" of a changes the output by 0.00"));
    assert_non_null(strstr(
        why.text,
        " of its size, expected at least 0.1: otherwise most of the output can be foreseen; enlarge \"perturb\""));
}

/* Two rows of three hardly change in comparison with the largest, whose magnitude is part of every bound. */
static void a_perturbation_that_only_few_elements_feel_is_refused(void **state)
{
    Message why = {0};
    char *oracle = replaced(home_oracle, "sum_add(SUM_ZERO, at(c->a, i), 1)",
                            "sum_add(SUM_ZERO, at(c->a, i), row == 1 ? 1e6 : 1)");
    home_write("problems/blend/oracle.h", oracle);
    free(oracle);
    write_picture();
    assert_int_equal(foresee("\"a\": {\"file\": \"a.pgm\", \"perturb\": 0.5}", &why), STATUS_BAD_INPUT);
    assert_non_null(strstr(why.text, "case \"fast\": \"perturb\" of a changes 33 % of the output by far more than the "
                                     "tolerance, expected at least 50 %: "));
    home_write("problems/blend/oracle.h", home_oracle);
}

static void levels_must_change_by_several_tolerances(void **state)
{
    Message why = {0};
    write_picture();
    home_write_levels("{\"levels\": 1, \"why\": \"rounding\"}");
    char *sample = replaced(home_sample, "[-6, 2.5]", "[0, 2]");
    home_write("testcases/blend/sample.json", sample);
    free(sample);
    assert_int_equal(foresee("\"a\": {\"file\": \"a.pgm\", \"perturb\": 0.02}", &why), STATUS_BAD_INPUT);
    assert_non_null(strstr(why.text, "changes 0 % of the output by far more than the tolerance"));
    if (foresee("\"a\": {\"file\": \"a.pgm\", \"perturb\": 0.4}", &why) != STATUS_OK)
        fail_test("%s", why.text);
    home_write("problems/blend/problem.json", home_problem);
    home_write("testcases/blend/sample.json", home_sample);
}

/* Foreseeing an output gains nothing where nothing is timed. */
static void other_cases_are_left_alone(void **state)
{
    Message why = {0};
    write_picture();
    char *text = replaced(home_hidden, "\"timed\": true, ", "");
    char *perturbed = replaced(text, "{\"generator\": \"normal\"}", "{\"file\": \"a.pgm\", \"perturb\": 0.01}");
    Problem problem;
    TestcaseSet set;
    home_write("testcases/blend/hidden.json", perturbed);
    free(perturbed);
    free(text);
    assert_int_equal(problem_read("blend", &problem, &why), STATUS_OK);
    assert_int_equal(testcases_read(&problem, &set, &why), STATUS_OK);
    for (size_t i = 0; i < set.count; i++) /* without an oracle, a look at it would crash */
        assert_int_equal(predictability_check(&problem, &set.cases[i], NULL, &(GeneratorKey){{1}}, &why), STATUS_OK);
    testcases_free(&set);
    problem_free(&problem);
    home_write("testcases/blend/hidden.json", home_hidden);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_strong_perturbation_cannot_be_foreseen),
        cmocka_unit_test(a_weak_perturbation_is_refused_with_what_it_must_reach),
        cmocka_unit_test(a_perturbation_that_only_few_elements_feel_is_refused),
        cmocka_unit_test(levels_must_change_by_several_tolerances),
        cmocka_unit_test(other_cases_are_left_alone),
    };
    return cmocka_run_group_tests_name("predictability", tests, home_with_problem, home_remove);
}
