#include "base/tests/unit.h"

#include <stdlib.h>

#include "grader/ranking/ranking.h"
#include "grader/tests/made_up.h"

/* Why a recorded, accepted and timed result is not ranked on such a device, in such a sitting; "ranked" if it is. */
static void is_decided(bool pageable_access, const char *unsteady, bool has_time, const char *expected)
{
    CaseResult items[] = {made_up_timed_case("a", 1e-3), made_up_case(CASE_HIDDEN, "hidden 1", VERDICT_ACCEPTED)};
    Result result = made_up_result(items, COUNT_OF(items));
    if (has_time)
        result_time_case(&items[0], &result.device);
    result_score(&result);
    result.device.pageable_access = pageable_access;
    snprintf(result.unsteady, sizeof result.unsteady, "%s", unsteady);
    ranking_decide(&result, true);
    assert_string_equal(result.rank_status, expected);
    forget_samples(items, 1);
}

static void a_steady_closed_device_is_ranked(void **state)
{
    is_decided(false, "", true, "ranked");
}

static void a_device_that_reaches_the_judges_memory_is_not_ranked(void **state)
{
    is_decided(true, "", true, "not ranked: on this device kernels can access the judge's own memory");
}

static void an_unsteady_device_is_not_ranked(void **state)
{
    is_decided(false, "the GPU was not steady: the anchor naive.cu drifted by 3.1 %", true,
               "not ranked: the GPU was not steady: the anchor naive.cu drifted by 3.1 %");
}

/* If the judge waited in vain, there is no time: the reason is the wait, not the problem. */
static void no_time_for_want_of_a_steady_device_says_so(void **state)
{
    is_decided(false, "another process computed on the GPU", false, "not ranked: another process computed on the GPU");
    is_decided(false, "", false, "not ranked: the problem has no timed cases for this device");
}

static void a_long_reason_is_cut(void **state)
{
    char reason[300], expected[300];
    memset(reason, 'x', sizeof reason - 1);
    reason[sizeof reason - 1] = '\0';
    snprintf(expected, sizeof expected, "not ranked: %.287s", reason);
    is_decided(false, reason, true, expected);
}

static void nothing_is_ranked_where_the_hidden_cases_are_not(void **state)
{
    CaseResult item = made_up_timed_case("a", 1e-3);
    Result result = made_up_result(&item, 1);
    result_time_case(&item, &result.device);
    result_score(&result);
    ranking_decide(&result, true);
    assert_string_equal(result.rank_status, "not ranked: the hidden cases, which decide, are not here");
    forget_samples(&item, 1);
}

/* The second of the cases is hidden. */
static Result timed_result(CaseResult items[2])
{
    Result result = made_up_result(items, 2);
    items[1] = made_up_case(CASE_HIDDEN, "hidden 1", VERDICT_ACCEPTED);
    result_time_case(&items[0], &result.device);
    result_score(&result);
    return result;
}

static void what_is_faster_than_its_input_can_be_read_is_not_ranked(void **state)
{
    /* 250,000 bytes at 1.1e12 bytes a second: 0.2273 us. */
    CaseResult possible[2] = {made_up_timed_case("a", 0.228e-6)}, impossible[2] = {made_up_timed_case("b", 0.227e-6)};
    Result result = timed_result(possible);
    ranking_decide(&result, true);
    assert_string_equal(result.rank_status, "ranked");
    result = timed_result(impossible);
    ranking_decide(&result, true);
    assert_string_equal(result.rank_status, "not ranked: \"b\" took less time than reading its input takes");
    forget_samples(possible, 1);
    forget_samples(impossible, 1);
}

static void only_an_accepted_recorded_sandboxed_result_is_ranked(void **state)
{
    CaseResult items[2] = {made_up_timed_case("a", 1e-3)};
    Result result = timed_result(items);
    ranking_decide(&result, false);
    assert_non_null(strstr(result.rank_status, "not ranked: not recorded"));
    result.sandbox = "none: bubblewrap is missing";
    ranking_decide(&result, true);
    assert_non_null(strstr(result.rank_status, "not ranked: sandbox none"));
    result.verdict = VERDICT_WRONG_ANSWER;
    ranking_decide(&result, true);
    assert_non_null(strstr(result.rank_status, "not ranked: not accepted"));
    forget_samples(items, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_faster_than_its_input_can_be_read_is_not_ranked),
        cmocka_unit_test(only_an_accepted_recorded_sandboxed_result_is_ranked),
        cmocka_unit_test(a_steady_closed_device_is_ranked),
        cmocka_unit_test(a_device_that_reaches_the_judges_memory_is_not_ranked),
        cmocka_unit_test(an_unsteady_device_is_not_ranked),
        cmocka_unit_test(no_time_for_want_of_a_steady_device_says_so),
        cmocka_unit_test(a_long_reason_is_cut),
        cmocka_unit_test(nothing_is_ranked_where_the_hidden_cases_are_not),
    };
    return cmocka_run_group_tests_name("ranking", tests, NULL, NULL);
}
