#include "base/tests/unit.h"

#include <stdio.h>
#include <string.h>

#include "grader/report/exchange.h"

typedef struct Fixture {
    JsonFile result, gradescope;
    Outcome outcome;
    Text text, xml;
} Fixture;

/* A result with this verdict, these members and these cases. */
static void make(Fixture *fixture, const char *verdict, const char *members, const char *cases)
{
    Text text = {0};
    text_printf(&text,
                "{\"schema\": 1, \"verdict\": \"%s\", \"text\": \"a sentence\", \"problem\": \"conv1d\", \"time_utc\": "
                "\"2026-01-31T12:00:00Z\", \"seconds\": {\"start\": 1, \"compile\": 2.5}%s, \"cases\": [%s]}",
                verdict, members, cases);
    *fixture = (Fixture){0};
    assert_int_equal(json_parse("result", text.data, text.length, &fixture->result, NULL), STATUS_OK);
    fixture->outcome = (Outcome){.result = fixture->result.root, .report = "Verdict  mine.cu\n  a line\n"};
    text_free(&text);
}

static void write_both(Fixture *fixture)
{
    Message why = {0};
    gradescope_write(&fixture->outcome, &fixture->text);
    if (json_parse("results.json", fixture->text.data, fixture->text.length, &fixture->gradescope, &why) != STATUS_OK)
        fail_test("%s in:\n%s", why.text, fixture->text.data);
    junit_write(&fixture->outcome, &fixture->xml);
}

static void tear_down(Fixture *fixture)
{
    json_free(&fixture->result);
    json_free(&fixture->gradescope);
    text_free(&fixture->text);
    text_free(&fixture->xml);
}

static void holds(const Text *text, const char *part)
{
    if (strstr(text->data, part) == NULL)
        fail_test("\"%s\" is missing in:\n%s", part, text->data);
}

static void lacks(const Text *text, const char *part)
{
    if (strstr(text->data, part) != NULL)
        fail_test("\"%s\" stands in:\n%s", part, text->data);
}

/* The test of a number, "3.1"; NULL where there is none. */
static const cJSON *test_of(const Fixture *fixture, const char *number)
{
    const cJSON *test;
    cJSON_ArrayForEach(test, json_get(fixture->gradescope.root, "tests"))
    {
        if (strcmp(json_string(test, "number"), number) == 0)
            return test;
    }
    return NULL;
}

static void is(const Fixture *fixture, const char *number, const char *key, const char *expected)
{
    const cJSON *test = test_of(fixture, number);
    assert_non_null(test);
    assert_string_equal(json_string(test, key), expected);
}

static const char sample[] =
    "{\"name\": \"one tap\", \"verdict\": \"Accepted\", \"timed\": false, \"sizes\": {\"n\": 1}}";
static const char hidden[] =
    "{\"name\": \"hidden 4\", \"verdict\": \"Wrong Answer\", \"timed\": false, \"text\": \"the last element\"}";
static const char not_run[] = "{\"name\": \"hidden 5\", \"verdict\": \"not run\", \"timed\": false}";
static const char timed[] =
    "{\"name\": \"longest\", \"verdict\": \"Accepted\", \"timed\": true, \"sizes\": {\"n\": 9}, \"time_ms\": 0.5}";

static void cases_become_tests_and_hidden_ones_are_for_teachers(void **state)
{
    Fixture fixture;
    char cases[1000];
    snprintf(cases, sizeof cases, "%s, %s, %s, %s", sample, hidden, not_run, timed);
    make(&fixture, "Wrong Answer", ", \"modelled\": true", cases);
    write_both(&fixture);
    is(&fixture, "1", "name", "Wrong Answer");
    is(&fixture, "1", "status", "failed");
    is(&fixture, "1", "output", "Verdict  mine.cu\n  a line\n");
    is(&fixture, "3.1", "name", "sample: one tap: Accepted");
    is(&fixture, "3.1", "visibility", "visible");
    is(&fixture, "3.1", "status", "passed");
    is(&fixture, "4.1", "name", "hidden 4: Wrong Answer");
    is(&fixture, "4.1", "visibility", "hidden");
    is(&fixture, "4.1", "output", "the last element");
    assert_null(test_of(&fixture, "4.2"));
    is(&fixture, "5.1", "name", "timed: longest: Accepted");
    is(&fixture, "5.1", "output", "500 us (modelled)");
    assert_int_equal(json_get(test_of(&fixture, "1"), "score")->valueint, 0);
    assert_int_equal(json_get(test_of(&fixture, "1"), "max_score")->valueint, 1);
    assert_null(json_get(test_of(&fixture, "4.1"), "score"));
    holds(&fixture.text, "\"execution_time\":\t3.5");

    holds(&fixture.xml,
          "<testsuite name=\"conv1d\" tests=\"5\" failures=\"1\" errors=\"0\" skipped=\"1\" time=\"3.500000000\" "
          "timestamp=\"2026-01-31T12:00:00\">");
    holds(&fixture.xml, "<testcase classname=\"conv1d.sample\" name=\"one tap\">");
    holds(&fixture.xml, "<failure type=\"Wrong Answer\" message=\"the last element\"/>");
    holds(&fixture.xml, "<skipped message=\"not run\"/>");
    holds(&fixture.xml, "<testcase classname=\"conv1d.timed\" name=\"longest\" time=\"0.000500000\">");
    holds(&fixture.xml, "<system-out>Verdict  mine.cu\n  a line\n</system-out>");
    tear_down(&fixture);
}

