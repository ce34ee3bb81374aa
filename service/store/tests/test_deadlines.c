#include "base/tests/unit.h"

#include "grader/problem/problem.h"
#include "service/store/config.h"

#include <string.h>

enum { LEASE_S = 30 };

static Deadlines deadlines_in(JudgingMode mode)
{
    Problem problem;
    Deadlines deadlines;
    Message why = {0};
    assert_int_equal(problem_read("conv1d", &problem, &why), STATUS_OK);
    assert_int_equal(deadlines_of(&problem, mode, LEASE_S, &deadlines, &why), STATUS_OK);
    problem_free(&problem);
    return deadlines;
}

static void each_deadline_is_longer_than_the_one_inside_it(void **state)
{
    for (JudgingMode mode = 0; mode < JUDGING_MODES; mode++) {
        const Deadlines deadlines = deadlines_in(mode);
        assert_null(deadlines_fault(&deadlines, LEASE_S));
    }
}

static void who_judges_more_has_more_time(void **state)
{
    assert_true(deadlines_in(JUDGING_TRY).grading_s < deadlines_in(JUDGING_TEST).grading_s);
    assert_true(deadlines_in(JUDGING_TEST).grading_s < deadlines_in(JUDGING_RANK).grading_s);
}

static void a_deadline_that_is_too_short_is_named(void **state)
{
    static const struct {
        Deadlines deadlines;
        double lease_s;
        const char *fault;
    } rows[] = {
        {{1, 2, 3, 100}, 2, "a lease is shorter than a few beats of a worker"},
        {{2, 2, 3, 100}, LEASE_S, "a grading may not be as short as its compiler's limit"},
        {{1, 3, 3, 100}, LEASE_S, "the worker kills a grading that keeps its own limits"},
        {{1, 2, 3, 33}, LEASE_S, "the server takes a job back from a worker that keeps its own limits"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_string_equal(deadlines_fault(&rows[i].deadlines, rows[i].lease_s), rows[i].fault);
}

static void modes_have_names(void **state)
{
    for (JudgingMode mode = 0; mode < JUDGING_MODES; mode++)
        assert_int_equal(judging_mode_named(judging_mode_name(mode)), mode);
    assert_int_equal(judging_mode_named("ranked"), JUDGING_MODES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_deadline_is_longer_than_the_one_inside_it),
        cmocka_unit_test(who_judges_more_has_more_time),
        cmocka_unit_test(a_deadline_that_is_too_short_is_named),
        cmocka_unit_test(modes_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
