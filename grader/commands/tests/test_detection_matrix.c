#include "base/tests/unit.h"

#include "grader/commands/command_check.h"
#include "grader/tests/made_up.h"

#include <string.h>

static Testcase cases[] = {{.name = "example", .group = CASE_SAMPLE},
                           {.name = "one element", .group = CASE_HIDDEN},
                           {.name = "prime sizes", .group = CASE_HIDDEN},
                           {.name = "fast", .group = CASE_TIMED}};
static const TestcaseSet set = {.cases = cases, .count = COUNT_OF(cases)};

/* A solution with these verdicts in the two hidden cases. */
static void add(DetectionMatrix *matrix, const char *name, Verdict first, Verdict second, bool second_judged)
{
    CaseResult items[] = {made_up_case(CASE_SAMPLE, "example", VERDICT_WRONG_ANSWER),
                          made_up_case(CASE_HIDDEN, "hidden 1", first), made_up_case(CASE_HIDDEN, "hidden 2", second)};
    Result result = made_up_result(items, COUNT_OF(items));
    char row[COUNT_OF(items)];
    items[2].judged = second_judged;
    if (detection_marks(matrix, &result, row))
        detection_add(matrix, name, row);
}

static void the_first_case_that_finds_nothing_is_known(void **state)
{
    DetectionMatrix matrix;
    detection_begin(&matrix, &set);
    assert_int_equal(detection_idle_case(&matrix), 0);
    add(&matrix, "a.cu", VERDICT_WRONG_ANSWER, VERDICT_ACCEPTED, true);
    assert_int_equal(detection_idle_case(&matrix), 1);
    add(&matrix, "b.cu", VERDICT_ACCEPTED, VERDICT_RUN_TIME_ERROR, true);
    assert_int_equal(detection_idle_case(&matrix), matrix.case_count);
    assert_int_equal(matrix.case_count, 2);
    detection_free(&matrix);
}

static void a_solution_that_is_wrong_everywhere_counts_for_no_case(void **state)
{
    DetectionMatrix matrix;
    detection_begin(&matrix, &set);
    add(&matrix, "a.cu", VERDICT_WRONG_ANSWER, VERDICT_WRONG_ANSWER, true);
    assert_int_equal(detection_idle_case(&matrix), 0);
    detection_free(&matrix);
}

static void a_case_that_is_left_out_for_wrong_solutions_shows_nothing_about_others(void **state)
{
    DetectionMatrix matrix;
    cases[2].attempt_instructions = 1000;
    detection_begin(&matrix, &set);
    add(&matrix, "a.cu", VERDICT_WRONG_ANSWER, VERDICT_ACCEPTED, false);
    assert_int_equal(detection_idle_case(&matrix), 0);
    add(&matrix, "b.cu", VERDICT_ACCEPTED, VERDICT_WRONG_ANSWER, true);
    assert_int_equal(matrix.found[1], 1);
    detection_free(&matrix);
    cases[2].attempt_instructions = 0;
}

static void the_matrix_shows_verdicts_and_cases(void **state)
{
    DetectionMatrix matrix;
    Text text = {0};
    detection_begin(&matrix, &set);
    add(&matrix, "whole_blocks_only.cu", VERDICT_ACCEPTED, VERDICT_WRONG_ANSWER, true);
    add(&matrix, "aborts.cu", VERDICT_RUN_TIME_ERROR, VERDICT_ACCEPTED, false);
    detection_text(&matrix, "# ", &text);
    assert_string_equal(text.data, "# hidden case             \n"
                                   "#                       12\n"
                                   "# whole_blocks_only.cu  .W\n"
                                   "# aborts.cu             R \n"
                                   "# hidden 1  finds 1   one element\n"
                                   "# hidden 2  finds 1   prime sizes\n");
    text_free(&text);
    detection_free(&matrix);
}

static void a_solution_that_reached_no_hidden_case_has_no_row(void **state)
{
    DetectionMatrix matrix;
    CaseResult sample = made_up_case(CASE_SAMPLE, "example", VERDICT_RUN_TIME_ERROR);
    Result result = made_up_result(&sample, 1);
    detection_begin(&matrix, &set);
    char row[8];
    if (detection_marks(&matrix, &result, row))
        detection_add(&matrix, "a.cu", row);
    assert_null(matrix.first);
    detection_free(&matrix);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_case_that_finds_nothing_is_known),
        cmocka_unit_test(a_solution_that_is_wrong_everywhere_counts_for_no_case),
        cmocka_unit_test(a_case_that_is_left_out_for_wrong_solutions_shows_nothing_about_others),
        cmocka_unit_test(the_matrix_shows_verdicts_and_cases),
        cmocka_unit_test(a_solution_that_reached_no_hidden_case_has_no_row),
    };
    return cmocka_run_group_tests_name("detection matrix", tests, NULL, NULL);
}
