#include "grader/exchange/junit.h"

#include <string.h>

/* ---- XML --------------------------------------------------------------------------------------------------------- */

/* XML 1.0, section 2.2 "Characters", has neither of these two, U+FFFE and U+FFFF, which are correct UTF-8. */
static size_t forbidden(const char *at)
{
    return strncmp(at, "\xEF\xBF\xBE", 3) == 0 || strncmp(at, "\xEF\xBF\xBF", 3) == 0 ? 3 : 0;
}

/* Line breaks are written as numbers, since attributes would lose them. */
static void add_escaped(Text *out, const char *text)
{
    Text clean = {0};
    outcome_add_clean(&clean, text);
    for (const char *at = clean.data; *at != '\0'; at++) {
        switch (*at) {
        case '&': text_add(out, "&amp;"); break;
        case '<': text_add(out, "&lt;"); break;
        case '>': text_add(out, "&gt;"); break;
        case '"': text_add(out, "&quot;"); break;
        case '\n': text_add(out, "&#10;"); break;
        case '\t': text_add(out, "&#9;"); break;
        default:
            if (forbidden(at) > 0) {
                text_add(out, "?");
                at += forbidden(at) - 1;
            } else {
                text_append(out, at, 1);
            }
        }
    }
    text_free(&clean);
}

static void add_attribute(Text *out, const char *name, const char *value)
{
    text_printf(out, " %s=\"", name);
    add_escaped(out, value);
    text_add(out, "\"");
}

/* Nine digits after the point: a nanosecond. */
static void add_time(Text *out, double seconds)
{
    text_printf(out, " time=\"%.9f\"", seconds);
}

static void add_element(Text *out, const char *name, const char *content)
{
    text_printf(out, "    <%s>", name);
    for (const char *line = content; *line != '\0';) { /* with its line breaks, unlike an attribute */
        const size_t length = strcspn(line, "\n");
        Text part = {0};
        text_append(&part, line, length);
        text_add(&part, "");
        add_escaped(out, part.data);
        text_free(&part);
        line += length;
        if (*line == '\n') {
            text_add(out, "\n");
            line++;
        }
    }
    text_printf(out, "</%s>\n", name);
}

/* ---- test cases -------------------------------------------------------------------------------------------------- */

typedef struct Suite {
    const Outcome *outcome;
    const char *name; /* of the problem */
    int tests, failures, errors, skipped;
    Text cases;
} Suite;

/* "failure", "error" or "skipped" */
static void add_trouble(Text *out, const char *element, const char *type, const char *message)
{
    text_printf(out, "    <%s", element);
    if (type[0] != '\0')
        add_attribute(out, "type", type);
    if (message[0] != '\0')
        add_attribute(out, "message", message);
    text_add(out, "/>\n");
}

static void begin_case(Suite *suite, const char *class, const char *name, double seconds)
{
    Text full = {0};
    text_printf(&full, "%s%s%s", suite->name, class[0] == '\0' ? "" : ".", class);
    suite->tests++;
    text_add(&suite->cases, "  <testcase");
    add_attribute(&suite->cases, "classname", full.data);
    add_attribute(&suite->cases, "name", name);
    if (seconds > 0)
        add_time(&suite->cases, seconds);
    text_add(&suite->cases, ">\n");
    text_free(&full);
}

static void end_case(Suite *suite)
{
    text_add(&suite->cases, "  </testcase>\n");
}

static void add_result(Suite *suite, const char *verdict, const char *text)
{
    if (strcmp(verdict, "Accepted") == 0)
        return;
    if (strcmp(verdict, "Judge Error") == 0) {
        suite->errors++;
        add_trouble(&suite->cases, "error", verdict, text);
    } else {
        suite->failures++;
        add_trouble(&suite->cases, "failure", verdict, text);
    }
}

