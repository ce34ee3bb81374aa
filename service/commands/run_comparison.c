/* Compares two submissions by their results. */
#include "service/commands/run_comparison.h"

#include "base/record.h"
#include "grader/report/report.h"
#include "service/commands/exchange.h"
#include "service/commands/client_command.h"
#include "service/commands/output.h"
#include "service/commands/run_table.h"
#include "service/commands/remote_submission.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ==== history table =============================================================================================== */

enum {
    NUMBER_COLUMNS = 6,
    HISTORY_TIME_COLUMNS = 10,
    HISTORY_RATIO_COLUMNS = 8,
    HISTORY_WORDS_COLUMNS = 20,
    BEST_COLUMNS = 13
};

/* ---- what is compared -------------------------------------------------------------------------------------------- */

static bool has_time(const RemoteSubmission *submission)
{
    return submission->score.ms > 0;
}

/* The newest entry before `index` that has a time of the same device; NULL: there is none. */
static const HistoryEntry *timed_before(const HistoryEntry *entries, size_t index)
{
    const RemoteSubmission *mine = entries[index].submission;
    for (size_t i = index; i-- > 0;)
        if (has_time(entries[i].submission) && strcmp(entries[i].submission->device, mine->device) == 0)
            return &entries[i];
    return NULL;
}

static void compare_entry(HistoryEntry *entries, size_t index)
{
    HistoryEntry *entry = &entries[index];
    const MeasuredTime mine = entry->submission->score;
    if (!has_time(entry->submission))
        return;
    const HistoryEntry *before = timed_before(entries, index);
    entry->is_best = before == NULL || mine.ms < before->best.ms;
    entry->best = entry->is_best ? mine : before->best;
    if (before != NULL)
        entry->change = time_change(before->submission->score, mine);
}

HistoryEntry *history_of(const RemoteSubmission *submissions, size_t count, const char *problem, Arena *arena,
                         size_t *entry_count)
{
    HistoryEntry *entries = arena_array(arena, count, sizeof *entries);
    *entry_count = 0;
    for (size_t i = count; i-- > 0;)
        if (strcmp(submissions[i].problem, problem) == 0)
            entries[(*entry_count)++].submission = &submissions[i];
    for (size_t i = 0; i < *entry_count; i++)
        compare_entry(entries, i);
    return entries;
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

static int state_columns(TerminalStyle style)
{
    int columns = style.width - NUMBER_COLUMNS - 2 - HISTORY_TIME_COLUMNS - HISTORY_RATIO_COLUMNS - 2 -
                  HISTORY_WORDS_COLUMNS - BEST_COLUMNS;
    return columns > 22 ? 22 : columns < 8 ? 8 : columns;
}

static void add_entry(const HistoryEntry *entry, TerminalStyle style, Text *out)
{
    const RemoteSubmission *submission = entry->submission;
    const TimeChange *change = &entry->change;
    char best[24] = "-  ";
    if (entry->best.ms > 0)
        snprintf(best, sizeof best, "%s%s", quantity_time(entry->best.ms).text, entry->is_best ? " *" : "  ");
    text_printf(out, "%*lld  ", NUMBER_COLUMNS, (long long)submission->number);
    run_table_add_state_cell(submission, state_columns(style), style, out);
    terminal_pad(out, has_time(submission) ? quantity_time(submission->score.ms).text : "-", -HISTORY_TIME_COLUMNS);
    terminal_pad(out, change->order == TIME_UNKNOWN ? "-" : quantity_ratio(change->ratio).text, -HISTORY_RATIO_COLUMNS);
    text_add(out, "  ");
    terminal_pad(out, time_order_words(change->order), HISTORY_WORDS_COLUMNS);
    terminal_pad(out, best, -BEST_COLUMNS);
    text_add(out, "\n");
}

static const char *device_of(const RemoteSubmission *submission)
{
    return submission->device_name[0] == '\0' ? submission->device : submission->device_name;
}

/* Names the device of the newest time. */
static void add_title(const char *problem, const HistoryEntry *entries, size_t count, Text *out)
{
    terminal_add_line(out, problem);
    for (size_t i = count; i-- > 0;)
        if (has_time(entries[i].submission)) {
            text_add(out, " on ");
            terminal_add_line(out, device_of(entries[i].submission));
            text_add(out, entries[i].submission->modelled ? ", modelled times" : "");
            break;
        }
    text_add(out, "\n");
}

void history_table(const char *problem, const HistoryEntry *entries, size_t count, TerminalStyle style, Text *out)
{
    add_title(problem, entries, count, out);
    text_printf(out, "%*s  %-*s%*s%*s  %-*s%*s\n", NUMBER_COLUMNS, "run", state_columns(style), "state",
                HISTORY_TIME_COLUMNS, "time", HISTORY_RATIO_COLUMNS, "ratio", HISTORY_WORDS_COLUMNS,
                "to the one before", BEST_COLUMNS, "best so far");
    for (size_t i = 0; i < count; i++)
        add_entry(&entries[i], style, out);
}

cJSON *history_json(const HistoryEntry *entries, size_t count)
{
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < count; i++) {
        cJSON *item = cJSON_Duplicate(entries[i].submission->json, 1);
        time_change_put(item, "change", &entries[i].change);
        if (entries[i].best.ms > 0)
            json_put_number(item, "best_ms", entries[i].best.ms);
        cJSON_AddItemToArray(list, item);
    }
    return list;
}

