#include "service/web/parts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>

static const Site student = {.person = "Ada"}, report = {.is_static = true};

static Text draw(const Site *site, const SubmissionPage *submission)
{
    Text page = {0};
    page_submission(&page, site, submission);
    return page;
}

static void expect(const Text *page, const char *text)
{
    if (strstr(page->data, text) == NULL)
        fail_msg("the page lacks: %s", text);
}

static void expect_not(const Text *page, const char *text)
{
    if (strstr(page->data, text) != NULL)
        fail_msg("the page holds: %s", text);
}

static SubmissionPage a_submission(const char *state)
{
    return (SubmissionPage){
        .number = 12, .person = "Ada", .problem = "conv1d", .file_name = "mine.cu", .mode = "rank", .state = state};
}

static void a_waiting_submission_says_how_many_are_ahead(void **state)
{
    SubmissionPage submission = a_submission("waiting");
    submission.ahead = 3;
    submission.expected_s = 40;
    Text page = draw(&student, &submission);
    expect(&page, "3 submissions are ahead, about 40\u00A0s.");
    expect(&page, "<script src=\"/static/live.js\" defer></script>");
    expect(&page, "data-events=\"/api/v1/submissions/12/events\"");
    expect_not(&page, "Withdraw");
    text_free(&page);
    submission.ahead = 1;
    submission.can_withdraw = true;
    page = draw(&student, &submission);
    expect(&page, "1 submission is ahead");
    expect(&page, "action=\"/submissions/12/withdraw\"");
    text_free(&page);
}

static void a_submission_under_way_shows_its_progress(void **state)
{
    SubmissionPage submission = a_submission("judging");
    submission.step = "hidden cases";
    submission.done = 4;
    submission.total = 34;
    Text page = draw(&student, &submission);
    expect(&page, "hidden cases: 4 of 34");
    expect(&page, "max=\"34\" value=\"4\"");
    text_free(&page);
}

static void an_ended_submission_needs_no_script(void **state)
{
    static const char *const states[][2] = {
        {"held", "Held"}, {"withdrawn", "Withdrawn"}, {"judged", "The judge keeps no details of it."}};
    for (size_t i = 0; i < 3; i++) {
        const SubmissionPage submission = a_submission(states[i][0]);
        Text page = draw(&student, &submission);
        expect(&page, states[i][1]);
        expect_not(&page, "<script");
        text_free(&page);
    }
}

static void everything_that_people_wrote_is_escaped(void **state)
{
    static const char hostile[] = "\x1B[31m</pre><script>alert(1)</script>\u202E\" onload=\"x";
    cJSON *result = cJSON_Parse(
        "{\"verdict\": \"Wrong Answer\", \"warnings\": [\"w\"], \"compile\": {\"kernels\": [{\"name\": \"k\"}]}, "
        "\"cases\": [{\"name\": \"n\", \"verdict\": \"Wrong Answer\", \"sizes\": {}, \"printed\": \"p\"}]}");
    SubmissionPage submission = a_submission("judged");
    cJSON_AddStringToObject(result, "text", hostile);
    cJSON_AddStringToObject(result, "rank_status", hostile);
    cJSON_AddStringToObject(result, "device_name", hostile);
    cJSON_AddStringToObject(cJSON_GetObjectItem(result, "compile"), "diagnostics", hostile);
    cJSON_AddStringToObject(cJSON_GetArrayItem(cJSON_GetObjectItem(result, "cases"), 0), "text", hostile);
    cJSON_ReplaceItemInObject(cJSON_GetArrayItem(cJSON_GetObjectItem(result, "cases"), 0), "printed",
                              cJSON_CreateString(hostile));
    submission.result = result;
    submission.person = submission.file_name = submission.source = submission.problem_title = hostile;
    Text page = draw(&student, &submission);
    expect(&page, "␛[31m&lt;/pre&gt;&lt;script&gt;alert(1)&lt;/script&gt;[U+202E]&quot; onload=&quot;x");
    expect_not(&page, "<script>");
    expect_not(&page, "\x1B");
    expect_not(&page, "\u202E");
    expect_not(&page, "\" onload=\"");
    cJSON_Delete(result);
    text_free(&page);
}

static void a_run_that_was_timed_again_shows_each_later_time(void **state)
{
    cJSON *result = cJSON_Parse("{\"verdict\": \"Accepted\"}");
    const StoredRun again = {.id = 14, .time_utc = "2026-11-25T09:30:00Z", .time = {0.0519, 0.012}};
    SubmissionPage submission = a_submission("judged");
    submission.result = result;
    submission.run = 12;
    submission.again = &again;
    submission.again_count = 1;
    Text page = draw(&student, &submission);
    expect(&page, "<dt>Run</dt><dd>12</dd>");
    expect(&page, "<dt>Timed again</dt><dd>51.9");
    expect(&page, ", run 14, 25");
    cJSON_Delete(result);
    text_free(&page);
}

static void a_wrong_sample_shows_two_elements(void **state)
{
    cJSON *result = cJSON_Parse(
        "{\"verdict\": \"Wrong Answer\", \"cases\": [{\"name\": \"small\", \"verdict\": \"Wrong Answer\", \"sizes\": {\"n\": 4}, "
        "\"text\": \"every element: `x` is wrong\", \"wrong\": 3, \"count\": 4, "
        "\"first_wrong\": {\"position\": [0, 1], \"expected\": 2, \"got\": 3, \"error\": 1, \"bound\": 0.5}, "
        "\"worst_wrong\": {\"position\": [1, 0], \"expected\": 2, \"bound\": 0.5}}]}");
    SubmissionPage submission = a_submission("judged");
    submission.result = result;
    Text page = draw(&student, &submission);
    expect(&page, "3 of 4 elements are beyond their bounds.");
    expect(&page, "output[0][1]");
    expect(&page, "not a number");
    expect(&page, "<code>x</code> is wrong");
    expect(&page, "there is no picture of its output");
    cJSON_Delete(result);
    text_free(&page);
}

