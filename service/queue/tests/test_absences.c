#include "base/tests/unit.h"

#include "service/queue/head.h"

static void an_attempt_is_missed_for_as_long_as_no_look_finds_it(void **state)
{
    MissingJobs absences = {0};
    missing_jobs_begin(&absences);
    assert_true(missing_jobs_note(&absences, (SpoolId){7, 1}, 100) == 0);
    missing_jobs_end(&absences);
    missing_jobs_begin(&absences);
    assert_true(missing_jobs_note(&absences, (SpoolId){7, 1}, 105) == 5);
    assert_true(missing_jobs_note(&absences, (SpoolId){7, 2}, 105) == 0);
    missing_jobs_end(&absences);
    missing_jobs_begin(&absences); /* attempt 1 is there */
    assert_true(missing_jobs_note(&absences, (SpoolId){7, 2}, 110) == 5);
    missing_jobs_end(&absences);
    missing_jobs_begin(&absences);
    assert_true(missing_jobs_note(&absences, (SpoolId){7, 1}, 115) == 0);
    missing_jobs_end(&absences);
    missing_jobs_free(&absences);
}

static void many_attempts_can_be_missing(void **state)
{
    MissingJobs absences = {0};
    for (int look = 0; look < 2; look++) {
        missing_jobs_begin(&absences);
        for (int64_t judging = 1; judging <= 100; judging++)
            assert_true(missing_jobs_note(&absences, (SpoolId){judging, 1}, 3 * look) == 3 * look);
        missing_jobs_end(&absences);
    }
    assert_int_equal(absences.count, 100);
    missing_jobs_free(&absences);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_attempt_is_missed_for_as_long_as_no_look_finds_it),
        cmocka_unit_test(many_attempts_can_be_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