static void only_a_run_that_ranks_has_rows_on_the_board(void **state)
{
    static const char members[] =
        ", \"score_ms\": 0.16271, \"modelled\": true, \"percentile\": {\"references\": {\"n\": 8, "
        "\"value\": 31.25}, \"class\": {\"n\": 0}}, \"rank_status\": \"%s\"";
    static const char *const statuses[] = {"ranked", "quarantined: too fast", "not ranked: --no-record"};
    for (size_t i = 0; i < COUNT_OF(statuses); i++) {
        Fixture fixture;
        char text[500];
        snprintf(text, sizeof text, members, statuses[i]);
        make(&fixture, "Accepted", text, timed);
        write_both(&fixture);
        const cJSON *board = json_get(fixture.gradescope.root, "leaderboard");
        assert_int_equal(board != NULL, i == 0);
        if (i == 0) {
            assert_int_equal(cJSON_GetArraySize(board), 2);
            assert_string_equal(json_string(cJSON_GetArrayItem(board, 0), "name"), "Time (us, modelled)");
            assert_string_equal(json_string(cJSON_GetArrayItem(board, 0), "order"), "asc");
            assert_true(json_get(cJSON_GetArrayItem(board, 0), "value")->valuedouble == 162.7);
            assert_true(json_get(cJSON_GetArrayItem(board, 1), "value")->valuedouble == 31.25);
        }
        assert_int_equal(json_get(test_of(&fixture, "1"), "score")->valueint, 1);
        holds(&fixture.xml, "<property name=\"score_ms\" value=\"0.16271\"/>");
        tear_down(&fixture);
    }
}

static void points_take_the_place_of_the_score(void **state)
{
    const OutcomePoints points[] = {{"accepted", 4, 4, "accepted"}, {"odd sizes", 0, 3.5, "hidden 4 failed"}};
    for (int is_public = 0; is_public < 2; is_public++) {
        Fixture fixture;
        make(&fixture, "Wrong Answer", "", hidden);
        fixture.outcome.points = points;
        fixture.outcome.point_count = COUNT_OF(points);
        fixture.outcome.points_are_public = is_public;
        write_both(&fixture);
        assert_null(json_get(test_of(&fixture, "1"), "score"));
        is(&fixture, "2.2", "name", "odd sizes");
        is(&fixture, "2.2", "output", "hidden 4 failed");
        is(&fixture, "2.2", "visibility", is_public ? "visible" : "after_published");
        assert_true(json_get(test_of(&fixture, "2.2"), "max_score")->valuedouble == 3.5);
        tear_down(&fixture);
    }
}

static void where_the_judge_failed_there_is_no_score(void **state)
{
    Fixture fixture;
    const OutcomePoints points[] = {{"accepted", 0, 4, ""}};
    make(&fixture, "Judge Error", "", not_run);
    fixture.outcome.points = points;
    fixture.outcome.point_count = 1;
    write_both(&fixture);
    lacks(&fixture.text, "score\"");
    holds(&fixture.text, "the judge failed, not your file");
    holds(&fixture.xml, "failures=\"0\" errors=\"1\" skipped=\"1\"");
    holds(&fixture.xml, "<error type=\"Judge Error\" message=\"a sentence\"/>");
    tear_down(&fixture);

    fixture = (Fixture){.outcome = {.trouble = "It waits.", .keeper = "https://judge.example.org", .submission = 12}};
    write_both(&fixture);
    lacks(&fixture.text, "score\"");
    assert_string_equal(json_string(fixture.gradescope.root, "output"),
                        "It waits. Submission 12 at https://judge.example.org.");
    is(&fixture, "1", "name", "Not graded");
    is(&fixture, "1", "output", "It waits.");
    holds(&fixture.xml, "<testsuite name=\"convjudge\" tests=\"1\" failures=\"0\" errors=\"1\"");
    holds(&fixture.xml, "<error type=\"not graded\" message=\"It waits.\"/>");
    lacks(&fixture.xml, " time=\"1");
    tear_down(&fixture);
}

static void what_the_compiler_refuses_fails_in_the_first_case(void **state)
{
    Fixture fixture;
    make(&fixture, "Compile Error", ", \"compile\": {\"diagnostics\": \"a.cu(1): <error>\\nb\"}", not_run);
    write_both(&fixture);
    holds(&fixture.xml, "<failure type=\"Compile Error\" message=\"a sentence\"/>");
    holds(&fixture.xml, "<system-out>a.cu(1): &lt;error&gt;\nb</system-out>");
    assert_int_equal(json_get(test_of(&fixture, "1"), "score")->valueint, 0);
    tear_down(&fixture);
}

/* Names of files and printed text are a submission's. */
static void nothing_breaks_out_of_the_documents(void **state)
{
    Fixture fixture;
    make(
        &fixture, "Wrong Answer", "",
        "{\"name\": \"\\\"><x>&\\u0007\\ufffe\", \"verdict\": \"Wrong Answer\", \"timed\": false, \"text\": \"a\\nb\\u001b[1m\"}");
    fixture.outcome.report = "]]> \xff\xfe \x01 end";
    write_both(&fixture);
    holds(&fixture.xml, "name=\"&quot;&gt;&lt;x&gt;&amp;??\"");
    holds(&fixture.xml, "message=\"a&#10;b?[1m\"");
    holds(&fixture.xml, "<system-out>]]&gt; ?? ? end</system-out>");
    is(&fixture, "1", "output", "]]> ?? ? end");
    tear_down(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cases_become_tests_and_hidden_ones_are_for_teachers),
        cmocka_unit_test(only_a_run_that_ranks_has_rows_on_the_board),
        cmocka_unit_test(points_take_the_place_of_the_score),
        cmocka_unit_test(where_the_judge_failed_there_is_no_score),
        cmocka_unit_test(what_the_compiler_refuses_fails_in_the_first_case),
        cmocka_unit_test(nothing_breaks_out_of_the_documents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
