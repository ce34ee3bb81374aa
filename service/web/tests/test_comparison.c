/* The page and the command line compare two results by one rule. */
#include "base/tests/unit.h"

#include "base/json.h"
#include "grader/report/time_change.h"
#include "service/web/parts.h"
#include "service/web/template.h"

#include <stdio.h>
#include <string.h>

static const char *const board = "\"problem\": \"conv1d\", \"device\": \"sim-h200\", \"revision\": \"a\", \"epoch\": 1";

/* The members of a result that name its board, and what is said of it beside a result of `board`; "": they compare. */
static const struct {
    const char *members, *obstacle;
} rows[] = {
    {"\"problem\": \"conv1d\", \"device\": \"sim-h200\", \"revision\": \"a\", \"epoch\": 1", ""},
    {"\"problem\": \"conv2d\", \"device\": \"sim-h200\", \"revision\": \"a\", \"epoch\": 1",
     "the problems differ, conv1d and conv2d"},
    {"\"problem\": \"conv1d\", \"device\": \"sim-a100\", \"revision\": \"a\", \"epoch\": 1",
     "the devices differ, sim-h200 and sim-a100"},
    {"\"problem\": \"conv1d\", \"device\": \"sim-h200\", \"revision\": \"b\", \"epoch\": 2",
     "the problem was changed between them"},
    {"\"problem\": \"conv1d\", \"device\": \"sim-h200\", \"revision\": \"a\", \"epoch\": 2",
     "the way of measuring was changed between them"},
};

static cJSON *result(const char *members, double ms)
{
    char text[500];
    snprintf(
        text, sizeof text,
        "{%s, \"score_ms\": %g, \"uncertainty\": 0.005, \"cases\": [{\"name\": \"one\", \"timed\": true, \"time_ms\": "
        "%g, \"uncertainty\": 0.005}]}",
        members, ms, ms);
    return cJSON_Parse(text);
}

static ComparedSubmission submission(int64_t number, double ms, const cJSON *object)
{
    return (ComparedSubmission){.row = {.id = number,
                                        .person = "Ada",
                                        .problem = "conv1d",
                                        .file_name = "x.cu",
                                        .state = "recorded",
                                        .verdict = "Accepted",
                                        .time = {ms, 0.005},
                                        .device = "sim-h200"},
                                .result = object};
}

static void compare(Text *page, const ComparedSubmission *one, const ComparedSubmission *other)
{
    cJSON *values = comparison(one, other);
    template_try(page, "{{>comparison}}", values);
    cJSON_Delete(values);
}

static void the_page_refuses_what_the_rule_refuses(void **state)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        cJSON *before = result(board, 0.2), *after = result(rows[i].members, 0.1);
        const ComparedSubmission one = submission(1, 0.2, before), other = submission(2, 0.1, after);
        Text page = {0};
        char why[300], sentence[400];
        time_change_obstacle(before, after, why, sizeof why);
        assert_string_equal(why, rows[i].obstacle);
        compare(&page, &one, &other);
        snprintf(sentence, sizeof sentence, "cannot be compared: %s.", why);
        if ((strstr(page.data, "faster") != NULL) != (why[0] == '\0') ||
            (strstr(page.data, sentence) == NULL) != (why[0] == '\0'))
            fail_test("row %zu: %s", i, page.data);
        text_free(&page);
        cJSON_Delete(before);
        cJSON_Delete(after);
    }
}

static void without_a_time_there_is_nothing_to_compare(void **state)
{
    cJSON *object = result(board, 0.2);
    const ComparedSubmission one = submission(1, 0, object), other = submission(2, 0.2, object);
    Text page = {0};
    compare(&page, &one, &other);
    assert_non_null(strstr(page.data, "cannot be compared: both need one."));
    text_free(&page);
    cJSON_Delete(object);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_page_refuses_what_the_rule_refuses),
        cmocka_unit_test(without_a_time_there_is_nothing_to_compare),
    };
    return cmocka_run_group_tests_name("comparison", tests, NULL, NULL);
}
