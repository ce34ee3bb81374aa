#include "base/tests/unit.h"

#include "grader/judge/result.h"

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

/* The reader of a report gets these words alone: why the two GPUs differ, and what to do about it. */
static void the_words_say_why_the_devices_differ(void **state)
{
    static const struct {
        OpinionReason reason;
        const char *words;
    } rows[] = {
        {OPINION_UNDEFINED,
         "this is undefined behaviour: what a real GPU makes of it depends on what happens to lie in memory"},
        {OPINION_RACE, "this is a race: what a real GPU makes of it depends on which thread happens to come first"},
        {OPINION_UNSEEN, "a real GPU does not show which kernel reads and writes what; the simulated one does"},
        {OPINION_UNEXPLAINED,
         "undefined behaviour or a race that the simulated GPU does not recognise, or code that asks on which"},
        {OPINION_VARIES, "run again on this GPU, the same program is accepted. This is typical of a race"},
        {OPINION_PTXAS,
         "compiled with -Xptxas -O0, the file is accepted on this GPU as well. So ptxas's optimisation changes the "
         "result. Either the file has undefined behaviour, or ptxas is wrong: the one of CUDA 13.0 miscompiles some correct loops over offsets between clamped bounds"},
        {OPINION_NOT_PTXAS,
         "compiled with -Xptxas -O0, the file is not accepted on this GPU either. So it is not ptxas's "
         "optimisation: a race that the simulated GPU"},
        {OPINION_JUDGES_LIMIT, "the judge cannot run this file on both"},
    };
    assert_int_equal(COUNT_OF(rows), OPINION_REASONS - 1); /* nothing is said where they agree */
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (strstr(opinion_reason_words(rows[i].reason), rows[i].words) != opinion_reason_words(rows[i].reason))
            fail_test("%s: %s", opinion_reason_name(rows[i].reason), opinion_reason_words(rows[i].reason));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_simulated_gpu_found_is_the_reason),
        cmocka_unit_test(only_a_wrong_result_that_is_not_confirmed_is_run_again),
        cmocka_unit_test(each_reason_has_a_name_and_words_of_its_own),
        cmocka_unit_test(the_words_say_why_the_devices_differ),
    };
    return cmocka_run_group_tests_name("second_opinion", tests, NULL, NULL);
}
