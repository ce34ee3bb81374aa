#include "service/client/history_table.h"

#include "grader/terminal/quantity.h"
#include "service/client/run_table.h"

#include <stdio.h>
#include <string.h>

enum { NUMBER_COLUMNS = 6, TIME_COLUMNS = 10, RATIO_COLUMNS = 8, WORDS_COLUMNS = 20, BEST_COLUMNS = 13 };

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
    int columns = style.width - NUMBER_COLUMNS - 2 - TIME_COLUMNS - RATIO_COLUMNS - 2 - WORDS_COLUMNS - BEST_COLUMNS;
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
    terminal_pad(out, has_time(submission) ? quantity_time(submission->score.ms).text : "-", -TIME_COLUMNS);
    terminal_pad(out, change->order == TIME_UNKNOWN ? "-" : quantity_ratio(change->ratio).text, -RATIO_COLUMNS);
    text_add(out, "  ");
    terminal_pad(out, time_order_words(change->order), WORDS_COLUMNS);
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
    text_printf(out, "%*s  %-*s%*s%*s  %-*s%*s\n", NUMBER_COLUMNS, "run", state_columns(style), "state", TIME_COLUMNS,
                "time", RATIO_COLUMNS, "ratio", WORDS_COLUMNS, "to the one before", BEST_COLUMNS, "best so far");
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
