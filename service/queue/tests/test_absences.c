#include "base/tests/unit.h"

#include "service/queue/head.h"

static void an_attempt_is_missed_for_as_long_as_no_look_finds_it(void **state)
{
    Absences absences = {0};
    absences_begin(&absences);
    assert_true(absences_note(&absences, (SpoolId){7, 1}, 100) == 0);
    absences_end(&absences);
    absences_begin(&absences);
    assert_true(absences_note(&absences, (SpoolId){7, 1}, 105) == 5);
    assert_true(absences_note(&absences, (SpoolId){7, 2}, 105) == 0);
    absences_end(&absences);
    absences_begin(&absences); /* attempt 1 is there */
    assert_true(absences_note(&absences, (SpoolId){7, 2}, 110) == 5);
    absences_end(&absences);
    absences_begin(&absences);
    assert_true(absences_note(&absences, (SpoolId){7, 1}, 115) == 0);
    absences_end(&absences);
    absences_free(&absences);
}

static void many_attempts_can_be_missing(void **state)
{
    Absences absences = {0};
    for (int look = 0; look < 2; look++) {
        absences_begin(&absences);
        for (int64_t judging = 1; judging <= 100; judging++)
            assert_true(absences_note(&absences, (SpoolId){judging, 1}, 3 * look) == 3 * look);
        absences_end(&absences);
    }
    assert_int_equal(absences.count, 100);
    absences_free(&absences);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_attempt_is_missed_for_as_long_as_no_look_finds_it),
        cmocka_unit_test(many_attempts_can_be_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
