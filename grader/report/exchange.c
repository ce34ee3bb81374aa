#include "grader/report/exchange.h"

#include "base/terminal.h"
#include "grader/judge/result.h"

#include <stdio.h>
#include <string.h>

/* ==== outcome ===================================================================================================== */

const char *outcome_string(const cJSON *object, const char *key)
{
    const char *text = object == NULL ? NULL : json_string(object, key);
    return text == NULL ? "" : text;
}

static double outcome_number(const cJSON *object, const char *key)
{
    const cJSON *item = object == NULL ? NULL : json_get(object, key);
    return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

/* "Accepted"; "" where nothing was judged. Of the text beside it, as of the others, "" where there is none. */
static const char *outcome_verdict(const Outcome *outcome)
{
    return outcome_string(outcome->result, "verdict");
}

static const char *outcome_text(const Outcome *outcome)
{
    return outcome_string(outcome->result, "text");
}

static bool outcome_is_accepted(const Outcome *outcome)
{
    return strcmp(outcome_verdict(outcome), verdict_name(VERDICT_ACCEPTED)) == 0;
}

/* True if nothing was judged, or if the judge lacks what the submission needs: no score, and no fault of its author. */
static bool outcome_is_unknown(const Outcome *outcome)
{
    return outcome->result == NULL || strcmp(outcome_verdict(outcome), verdict_name(VERDICT_JUDGE_ERROR)) == 0;
}

/* Wall clock of all steps, in seconds. */
static double outcome_seconds(const Outcome *outcome)
{
    static const char *const steps[] = {"start", "compile", "sample", "hidden", "timed", "second_sitting"};
    const cJSON *seconds = outcome->result == NULL ? NULL : json_get(outcome->result, "seconds");
    double sum = 0;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        sum += outcome_number(seconds, steps[i]);
    return sum;
}

/* result.json tells the sizes of every case but hidden ones. */
static OutcomeCaseKind outcome_case_kind(const cJSON *item)
{
    if (cJSON_IsTrue(json_get(item, "timed")))
        return OUTCOME_TIMED;
    return json_get(item, "sizes") == NULL ? OUTCOME_HIDDEN : OUTCOME_SAMPLE;
}

static const char *outcome_case_verdict(const cJSON *item)
{
    return outcome_string(item, "verdict");
}

static bool outcome_case_was_run(const cJSON *item)
{
    return strcmp(outcome_case_verdict(item), "not run") != 0;
}

/* Adds text that both kinds of document can hold: '?' for control characters other than newline and tab, and for bytes that are
 * no UTF-8. */
static void outcome_add_clean(Text *out, const char *text)
{
    const size_t start = out->length;
    text_add_printable(out, text, strlen(text));
    text_add(out, "");
    for (size_t bad; !text_is_utf8(out->data + start, out->length - start, &bad);)
        out->data[start + bad] = '?';
}

/* ==== gradescope ================================================================================================== */

/* Gradescope never hides the total because of a test that is "hidden", which therefore must carry no points. */
static const char VISIBLE[] = "visible", HIDDEN[] = "hidden", LATER[] = "after_published";

/* ---- pieces ------------------------------------------------------------------------------------------------------ */

static void put_text(cJSON *object, const char *key, const char *text)
{
    Text clean = {0};
    outcome_add_clean(&clean, text);
    cJSON_AddStringToObject(object, key, clean.data);
    text_free(&clean);
}

static void put_figure(cJSON *object, const char *key, double value)
{
    char figure[32];
    snprintf(figure, sizeof figure, "%.4g", value);
    cJSON_AddRawToObject(object, key, figure);
}

static cJSON *add_test(cJSON *tests, const char *name, int section, int n, const char *visibility)
{
    cJSON *test = cJSON_CreateObject();
    char place[32];
    snprintf(place, sizeof place, n == 0 ? "%d" : "%d.%d", section, n);
    put_text(test, "name", name);
    cJSON_AddStringToObject(test, "number", place);
    cJSON_AddStringToObject(test, "visibility", visibility);
    cJSON_AddItemToArray(tests, test);
    return test;
}

static void put_status(cJSON *test, bool passed)
{
    cJSON_AddStringToObject(test, "status", passed ? "passed" : "failed");
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

static void add_verdict(const Outcome *outcome, cJSON *tests)
{
    const bool accepted = outcome_is_accepted(outcome);
    cJSON *test = add_test(tests, outcome_verdict(outcome), 1, 0, VISIBLE);
    put_status(test, accepted);
    if (outcome->points == NULL && !outcome_is_unknown(outcome)) {
        cJSON_AddNumberToObject(test, "score", accepted);
        cJSON_AddNumberToObject(test, "max_score", 1);
    }
    put_text(test, "output", outcome->report == NULL ? outcome_text(outcome) : outcome->report);
}

static void add_points(const Outcome *outcome, cJSON *tests)
{
    if (outcome_is_unknown(outcome))
        return;
    for (size_t i = 0; i < outcome->point_count; i++) {
        const OutcomePoints *points = &outcome->points[i];
        cJSON *test = add_test(tests, points->name, 2, (int)i + 1, outcome->points_are_public ? VISIBLE : LATER);
        json_put_number(test, "score", points->points);
        json_put_number(test, "max_score", points->most);
        put_text(test, "output", points->reason);
    }
}

static void put_case_output(const Outcome *outcome, const cJSON *item, cJSON *test)
{
    const double time_ms = outcome_number(item, "time_ms");
    Text time = {0};
    if (outcome_string(item, "text")[0] != '\0') {
        put_text(test, "output", outcome_string(item, "text"));
    } else if (time_ms > 0) {
        text_add(&time, quantity_time(time_ms).text);
        text_add(&time, cJSON_IsTrue(json_get(outcome->result, "modelled")) ? " (modelled)" : "");
        put_text(test, "output", time.data);
        text_free(&time);
    }
}

static void add_cases(const Outcome *outcome, cJSON *tests)
{
    static const char *const prefixes[] = {"sample: ", "", "timed: "};
    const cJSON *item;
    int counts[3] = {0};
    cJSON_ArrayForEach(item, json_get(outcome->result, "cases"))
    {
        const OutcomeCaseKind kind = outcome_case_kind(item);
        const char *verdict = outcome_case_verdict(item);
        Text title = {0};
        counts[kind]++;
        if (!outcome_case_was_run(item))
            continue;
        text_printf(&title, "%s%s: %s", prefixes[kind], outcome_string(item, "name"), verdict);
        cJSON *test = add_test(tests, title.data, 3 + (int)kind, counts[kind],
                               kind == OUTCOME_HIDDEN ? HIDDEN : VISIBLE);
        put_status(test, strcmp(verdict, "Accepted") == 0);
        put_case_output(outcome, item, test);
        text_free(&title);
    }
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static void add_row(cJSON *board, const char *name, double value, const char *order)
{
    cJSON *row = cJSON_CreateObject();
    cJSON_AddStringToObject(row, "name", name);
    put_figure(row, "value", value);
    cJSON_AddStringToObject(row, "order", order);
    cJSON_AddItemToArray(board, row);
}

static void add_percentile(const cJSON *percentiles, const char *key, const char *name, cJSON *board)
{
    const cJSON *percentile = percentiles == NULL ? NULL : json_get(percentiles, key);
    if (outcome_number(percentile, "n") > 0)
        add_row(board, name, outcome_number(percentile, "value"), "desc");
}

static void put_leaderboard(const Outcome *outcome, cJSON *root)
{
    const double score_ms = outcome_number(outcome->result, "score_ms");
    const cJSON *percentiles = json_get(outcome->result, "percentile");
    if (strcmp(outcome_string(outcome->result, "rank_status"), "ranked") != 0 || score_ms <= 0)
        return;
    cJSON *board = cJSON_AddArrayToObject(root, "leaderboard");
    const bool modelled = cJSON_IsTrue(json_get(outcome->result, "modelled"));
    add_row(board, modelled ? "Time (us, modelled)" : "Time (us)", 1e3 * score_ms, "asc");
    add_percentile(percentiles, "references", "Percentile among reference solutions", board);
    add_percentile(percentiles, "class", "Percentile in the class", board);
}

/* Adds data for a teacher's own programs. Gradescope keeps it, and does not show it. */
static void put_extra_data(const Outcome *outcome, cJSON *root)
{
    static const char *const keys[] = {"verdict", "problem",     "revision", "source_hash",
                                       "device",  "rank_status", "judge"};
    cJSON *extra = cJSON_AddObjectToObject(root, "extra_data");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (outcome_string(outcome->result, keys[i])[0] != '\0')
            put_text(extra, keys[i], outcome_string(outcome->result, keys[i]));
    if (outcome->keeper == NULL)
        return;
    put_text(extra, "server", outcome->keeper);
    cJSON_AddNumberToObject(extra, "submission", (double)outcome->submission);
}

static void put_summary(const Outcome *outcome, cJSON *root)
{
    Text summary = {0};
    if (outcome->result == NULL)
        text_add(&summary, outcome->trouble);
    else if (outcome_is_unknown(outcome))
        text_printf(&summary, "%s: the judge failed, not your file. There is no score.", outcome_verdict(outcome));
    else
        text_printf(&summary, "%s. The report stands in test 1.", outcome_verdict(outcome));
    if (outcome->keeper != NULL)
        text_printf(&summary, " Submission %lld at %s.", outcome->submission, outcome->keeper);
    put_text(root, "output", summary.data);
    text_free(&summary);
}

void gradescope_write(const Outcome *outcome, Text *out)
{
    cJSON *root = cJSON_CreateObject();
    put_summary(outcome, root);
    cJSON_AddStringToObject(root, "output_format", "text");
    cJSON_AddStringToObject(root, "test_output_format", "text");
    cJSON_AddStringToObject(root, "test_name_format", "text");
    cJSON_AddStringToObject(root, "visibility", VISIBLE);
    cJSON_AddStringToObject(root, "stdout_visibility", HIDDEN);
    cJSON *tests = cJSON_AddArrayToObject(root, "tests");
    if (outcome->result == NULL) {
        cJSON *test = add_test(tests, "Not graded", 1, 0, VISIBLE);
        put_status(test, false);
        put_text(test, "output", outcome->trouble);
    } else {
        put_figure(root, "execution_time", outcome_seconds(outcome));
        add_verdict(outcome, tests);
        add_points(outcome, tests);
        add_cases(outcome, tests);
        put_leaderboard(outcome, root);
    }
    put_extra_data(outcome, root);
    json_print(root, out);
    cJSON_Delete(root);
}

/* ==== junit ======================================================================================================= */

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
static void junit_add_trouble(Text *out, const char *element, const char *type, const char *message)
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
        junit_add_trouble(&suite->cases, "error", verdict, text);
    } else {
        suite->failures++;
        junit_add_trouble(&suite->cases, "failure", verdict, text);
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
        junit_add_trouble(&suite->cases, "skipped", "", "not run");
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
        junit_add_trouble(&suite->cases, "error", "not graded", outcome->trouble);
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

/* ==== exchange ==================================================================================================== */

static Status check_file(const char *option, const char *path, const char *submission, Message *why)
{
    if (path == NULL)
        return STATUS_OK;
    if (path[0] == '\0' || strcmp(path, "-") == 0)
        return fail(STATUS_BAD_INPUT, why, "--%s: expected the name of a file, found '%s'", option, path);
    return json_target_check(path, submission, why);
}

Status exchange_check(const ExchangeFiles *files, const char *submission, Message *why)
{
    TRY(check_file("gradescope", files->gradescope, submission, why));
    return check_file("junit", files->junit, submission, why);
}

static Status write_view(const char *path, void (*write)(const Outcome *, Text *), const Outcome *outcome, Message *why)
{
    Text text = {0};
    if (path == NULL)
        return STATUS_OK;
    write(outcome, &text);
    Status status = text_write_file(path, &text, why);
    text_free(&text);
    return status;
}

Status exchange_write(const ExchangeFiles *files, const Outcome *outcome, Message *why)
{
    TRY(write_view(files->gradescope, gradescope_write, outcome, why));
    return write_view(files->junit, junit_write, outcome, why);
}

static void add_trouble(const ExchangeFailure *failure, Text *out)
{
    const char *reason = failure->reason.text;
    switch (failure->fault) {
    case FAULT_OF_FILE: text_printf(out, "Your file could not be graded: %s. There is no score.", reason); break;
    case FAULT_OF_JUDGE:
        text_printf(out, "The judge failed, not your file: %s. There is no score; submit it again later.", reason);
        break;
    case NO_VERDICT_YET:
        text_printf(
            out,
            "Your file is submitted and counts, but it is not judged yet: %s. There is no score yet. Look there "
            "later, or ask your teacher to run this autograder again.",
            reason);
    }
}

Status exchange_fail(const ExchangeFiles *files, const ExchangeFailure *failure, Message *why)
{
    Text trouble = {0};
    add_trouble(failure, &trouble);
    const Outcome outcome = {.trouble = trouble.data, .keeper = failure->keeper, .submission = failure->submission};
    Status status = exchange_write(files, &outcome, why);
    text_free(&trouble);
    return status == STATUS_OK ? fail(failure->status, why, "%s", failure->reason.text) : status;
}