static void add_case(Suite *suite, const cJSON *item)
{
    static const char *const classes[] = {"sample", "hidden", "timed"};
    begin_case(suite, classes[outcome_case_kind(item)], outcome_string(item, "name"),
               1e-3 * outcome_number(item, "time_ms"));
    if (outcome_case_was_run(item)) {
        add_result(suite, outcome_case_verdict(item), outcome_string(item, "text"));
    } else {
        suite->skipped++;
        add_trouble(&suite->cases, "skipped", "", "not run");
    }
    end_case(suite);
}

/* The verdict of a submission that failed in no case, by the compiler for example, is that of the first test case. */
static void add_first_case(Suite *suite)
{
    const cJSON *result = suite->outcome->result, *compile = json_get(result, "compile"), *item;
    bool failed_in_a_case = false;
    cJSON_ArrayForEach(item, json_get(result, "cases"))
    {
        if (outcome_case_was_run(item) && strcmp(outcome_case_verdict(item), "Accepted") != 0)
            failed_in_a_case = true;
    }
    begin_case(suite, "", "compile", outcome_number(compile, "seconds"));
    if (!failed_in_a_case)
        add_result(suite, outcome_verdict(suite->outcome), outcome_text(suite->outcome));
    if (outcome_string(compile, "diagnostics")[0] != '\0')
        add_element(&suite->cases, "system-out", outcome_string(compile, "diagnostics"));
    end_case(suite);
}

static void add_all_cases(Suite *suite)
{
    const Outcome *outcome = suite->outcome;
    const cJSON *item;
    if (outcome->result == NULL) {
        begin_case(suite, "", "grading", 0);
        suite->errors++;
        add_trouble(&suite->cases, "error", "not graded", outcome->trouble);
        end_case(suite);
        return;
    }
    add_first_case(suite);
    cJSON_ArrayForEach(item, json_get(outcome->result, "cases"))
    {
        add_case(suite, item);
    }
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static void add_property(Text *out, const char *name, const char *value)
{
    if (value[0] == '\0')
        return;
    text_add(out, "    <property");
    add_attribute(out, "name", name);
    add_attribute(out, "value", value);
    text_add(out, "/>\n");
}

static void add_properties(const Outcome *outcome, Text *out)
{
    static const char *const keys[] = {"verdict",     "rank_status", "problem", "revision", "file",
                                       "source_hash", "device_name", "toolkit", "judge"};
    Text score = {0}, list = {0};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        add_property(&list, keys[i], outcome_string(outcome->result, keys[i]));
    if (outcome_number(outcome->result, "score_ms") > 0) {
        text_printf(&score, "%.9g", outcome_number(outcome->result, "score_ms"));
        add_property(&list, "score_ms", score.data);
        add_property(&list, "modelled", cJSON_IsTrue(json_get(outcome->result, "modelled")) ? "true" : "false");
    }
    if (list.length > 0)
        text_printf(out, "  <properties>\n%s  </properties>\n", list.data);
    text_free(&score);
    text_free(&list);
}

void junit_write(const Outcome *outcome, Text *out)
{
    Suite suite = {.outcome = outcome, .name = outcome_string(outcome->result, "problem")};
    if (suite.name[0] == '\0')
        suite.name = "convjudge";
    add_all_cases(&suite);
    text_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite");
    add_attribute(out, "name", suite.name);
    text_printf(out, " tests=\"%d\" failures=\"%d\" errors=\"%d\" skipped=\"%d\"", suite.tests, suite.failures,
                suite.errors, suite.skipped);
    add_time(out, outcome_seconds(outcome));
    if (strlen(outcome_string(outcome->result, "time_utc")) == strlen("2026-01-31T12:00:00Z"))
        text_printf(out, " timestamp=\"%.19s\"", outcome_string(outcome->result, "time_utc"));
    text_add(out, ">\n");
    add_properties(outcome, out);
    text_append(out, suite.cases.data, suite.cases.length);
    if (outcome->report != NULL)
        add_element(out, "system-out", outcome->report);
    text_add(out, "</testsuite>\n</testsuites>\n");
    text_free(&suite.cases);
}