/* ==== run comparison ============================================================================================== */

static const double MOST_MS = 1e12, MOST_UNCERTAINTY = 1e9, MOST_COUNT = 1e300;

/* ---- results ----------------------------------------------------------------------------------------------------- */

static const char *string_or(const cJSON *object, const char *key, const char *otherwise)
{
    const char *value = json_string(object, key);
    return value == NULL ? otherwise : value;
}

static Status read_time(const JsonFile *file, const cJSON *object, const char *key, MeasuredTime *time, Message *why)
{
    Status status = json_number(file, object, key, 0, MOST_MS, &time->ms, why);
    return status == STATUS_OK ? json_number(file, object, "uncertainty", 0, MOST_UNCERTAINTY, &time->uncertainty, why)
                               : status;
}

/* ---- cases ------------------------------------------------------------------------------------------------------- */

static ComparedCase *case_named(RunComparison *comparison, const char *name)
{
    for (size_t i = 0; i < comparison->case_count; i++)
        if (strcmp(comparison->cases[i].name, name) == 0)
            return &comparison->cases[i];
    return NULL;
}

static Status add_case(const JsonFile *file, const cJSON *item, int side, RunComparison *comparison, size_t *capacity,
                       Message *why)
{
    const char *name = json_string(item, "name");
    if (name == NULL)
        return json_fail(file, item, why, "expected a case with a \"name\"");
    ComparedCase *found = case_named(comparison, name);
    if (found == NULL) {
        comparison->cases = arena_grown(&comparison->arena, comparison->cases, comparison->case_count, capacity,
                                        sizeof *comparison->cases);
        found = &comparison->cases[comparison->case_count++];
        *found = (ComparedCase){.name = name};
    }
    found->verdicts[side] = string_or(item, "verdict", "");
    found->limiters[side] = json_string(json_get(item, "counters"), "limiter");
    return read_time(file, item, "time_ms", &found->times[side], why);
}

static Status add_cases(const JsonFile results[2], RunComparison *comparison, Message *why)
{
    size_t capacity = 0;
    const cJSON *item;
    for (int side = 0; side < 2; side++)
        cJSON_ArrayForEach(item, json_get(results[side].root, "cases"))
        {
            Status status = add_case(&results[side], item, side, comparison, &capacity, why);
            if (status != STATUS_OK)
                return status;
        }
    for (size_t i = 0; i < comparison->case_count && comparison->obstacle[0] == '\0'; i++) {
        ComparedCase *compared = &comparison->cases[i];
        compared->change = time_change(compared->times[0], compared->times[1]);
    }
    return STATUS_OK;
}

/* ---- counters ---------------------------------------------------------------------------------------------------- */

static ComparedCounter *counter_named(RunComparison *comparison, const char *name, size_t *capacity)
{
    for (size_t i = 0; i < comparison->counter_count; i++)
        if (strcmp(comparison->counters[i].name, name) == 0)
            return &comparison->counters[i];
    comparison->counters = arena_grown(&comparison->arena, comparison->counters, comparison->counter_count, capacity,
                                       sizeof *comparison->counters);
    ComparedCounter *counter = &comparison->counters[comparison->counter_count++];
    *counter = (ComparedCounter){.name = name};
    return counter;
}

static const cJSON *counters_of(const JsonFile *result, const char *name)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, json_get(result->root, "cases"))
    {
        const char *found = json_string(item, "name");
        if (found != NULL && strcmp(found, name) == 0)
            return json_get(item, "counters");
    }
    return NULL;
}

