#include "service/web/parts.h"
#include "service/web/template.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>

static const Site student = {.person = "Ada"}, report = {.is_static = true};

/* Shows a submission of these members, which are deleted, whose record is known so far. */
static Text draw(const Site *site, cJSON *values, SubmissionRecord record)
{
    Text page = {0};
    submission_put(values, &record);
    site_show(&page, site, "submission", values);
    assert_null(strstr(page.data, ".html:"));
    assert_null(strstr(page.data, "nothing shows"));
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

static cJSON *a_submission(const char *state)
{
    cJSON *values = cJSON_CreateObject();
    values_put(values,
               "number=%d person=%s problem=%s problem_title=%s file_name=%s mode=%s state=%s ahead=%d expected_s=%d"
               " can_withdraw=%d step=%s done=%d total=%d run=%d rank=%d of=%d",
               12, "Ada", "conv1d", "conv1d", "mine.cu", "rank", state, 0, 0, 0, "", 0, 0, 0, 0, 0);
    return values;
}

static void set_number(cJSON *values, const char *name, double number)
{
    cJSON_ReplaceItemInObject(values, name, cJSON_CreateNumber(number));
}

static void set_text(cJSON *values, const char *name, const char *text)
{
    cJSON_ReplaceItemInObject(values, name, cJSON_CreateString(text));
}

static void a_waiting_submission_says_how_many_are_ahead(void **state)
{
    cJSON *values = a_submission("waiting");
    SubmissionRecord record = {0};
    set_number(values, "ahead", 3);
    set_number(values, "expected_s", 40);
    Text page = draw(&student, values, record);
    expect(&page, "3 submissions are ahead, about 40\u00A0s.");
    expect(&page, "<script src=\"/static/live.js\" defer></script>");
    expect(&page, "data-events=\"/api/v1/submissions/12/events\"");
    expect_not(&page, "Withdraw");
    text_free(&page);
    values = a_submission("waiting");
    set_number(values, "ahead", 1);
    set_number(values, "can_withdraw", 1);
    page = draw(&student, values, record);
    expect(&page, "1 submission is ahead");
    expect(&page, "action=\"/submissions/12/withdraw\"");
    text_free(&page);
}

static void a_submission_under_way_shows_its_progress(void **state)
{
    cJSON *values = a_submission("judging");
    SubmissionRecord record = {0};
    set_text(values, "step", "hidden cases");
    set_number(values, "done", 4);
    set_number(values, "total", 34);
    Text page = draw(&student, values, record);
    expect(&page, "hidden cases: 4 of 34");
    expect(&page, "max=\"34\" value=\"4\"");
    text_free(&page);
}

static void an_ended_submission_needs_no_script(void **state)
{
    static const char *const states[][2] = {
        {"held", "Held"}, {"withdrawn", "Withdrawn"}, {"judged", "The judge keeps no details of it."}};
    for (size_t i = 0; i < 3; i++) {
        cJSON *values = a_submission(states[i][0]);
        SubmissionRecord record = {0};
        Text page = draw(&student, values, record);
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
    cJSON *values = a_submission("judged");
    SubmissionRecord record = {0};
    cJSON_AddStringToObject(result, "text", hostile);
    cJSON_AddStringToObject(result, "rank_status", hostile);
    cJSON_AddStringToObject(result, "device_name", hostile);
    cJSON_AddStringToObject(cJSON_GetObjectItem(result, "compile"), "diagnostics", hostile);
    cJSON_AddStringToObject(cJSON_GetArrayItem(cJSON_GetObjectItem(result, "cases"), 0), "text", hostile);
    cJSON_ReplaceItemInObject(cJSON_GetArrayItem(cJSON_GetObjectItem(result, "cases"), 0), "printed",
                              cJSON_CreateString(hostile));
    record.result = result;
    record.source = hostile;
    set_text(values, "person", hostile);
    set_text(values, "file_name", hostile);
    set_text(values, "problem_title", hostile);
    Text page = draw(&student, values, record);
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
    cJSON *values = a_submission("judged");
    SubmissionRecord record = {0};
    record.result = result;
    set_number(values, "run", 12);
    cJSON_AddItemToObject(values, "again",
                          cJSON_Parse("[{\"run\": 14, \"time_utc\": \"2026-11-25T09:30:00Z\", \"time_ms\": 0.0519,"
                                      " \"uncertainty\": 0.012}]"));
    Text page = draw(&student, values, record);
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
    cJSON *values = a_submission("judged");
    SubmissionRecord record = {0};
    record.result = result;
    Text page = draw(&student, values, record);
    expect(&page, "3 of 4 elements are beyond their bounds.");
    expect(&page, "output[0][1]");
    expect(&page, "not a number");
    expect(&page, "<code>x</code> is wrong");
    expect(&page, "there is no picture of its output");
    cJSON_Delete(result);
    text_free(&page);
}

#define TRACED(CELLS)                                                                                                          \
    "{\"verdict\": \"Wrong Answer\", \"cases\": [{\"name\": \"small\", \"verdict\": \"Wrong Answer\", \"sizes\": {\"n\": 4}, " \
    "\"wrong\": 3, \"count\": 4, \"first_wrong\": {\"position\": [2]}, \"trace\": {\"case\": \"small\", \"element\": "         \
    "\"output[2]\", \"expected\": 5, \"is_wrong\": true, \"writer\": \"It is stored by <b>.\", \"sentence\": "                 \
    "\"input[2] is missing.\", \"rows\": [{\"mark\": \"first\", \"term\": \"\", \"value\": 0, \"lines\": \"\", "               \
    "\"expected\": \"input[2]\"}], \"maps\": [{\"array\": \"input\", \"first_row\": 0, \"first_column\": 1, \"rows\": 1, "     \
    "\"columns\": 3, \"cells\": \"" CELLS "\"}]}}]}"

static void a_wrong_sample_shows_its_trace(void **state)
{
    cJSON *result = cJSON_Parse(TRACED("=-."));
    cJSON *values = a_submission("judged");
    SubmissionRecord record = {0};
    record.result = result;
    Text page = draw(&student, values, record);
    expect(&page, "<summary>Why is output[2] wrong?</summary>");
    expect(&page, "has no number, expected 5. It is stored by &lt;b&gt;.");
    expect(&page, "<p class=\"finding\">input[2] is missing.</p>");
    expect(&page, "aria-label=\"Terms of output[2]\"");
    expect(&page, "Used as by the oracle: [1]. Used only by the oracle: [2]. ");
    expect(&page, "Elements that its terms use. Blue: as the oracle does.");
    cJSON_Delete(result);
    text_free(&page);
}

static void a_trace_that_does_not_fit_its_map_is_left_out(void **state)
{
    cJSON *result = cJSON_Parse(TRACED("=-"));
    cJSON *values = a_submission("judged");
    SubmissionRecord record = {0};
    record.result = result;
    Text page = draw(&student, values, record);
    assert_null(strstr(page.data, "Why is"));
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
    cJSON *values = a_submission("judged");
    SubmissionRecord record = {0};
    record.result = result;
    Text page = draw(&student, values, record);
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
    cJSON *values = a_submission("judged");
    SubmissionRecord record = {0};
    record.result = result;
    Text page = draw(&student, values, record);
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
    cJSON *values = a_submission("judged");
    SubmissionRecord record = {0};
    record.result = result;
    record.sitting = sitting;
    Text page = draw(&report, values, record);
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
    static Standing standing = {.person = "Ada", .time = {0.1, 0.005}, .rank = 1};
    const BoardPage board = {.device = "sim-h200", .standings = &standing, .standing_count = 1};
    cJSON *result = cJSON_Parse("{\"verdict\": \"Accepted\", \"score_ms\": 0.2, \"uncertainty\": 0.005}");
    cJSON *values = a_submission("judged");
    SubmissionRecord record = {0};
    record.result = result;
    record.board = &board;
    set_number(values, "rank", 1);
    set_number(values, "of", 1);
    Text page = draw(&student, values, record);
    expect(&page, "<dt>Rank of a faster submission</dt><dd>1 of 1</dd>");
    text_free(&page);
    cJSON_Delete(result);
}

static void a_long_source_is_cut(void **state)
{
    Text source = {0};
    for (int i = 0; i < 20000; i++)
        text_printf(&source, "<%d>;\n", i);
    cJSON *values = a_submission("judged");
    SubmissionRecord record = {0};
    record.source = source.data;
    Text page = draw(&student, values, record);
    assert_true(page.length < 300000);
    expect(&page, "lines more are not shown here");
    text_free(&page);
    text_free(&source);
}

/* What is told of an accepted submission: as `convjudge explain --json` writes it. */
static void advice_names_the_step_after_it_and_explains_its_terms(void **state)
{
    cJSON *explain = cJSON_Parse(
        "{\"case\": \"long\", \"seconds\": 0.001, \"telling\": \"advice\", \"words\": \"The next step comes after that: Tiles.\","
        " \"advice\": [{\"id\": \"waits\", \"line\": 1, \"case\": 1, \"gain\": 0.3, \"text\": \"A warp waits\"}],"
        " \"kernels\": [{\"name\": \"conv\", \"bound\": \"latency\"}], \"lines\": []}");
    const SubmissionRecord record = {.explain = explain, .source = "wait();\n"};
    Text page = draw(&student, a_submission("done"), record);
    expect(&page, "A warp waits.");
    expect(&page, "<p>The next step comes after that: Tiles.</p>");
    expect(&page, "<dt>warp</dt><dd>32 threads of a block");
    expect(&page, "<dt>latency</dt>");
    expect_not(&page, "<dt>halo</dt>");
    text_free(&page);
    cJSON_Delete(explain);
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
        cmocka_unit_test(a_wrong_sample_shows_its_trace),
        cmocka_unit_test(a_trace_that_does_not_fit_its_map_is_left_out),
        cmocka_unit_test(the_pictures_of_an_output_have_their_numbers),
        cmocka_unit_test(a_hidden_case_has_words_alone),
        cmocka_unit_test(a_run_of_the_database_is_a_result),
        cmocka_unit_test(a_rank_by_another_submission_is_said_to_be_that),
        cmocka_unit_test(a_long_source_is_cut),
        cmocka_unit_test(advice_names_the_step_after_it_and_explains_its_terms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
