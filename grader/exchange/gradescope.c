#include "grader/exchange/gradescope.h"

#include "grader/terminal/quantity.h"

#include <stdio.h>
#include <string.h>

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

/* What a teacher's program may want of it later; Gradescope keeps it and shows it to nobody. */
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