static bool is_count(const cJSON *item)
{
    return cJSON_IsNumber(item) && item->valuedouble >= 0 && item->valuedouble <= MOST_COUNT;
}

/* How the simulated GPU drew blocks is no property of the program. */
static bool is_of_sampling(const char *name)
{
    return strncmp(name, "sample", 6) == 0;
}

static void add_counters_of(const cJSON *before, const cJSON *after, RunComparison *comparison, size_t *capacity)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, before)
    {
        const cJSON *other = json_get(after, item->string);
        if (!is_count(item) || !is_count(other) || is_of_sampling(item->string))
            continue;
        ComparedCounter *counter = counter_named(comparison, item->string, capacity);
        counter->values[0] += item->valuedouble;
        counter->values[1] += other->valuedouble;
        counter->cases++;
    }
}

/* A counter that appears or vanishes has changed without bounds; by how much it differs then decides. */
static double weight(const ComparedCounter *counter)
{
    const double a = counter->values[0], b = counter->values[1];
    return fabs(log((b + 1e-3) / (a + 1e-3)));
}

static int compare_weights(const void *a, const void *b)
{
    const double one = weight(a), other = weight(b);
    return one > other ? -1 : one < other;
}

static void add_counters(const JsonFile results[2], RunComparison *comparison)
{
    size_t capacity = 0;
    for (size_t i = 0; i < comparison->case_count; i++)
        add_counters_of(counters_of(&results[0], comparison->cases[i].name),
                        counters_of(&results[1], comparison->cases[i].name), comparison, &capacity);
    for (size_t i = 0; i < comparison->counter_count; i++)
        if (strcmp(comparison->counters[i].name, "occupancy") == 0)
            for (int side = 0; side < 2; side++)
                comparison->counters[i].values[side] /= (double)comparison->counters[i].cases;
    if (comparison->counter_count > 0)
        qsort(comparison->counters, comparison->counter_count, sizeof *comparison->counters, compare_weights);
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

Status run_comparison_make(const JsonFile results[2], const int64_t runs[2], RunComparison *comparison, Message *why)
{
    *comparison = (RunComparison){
        .runs = {runs[0], runs[1]},
        .problem = string_or(results[1].root, "problem", ""),
        .device_name = string_or(results[1].root, "device_name", ""),
        .modelled = cJSON_IsTrue(json_get(results[1].root, "modelled")),
    };
    Status status = STATUS_OK;
    for (int side = 0; side < 2 && status == STATUS_OK; side++) {
        comparison->verdicts[side] = string_or(results[side].root, "verdict", "");
        status = read_time(&results[side], results[side].root, "score_ms", &comparison->scores[side], why);
    }
    if (status != STATUS_OK)
        return status;
    time_change_obstacle(results[0].root, results[1].root, comparison->obstacle, sizeof comparison->obstacle);
    if (comparison->obstacle[0] == '\0')
        comparison->change = time_change(comparison->scores[0], comparison->scores[1]);
    status = add_cases(results, comparison, why);
    if (status == STATUS_OK)
        add_counters(results, comparison);
    return status;
}

void run_comparison_free(RunComparison *comparison)
{
    arena_free(&comparison->arena);
    *comparison = (RunComparison){0};
}

/* ==== run comparison report ======================================================================================= */

enum {
    REPORT_TIME_COLUMNS = 10,
    REPORT_RATIO_COLUMNS = 15,
    REPORT_WORDS_COLUMNS = 18,
    MOST_COUNTERS = 8,
    COUNTER_COLUMNS = 24
};

static const double LEAST_CHANGE = 0.02; /* of a counter, to be worth a line */

/* ---- text -------------------------------------------------------------------------------------------------------- */

static int name_columns(TerminalStyle style)
{
    int columns = style.width - 2 - 2 * REPORT_TIME_COLUMNS - REPORT_RATIO_COLUMNS - 2 - REPORT_WORDS_COLUMNS;
    return columns > 36 ? 36 : columns < 12 ? 12 : columns;
}

/* "0.317 +- 0.7 %" */
static void add_ratio(const TimeChange *change, TerminalStyle style, Text *out)
{
    Text text = {0};
    if (change->order == TIME_UNKNOWN)
        text_add(&text, "-");
    else
        text_printf(&text, "%s %s %s", quantity_ratio(change->ratio).text, report_plus_minus(style),
                    quantity_percent(change->uncertainty, 1).text);
    terminal_pad(out, text.data, -REPORT_RATIO_COLUMNS);
    text_free(&text);
}

static void add_words(TimeOrder order, TerminalStyle style, Text *out)
{
    text_add(out, "  ");
    if (order == TIME_FASTER || order == TIME_SLOWER)
        terminal_colour(style, out, order == TIME_FASTER ? COLOUR_GOOD : COLOUR_BAD, time_order_words(order));
    else
        text_add(out, time_order_words(order));
    text_add(out, "\n");
}

/* A name that is too long for its column has a line of its own, since two such names often begin with the same words. */
static void add_name(const char *name, int columns, Text *out)
{
    Text line = {0};
    terminal_add_line(&line, name);
    text_add(&line, "");
    const bool fits = terminal_columns(line.data) <= columns;
    text_add(out, "  ");
    if (!fits)
        text_printf(out, "%s\n  ", line.data);
    terminal_pad(out, fits ? line.data : "", columns);
    text_free(&line);
}

static void add_times(const char *name, const MeasuredTime times[2], const TimeChange *change, TerminalStyle style,
                      Text *out)
{
    add_name(name, name_columns(style), out);
    for (int side = 0; side < 2; side++)
        terminal_pad(out, times[side].ms > 0 ? quantity_time(times[side].ms).text : "-", -REPORT_TIME_COLUMNS);
    add_ratio(change, style, out);
    add_words(change->order, style, out);
}

static bool is_timed(const ComparedCase *item)
{
    return item->times[0].ms > 0 || item->times[1].ms > 0;
}

static bool has_times(const RunComparison *comparison)
{
    for (size_t i = 0; i < comparison->case_count; i++)
        if (is_timed(&comparison->cases[i]))
            return true;
    return false;
}

static void add_timed_cases(const RunComparison *comparison, TerminalStyle style, Text *out)
{
    char heads[2][24];
    if (!has_times(comparison)) {
        text_add(out, "  Neither has a timed case.\n");
        return;
    }
    for (int side = 0; side < 2; side++)
        snprintf(heads[side], sizeof heads[side], "%lld", (long long)comparison->runs[side]);
    text_add(out, "  ");
    terminal_pad(out, comparison->modelled ? "timed case (modelled)" : "timed case", name_columns(style));
    terminal_pad(out, heads[0], -REPORT_TIME_COLUMNS);
    terminal_pad(out, heads[1], -REPORT_TIME_COLUMNS);
    terminal_pad(out, "ratio", -REPORT_RATIO_COLUMNS);
    text_add(out, "\n");
    for (size_t i = 0; i < comparison->case_count; i++) {
        const ComparedCase *item = &comparison->cases[i];
        if (is_timed(item))
            add_times(item->name, item->times, &item->change, style, out);
    }
    add_times("all, geometric mean", comparison->scores, &comparison->change, style, out);
}

static const char *verdict_of(const ComparedCase *item, int side)
{
    return item->verdicts[side] == NULL ? "not run" : item->verdicts[side];
}

/* How many cases from this one on, without a gap, have the same two verdicts as it. */
static size_t count_alike(const RunComparison *comparison, size_t first)
{
    const ComparedCase *item = &comparison->cases[first];
    size_t i = first + 1;
    while (i < comparison->case_count && strcmp(verdict_of(item, 0), verdict_of(&comparison->cases[i], 0)) == 0 &&
           strcmp(verdict_of(item, 1), verdict_of(&comparison->cases[i], 1)) == 0)
        i++;
    return i - first;
}

/* Both verdicts of cases that do not have the same. */
static void add_verdicts(const RunComparison *comparison, Text *out)
{
    for (size_t i = 0, alike; i < comparison->case_count; i += alike) {
        const ComparedCase *item = &comparison->cases[i];
        const char *before = verdict_of(item, 0), *after = verdict_of(item, 1);
        alike = count_alike(comparison, i);
        if (strcmp(before, after) == 0)
            continue;
        text_add(out, "  ");
        terminal_add_line(out, item->name);
        if (alike > 1)
            text_printf(out, " and the next %zu", alike - 1);
        text_add(out, ": ");
        terminal_add_line(out, before);
        text_add(out, ", then ");
        terminal_add_line(out, after);
        text_add(out, "\n");
    }
}

static void add_limiters(const RunComparison *comparison, Text *out)
{
    for (size_t i = 0; i < comparison->case_count; i++) {
        const ComparedCase *item = &comparison->cases[i];
        const char *const *limiters = item->limiters;
        if (limiters[0] == NULL || limiters[1] == NULL || strcmp(limiters[0], limiters[1]) == 0)
            continue;
        text_add(out, "  ");
        terminal_add_line(out, item->name);
        text_add(out, ": limited by ");
        terminal_add_line(out, limiter_words(limiters[0]));
        text_add(out, ", then by ");
        terminal_add_line(out, limiter_words(limiters[1]));
        text_add(out, "\n");
    }
}

static bool has_changed(const ComparedCounter *counter)
{
    const double a = counter->values[0], b = counter->values[1];
    return fabs(b - a) > LEAST_CHANGE * fmax(a, b);
}

/* "global_load_sectors" is "global load sectors". */
static void add_counter(const ComparedCounter *counter, Text *out)
{
    Text name = {0};
    const bool is_share = strcmp(counter->name, "occupancy") == 0;
    text_add(&name, counter->name);
    for (size_t i = 0; i < name.length; i++)
        name.data[i] = name.data[i] == '_' ? ' ' : name.data[i];
    text_add(out, "  ");
    run_table_add_cell(name.data, COUNTER_COLUMNS, out);
    for (int side = 0; side < 2; side++)
        terminal_pad(out,
                     is_share ? quantity_percent(counter->values[side], 0).text
                              : quantity_count(counter->values[side]).text,
                     -REPORT_TIME_COLUMNS);
    terminal_pad(out, counter->values[0] > 0 ? quantity_ratio(counter->values[1] / counter->values[0]).text : "new",
                 -REPORT_TIME_COLUMNS);
    text_add(out, "\n");
    text_free(&name);
}

static void report_add_counters(const RunComparison *comparison, Text *out)
{
    int shown = 0;
    for (size_t i = 0; i < comparison->counter_count && shown < MOST_COUNTERS; i++) {
        if (!has_changed(&comparison->counters[i]))
            continue;
        if (shown++ == 0)
            text_add(out, "\n  What changed most in the timed cases:\n");
        add_counter(&comparison->counters[i], out);
    }
}

void run_comparison_report(const RunComparison *comparison, TerminalStyle style, Text *out)
{
    text_printf(out, "%lld against %lld, problem ", (long long)comparison->runs[1], (long long)comparison->runs[0]);
    terminal_add_line(out, comparison->problem);
    text_add(out, " on ");
    terminal_add_line(out, comparison->device_name);
    text_add(out, "\n");
    for (int side = 0; side < 2; side++) {
        text_printf(out, "  %lld: ", (long long)comparison->runs[side]);
        terminal_add_line(out, comparison->verdicts[side]);
        text_add(out, "\n");
    }
    if (comparison->obstacle[0] != '\0') {
        text_add(out, "  The times cannot be compared: ");
        terminal_add_line(out, comparison->obstacle);
        text_add(out, ".\n");
    }
    add_verdicts(comparison, out);
    text_add(out, "\n");
    add_timed_cases(comparison, style, out);
    add_limiters(comparison, out);
    report_add_counters(comparison, out);
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

/* clang-format off */

RECORD_WHEN(has_before, ComparedCase, it->times[0].ms > 0)
RECORD_WHEN(has_after, ComparedCase, it->times[1].ms > 0)
RECORD_WHEN(has_score_before, RunComparison, it->scores[0].ms > 0)
RECORD_WHEN(has_score_after, RunComparison, it->scores[1].ms > 0)
RECORD_PUT(put_case_change, ComparedCase, time_change_put(object, row->key, &it->change))
RECORD_PUT(put_change, RunComparison, time_change_put(object, row->key, &it->change))

RECORD(time_table, MeasuredTime,
    ROW(MeasuredTime, ms, "time_ms"),
    ROW(MeasuredTime, uncertainty, "uncertainty"));

RECORD(case_table, ComparedCase,
    ROW(ComparedCase, name, "name"),
    ROW(ComparedCase, verdicts[0], "verdict_before"),
    ROW(ComparedCase, verdicts[1], "verdict_after"),
    ROW_OBJECT(ComparedCase, times[0], "before", time_table, .when = has_before),
    ROW_OBJECT(ComparedCase, times[1], "after", time_table, .when = has_after),
    ROW_HAND("change", .put = put_case_change));

RECORD(score_table, RunComparison,
    ROW_OBJECT(RunComparison, scores[0], "before", time_table, .when = has_score_before),
    ROW_OBJECT(RunComparison, scores[1], "after", time_table, .when = has_score_after),
    ROW_HAND("change", .put = put_change));

RECORD(counter_table, ComparedCounter,
    ROW(ComparedCounter, name, "name"),
    ROW(ComparedCounter, values[0], "before"),
    ROW(ComparedCounter, values[1], "after"));

RECORD(comparison_table, RunComparison,
    ROW(RunComparison, runs[0], "before"),
    ROW(RunComparison, runs[1], "after"),
    ROW(RunComparison, obstacle, "obstacle", .sparse = true),
    ROW_SAME("score", score_table),
    ROW_LIST(RunComparison, cases, case_count, "cases", case_table),
    ROW_LIST(RunComparison, counters, counter_count, "counters", counter_table));

/* clang-format on */

void run_comparison_put(const RunComparison *comparison, cJSON *object)
{
    record_write(&comparison_table, comparison, object);
}

/* ==== command compare ============================================================================================= */

static Status check_request(const Options *options, int64_t runs[2], Server *server, Message *why)
{
    if (options->operand_count != 2)
        return fail(STATUS_BAD_INPUT, why, "compare: expected the numbers of two runs, found %d words",
                    options->operand_count);
    Status status = options_run_number(options, "the first RUN", options->operands[0], &runs[0], why);
    if (status == STATUS_OK)
        status = options_run_number(options, "the second RUN", options->operands[1], &runs[1], why);
    return status == STATUS_OK ? server_find(options->server, server, why) : status;
}

static Status write_comparison(const Options *options, const RunComparison *comparison, Message *why)
{
    Text out = {0};
    cJSON *json = output_new();
    run_comparison_put(comparison, json);
    run_comparison_report(comparison, terminal_style(stdout), &out);
    Status status = output_write(options, json, &out, why);
    text_free(&out);
    return status;
}

Status command_compare(const Options *options, int *exit_status, Message *why)
{
    Server server;
    int64_t runs[2] = {0};
    JsonFile results[2] = {{0}, {0}};
    RunComparison comparison = {0};
    Status status = check_request(options, runs, &server, why);
    for (int side = 0; side < 2 && status == STATUS_OK; side++)
        status = api_get(&server, api_path("submissions/%lld/result", (long long)runs[side]), &results[side], why);
    if (status == STATUS_OK)
        status = run_comparison_make(results, runs, &comparison, why);
    if (status == STATUS_OK)
        status = write_comparison(options, &comparison, why);
    run_comparison_free(&comparison);
    json_free(&results[0]);
    json_free(&results[1]);
    *exit_status = 0;
    return status;
}

/* ==== command history ============================================================================================= */

/* Lists a person's submissions to each problem, oldest first, with the changes of time. */

/* Whether a submission is the oldest of its problem, in a list that begins with the newest. */
static bool is_first_of_problem(const SubmissionList *list, size_t index)
{
    for (size_t i = index + 1; i < list->count; i++)
        if (strcmp(list->items[i].problem, list->items[index].problem) == 0)
            return false;
    return true;
}

static void add_problem(const SubmissionList *list, const char *problem, cJSON *histories, Text *out)
{
    Arena arena = {0};
    size_t count;
    const HistoryEntry *entries = history_of(list->items, list->count, problem, &arena, &count);
    if (out->length > 0)
        text_add(out, "\n");
    history_table(problem, entries, count, terminal_style(stdout), out);
    cJSON *history = cJSON_CreateObject();
    cJSON_AddStringToObject(history, "problem", problem);
    cJSON_AddItemToObject(history, "submissions", history_json(entries, count));
    cJSON_AddItemToArray(histories, history);
    arena_free(&arena);
}

static Status write_histories(const Options *options, const SubmissionList *list, Message *why)
{
    Text out = {0};
    cJSON *json = output_new(), *histories = cJSON_AddArrayToObject(json, "histories");
    for (size_t i = list->count; i-- > 0;)
        if (is_first_of_problem(list, i))
            add_problem(list, list->items[i].problem, histories, &out);
    if (list->count == 0)
        text_add(&out, "no submissions yet: `convjudge submit FILE` hands one in\n");
    Status status = output_write(options, json, &out, why);
    text_free(&out);
    return status;
}

Status command_history(const Options *options, int *exit_status, Message *why)
{
    Server server;
    SubmissionList list = {0};
    Status status = options_expect_no_file(options, why);
    if (status == STATUS_OK)
        status = server_find(options->server, &server, why);
    if (status == STATUS_OK)
        status = submission_list_read(&server, options->person, options->problem, SUBMISSION_LIST_MOST, &list, why);
    if (status == STATUS_OK)
        status = write_histories(options, &list, why);
    submission_list_free(&list);
    *exit_status = 0;
    return status;
}
