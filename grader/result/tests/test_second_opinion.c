#include "base/tests/unit.h"

#include "grader/result/second_opinion.h"

#include <string.h>

static void what_the_simulated_gpu_found_is_the_reason(void **state)
{
    static const struct {
        Verdict here, simulated;
        MistakeKind mistake;
        OpinionReason reason;
    } rows[] = {
        {VERDICT_ACCEPTED, VERDICT_ACCEPTED, MISTAKE_NONE, OPINION_AGREES},
        {VERDICT_WRONG_ANSWER, VERDICT_WRONG_ANSWER, MISTAKE_UNINITIALISED, OPINION_AGREES},
        {VERDICT_ACCEPTED, VERDICT_RUN_TIME_ERROR, MISTAKE_READ_OUTSIDE, OPINION_UNDEFINED},
        {VERDICT_WRONG_ANSWER, VERDICT_RUN_TIME_ERROR, MISTAKE_READ_OUTSIDE_SHARED, OPINION_UNDEFINED},
        {VERDICT_ACCEPTED, VERDICT_WRONG_ANSWER, MISTAKE_UNINITIALISED, OPINION_UNDEFINED},
        {VERDICT_ACCEPTED, VERDICT_WRONG_ANSWER, MISTAKE_COPY_NOT_ORDERED, OPINION_RACE},
        {VERDICT_ACCEPTED, VERDICT_RUN_TIME_ERROR, MISTAKE_RACE_OF_BLOCKS, OPINION_RACE},
        {VERDICT_ACCEPTED, VERDICT_RULE_VIOLATION, MISTAKE_FROM_HOST, OPINION_UNSEEN},
        {VERDICT_ACCEPTED, VERDICT_WRONG_ANSWER, MISTAKE_NONE, OPINION_UNEXPLAINED},
        {VERDICT_ACCEPTED, VERDICT_RUN_TIME_ERROR, MISTAKE_PROCESS_ENDED, OPINION_UNEXPLAINED},
        {VERDICT_WRONG_ANSWER, VERDICT_ACCEPTED, MISTAKE_NONE, OPINION_UNEXPLAINED},
        {VERDICT_JUDGE_ERROR, VERDICT_ACCEPTED, MISTAKE_NONE, OPINION_JUDGES_LIMIT},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (opinion_reason(rows[i].here, rows[i].simulated, rows[i].mistake) != rows[i].reason)
            fail_test("row %zu: %s", i,
                      opinion_reason_name(opinion_reason(rows[i].here, rows[i].simulated, rows[i].mistake)));
}

static void only_a_wrong_result_that_is_not_confirmed_is_run_again(void **state)
{
    assert_true(opinion_wants_retry(VERDICT_WRONG_ANSWER, VERDICT_ACCEPTED));
    assert_true(opinion_wants_retry(VERDICT_RUN_TIME_ERROR, VERDICT_ACCEPTED));
    assert_false(opinion_wants_retry(VERDICT_ACCEPTED, VERDICT_WRONG_ANSWER));
    assert_false(opinion_wants_retry(VERDICT_WRONG_ANSWER, VERDICT_RUN_TIME_ERROR));
    assert_false(opinion_wants_retry(VERDICT_TIME_LIMIT_EXCEEDED, VERDICT_ACCEPTED));
    assert_false(opinion_wants_retry(VERDICT_JUDGE_ERROR, VERDICT_ACCEPTED));
}

static void each_reason_has_a_name_and_words_of_its_own(void **state)
{
    for (OpinionReason i = OPINION_AGREES; i < OPINION_REASONS; i++)
        for (OpinionReason k = OPINION_AGREES; k < OPINION_REASONS; k++) {
            assert_true(i == k || strcmp(opinion_reason_name(i), opinion_reason_name(k)) != 0);
            assert_true(i == k || strcmp(opinion_reason_words(i), opinion_reason_words(k)) != 0);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_simulated_gpu_found_is_the_reason),
        cmocka_unit_test(only_a_wrong_result_that_is_not_confirmed_is_run_again),
        cmocka_unit_test(each_reason_has_a_name_and_words_of_its_own),
    };
    return cmocka_run_group_tests_name("second_opinion", tests, NULL, NULL);
}