/* Rows and columns as they are; what is wrong in bold. */
static void the_pictures_of_an_output_have_their_numbers(void **state)
{
    cJSON *result = cJSON_Parse(
        "{\"verdict\": \"Wrong Answer\", \"cases\": [{\"name\": \"small\", \"verdict\": \"Wrong Answer\", \"sizes\": {\"n\": 4}, "
        "\"wrong\": 1, \"count\": 4, \"first_wrong\": {\"position\": [0, 1]}, "
        "\"output\": {\"shape\": [2, 2], \"type\": \"float\", \"expected\": [1, 2, 3, 4], \"got\": [1, 9, null, 4], "
        "\"bounds\": [0.1, 0.1, 0.1, 0.1]}}]}");
    SubmissionPage submission = a_submission("judged");
    submission.result = result;
    Text page = draw(&student, &submission);
    expect(&page, "<img src=\"data:image/png;base64,iVBORw0KGgo");
    expect(&page, "alt=\"Expected, as a picture of 2 by 2 cells\"");
    expect(&page, "<td class=\"number\">1</td><td class=\"number\"><strong>9</strong> (2)</td>");
    expect(&page, "<td class=\"number\">?</td><td class=\"number\">4</td>");
    cJSON_Delete(result);
    text_free(&page);
}

static void a_hidden_case_has_words_alone(void **state)
{
    cJSON *result = cJSON_Parse(
        "{\"verdict\": \"Wrong Answer\", \"cases\": [{\"name\": \"hidden 4\", \"verdict\": \"Wrong Answer\", "
        "\"timed\": false, \"text\": \"the last columns\", \"max_error\": 0.1}, "
        "{\"name\": \"large\", \"verdict\": \"not run\", \"timed\": true, \"sizes\": {}}]}");
    SubmissionPage submission = a_submission("judged");
    submission.result = result;
    Text page = draw(&student, &submission);
    expect(&page, "Hidden cases: 0 of 1 accepted");
    expect(&page, "the last columns");
    expect_not(&page, "<img");
    expect(&page, "Timed cases: not run");
    cJSON_Delete(result);
    text_free(&page);
}

static void a_run_of_the_database_is_a_result(void **state)
{
    Run run = {
        .board = {.problem = "conv1d", .device = "sim-h200"},
        .person = "Ada",
        .verdict = "Accepted",
        .rank_status = "ranked",
        .time = {0.1627, 0.005},
        .sitting = "{\"copy_bytes_per_s\": 4e12, \"fma_flops_per_s\": 6e13}",
        .cases =
            "[{\"name\": \"long\", \"verdict\": \"Accepted\", \"timed\": true, \"sizes\": {\"n\": 4}, \"time_ms\": 0.1627, "
            "\"uncertainty\": 0.005, \"gflops\": 4000, \"gbytes_per_s\": 100}]"};
    cJSON *result = submission_of_run(&run), *sitting = cJSON_Parse(run.sitting);
    SubmissionPage submission = a_submission("judged");
    submission.result = result;
    submission.sitting = sitting;
    Text page = draw(&report, &submission);
    expect(&page, "162.7\u00A0±\u00A00.8\u00A0µs");
    expect(&page, "Time (modelled)");
    expect(&page, "The roof: 60,000 GFLOP/s, and 4,000 GB/s of copying.");
    expect(&page, "href=\"problem-conv1d.html\"");
    expect_not(&page, "href=\"/");
    text_free(&page);
    cJSON_Delete(result);
    cJSON_Delete(sitting);
    run.cases = "{";
    assert_null(submission_of_run(&run));
}

static void a_rank_by_another_submission_is_said_to_be_that(void **state)
{
    static const Standing standing = {.person = "Ada", .time = {0.1, 0.005}, .rank = 1};
    const BoardPage board = {.device = "sim-h200", .standings = &standing, .standing_count = 1};
    cJSON *result = cJSON_Parse("{\"verdict\": \"Accepted\", \"score_ms\": 0.2, \"uncertainty\": 0.005}");
    SubmissionPage submission = a_submission("judged");
    submission.result = result;
    submission.board = &board;
    submission.rank = submission.of = 1;
    Text page = draw(&student, &submission);
    expect(&page, "<dt>Rank, by a faster one</dt><dd>1 of 1</dd>");
    text_free(&page);
    cJSON_Delete(result);
}

static void a_long_source_is_cut(void **state)
{
    Text source = {0};
    for (int i = 0; i < 20000; i++)
        text_printf(&source, "<%d>;\n", i);
    SubmissionPage submission = a_submission("judged");
    submission.source = source.data;
    Text page = draw(&student, &submission);
    assert_true(page.length < 300000);
    expect(&page, "lines more are not shown here");
    text_free(&page);
    text_free(&source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_that_was_timed_again_shows_each_later_time),
        cmocka_unit_test(a_waiting_submission_says_how_many_are_ahead),
        cmocka_unit_test(a_submission_under_way_shows_its_progress),
        cmocka_unit_test(an_ended_submission_needs_no_script),
        cmocka_unit_test(everything_that_people_wrote_is_escaped),
        cmocka_unit_test(a_wrong_sample_shows_two_elements),
        cmocka_unit_test(the_pictures_of_an_output_have_their_numbers),
        cmocka_unit_test(a_hidden_case_has_words_alone),
        cmocka_unit_test(a_run_of_the_database_is_a_result),
        cmocka_unit_test(a_rank_by_another_submission_is_said_to_be_that),
        cmocka_unit_test(a_long_source_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
