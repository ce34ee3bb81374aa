#include "service/client/run_comparison_report.h"

#include "grader/report/limiter.h"
#include "grader/report/report_line.h"
#include "grader/terminal/quantity.h"
#include "service/client/run_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TIME_COLUMNS = 10, RATIO_COLUMNS = 15, WORDS_COLUMNS = 18, MOST_COUNTERS = 8, COUNTER_COLUMNS = 24 };

static const double LEAST_CHANGE = 0.02; /* of a counter, to be worth a line */

/* ---- text -------------------------------------------------------------------------------------------------------- */

static int name_columns(TerminalStyle style)
{
    int columns = style.width - 2 - 2 * TIME_COLUMNS - RATIO_COLUMNS - 2 - WORDS_COLUMNS;
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
    terminal_pad(out, text.data, -RATIO_COLUMNS);
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
        terminal_pad(out, times[side].ms > 0 ? quantity_time(times[side].ms).text : "-", -TIME_COLUMNS);
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
    terminal_pad(out, heads[0], -TIME_COLUMNS);
    terminal_pad(out, heads[1], -TIME_COLUMNS);
    terminal_pad(out, "ratio", -RATIO_COLUMNS);
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
                     -TIME_COLUMNS);
    terminal_pad(out, counter->values[0] > 0 ? quantity_ratio(counter->values[1] / counter->values[0]).text : "new",
                 -TIME_COLUMNS);
    text_add(out, "\n");
    text_free(&name);
}

static void add_counters(const RunComparison *comparison, Text *out)
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
    add_counters(comparison, out);
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void put_time(cJSON *object, const char *key, MeasuredTime time)
{
    if (!(time.ms > 0))
        return;
    cJSON *item = cJSON_AddObjectToObject(object, key);
    json_put_number(item, "time_ms", time.ms);
    json_put_number(item, "uncertainty", time.uncertainty);
}

static void put_times(cJSON *object, const MeasuredTime times[2], const TimeChange *change)
{
    put_time(object, "before", times[0]);
    put_time(object, "after", times[1]);
    time_change_put(object, "change", change);
}

static cJSON *case_item(const ComparedCase *compared)
{
    cJSON *item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "name", compared->name);
    if (compared->verdicts[0] != NULL)
        cJSON_AddStringToObject(item, "verdict_before", compared->verdicts[0]);
    if (compared->verdicts[1] != NULL)
        cJSON_AddStringToObject(item, "verdict_after", compared->verdicts[1]);
    put_times(item, compared->times, &compared->change);
    return item;
}

static cJSON *counter_item(const ComparedCounter *counter)
{
    cJSON *item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "name", counter->name);
    json_put_number(item, "before", counter->values[0]);
    json_put_number(item, "after", counter->values[1]);
    return item;
}

void run_comparison_put(const RunComparison *comparison, cJSON *object)
{
    cJSON_AddNumberToObject(object, "before", (double)comparison->runs[0]);
    cJSON_AddNumberToObject(object, "after", (double)comparison->runs[1]);
    if (comparison->obstacle[0] != '\0')
        cJSON_AddStringToObject(object, "obstacle", comparison->obstacle);
    put_times(cJSON_AddObjectToObject(object, "score"), comparison->scores, &comparison->change);
    cJSON *cases = cJSON_AddArrayToObject(object, "cases"), *counters = cJSON_AddArrayToObject(object, "counters");
    for (size_t i = 0; i < comparison->case_count; i++)
        cJSON_AddItemToArray(cases, case_item(&comparison->cases[i]));
    for (size_t i = 0; i < comparison->counter_count; i++)
        cJSON_AddItemToArray(counters, counter_item(&comparison->counters[i]));
}
