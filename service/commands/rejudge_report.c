#include "service/commands/rejudge_report.h"

#include "grader/terminal/quantity.h"
#include "grader/terminal/terminal.h"

#include <stdio.h>
#include <string.h>

enum { NUMBER_COLUMNS = 6, PERSON_COLUMNS = 14, VERDICT_COLUMNS = 20, TIME_COLUMNS = 10, RANK_COLUMNS = 6 };

/* ---- batches ----------------------------------------------------------------------------------------------------- */

/* "batch 2, problem conv1d, open since 2026-01-31T12:00:00Z: new hidden cases" */
static void add_title(const Batch *batch, Text *out)
{
    text_printf(out, "batch %lld, problem %s, %s%s: ", (long long)batch->id, batch->problem,
                strcmp(batch->state, "open") == 0 ? "open since " : batch->state,
                strcmp(batch->state, "open") == 0 ? batch->created_utc : "");
    terminal_add_line(out, batch->reason);
    text_add(out, "\n");
}

/* "    5 of 8 submissions judged; 2 wait, 1 is being judged" */
static void add_progress(const Batch *batch, Text *out)
{
    text_printf(out, "    %lld of %lld submissions judged", (long long)batch->recorded, (long long)batch->judgings);
    const struct {
        int64_t count;
        const char *words;
    } parts[] = {{batch->waiting, "waiting"},
                 {batch->running, "under way"},
                 {batch->held, "held for a person to look at"},
                 {batch->cancelled, "given up"}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].count > 0)
            text_printf(out, ", %lld %s", (long long)parts[i].count, parts[i].words);
    text_add(out, "\n");
}

void rejudge_report_list(const Batch *batches, size_t count, Text *out)
{
    if (count == 0)
        text_add(out, "nothing has been judged again yet\n");
    for (size_t i = 0; i < count; i++) {
        add_title(&batches[i], out);
        add_progress(&batches[i], out);
    }
}

cJSON *rejudge_report_batch_json(const Batch *batch)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddNumberToObject(object, "batch", (double)batch->id);
    cJSON_AddStringToObject(object, "problem", batch->problem);
    cJSON_AddStringToObject(object, "revision", batch->revision);
    cJSON_AddStringToObject(object, "why", batch->reason);
    cJSON_AddStringToObject(object, "state", batch->state);
    cJSON_AddStringToObject(object, "created", batch->created_utc);
    cJSON_AddNumberToObject(object, "submissions", (double)batch->judgings);
    cJSON_AddNumberToObject(object, "judged", (double)batch->recorded);
    cJSON_AddNumberToObject(object, "waiting", (double)batch->waiting);
    cJSON_AddNumberToObject(object, "judging", (double)batch->running);
    cJSON_AddNumberToObject(object, "held", (double)batch->held);
    cJSON_AddNumberToObject(object, "cancelled", (double)batch->cancelled);
    return object;
}

/* ---- what is skipped --------------------------------------------------------------------------------------------- */

void rejudge_report_skips(const BatchSkip *skips, size_t skip_count, Text *out)
{
    for (size_t i = 0; i < skip_count; i++)
        text_printf(out, "    not submission %lld: %s\n", (long long)skips[i].submission, skips[i].why);
}

void rejudge_report_opened(const Batch *batch, const BatchSkip *skips, size_t skip_count, Text *out)
{
    text_printf(out, "batch %lld: %lld submissions of problem %s are judged again, and nobody sees it yet\n",
                (long long)batch->id, (long long)batch->judgings, batch->problem);
    rejudge_report_skips(skips, skip_count, out);
    text_printf(out, "`convjudge rejudge --batch %lld` shows what it would change\n", (long long)batch->id);
}

cJSON *rejudge_report_skips_json(const BatchSkip *skips, size_t skip_count)
{
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < skip_count; i++) {
        cJSON *item = cJSON_CreateObject();
        cJSON_AddNumberToObject(item, "submission", (double)skips[i].submission);
        cJSON_AddStringToObject(item, "why", skips[i].why);
        cJSON_AddItemToArray(list, item);
    }
    return list;
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

static void add_cell(const char *text, int columns, Text *out)
{
    Text line = {0};
    terminal_add_line(&line, text);
    terminal_pad(out, line.data == NULL ? "" : line.data, columns);
    text_free(&line);
    text_add(out, "  ");
}

static void add_time(const BatchSide *side, Text *out)
{
    const bool timed = side->run != NULL && side->run->time.ms > 0;
    terminal_pad(out, timed ? quantity_time(side->run->time.ms).text : "-", -TIME_COLUMNS);
}

static void add_rank(const BatchSide *side, Text *out)
{
    char rank[32] = "-";
    if (side->rank > 0)
        snprintf(rank, sizeof rank, "%zu", side->rank);
    terminal_pad(out, rank, -RANK_COLUMNS);
}

static void add_head(Text *out)
{
    text_printf(out, "%*s  %-*s  %-*s  %-*s%*s%*s  %-6s%*s%*s\n", NUMBER_COLUMNS, "run", PERSON_COLUMNS, "person",
                VERDICT_COLUMNS, "verdict", VERDICT_COLUMNS + 2, "becomes", TIME_COLUMNS, "time", TIME_COLUMNS,
                "becomes", "", RANK_COLUMNS, "rank", RANK_COLUMNS, "then");
}

static const char *words_of_change(const BatchRow *row)
{
    const Run *before = row->before.run, *after = row->after.run;
    if (before == NULL || after == NULL || !(before->time.ms > 0 && after->time.ms > 0))
        return "";
    return !batch_row_time_differs(row) ? "noise" : after->time.ms < before->time.ms ? "faster" : "slower";
}

static void add_row(const BatchRow *row, Text *out)
{
    text_printf(out, "%*lld  ", NUMBER_COLUMNS, (long long)row->submission);
    add_cell(row->person, PERSON_COLUMNS, out);
    add_cell(row->before.verdict[0] == '\0' ? "-" : row->before.verdict, VERDICT_COLUMNS, out);
    add_cell(row->after.verdict, VERDICT_COLUMNS, out);
    add_time(&row->before, out);
    add_time(&row->after, out);
    text_printf(out, "  %-6s", words_of_change(row));
    add_rank(&row->before, out);
    add_rank(&row->after, out);
    text_add(out, "\n");
}

void rejudge_report_table(const Batch *batch, const BatchRow *rows, size_t count, Text *out)
{
    size_t changes = 0;
    add_title(batch, out);
    add_progress(batch, out);
    for (size_t i = 0; i < count; i++) {
        if (!batch_row_changes(&rows[i]))
            continue;
        if (changes++ == 0)
            add_head(out);
        add_row(&rows[i], out);
    }
    text_printf(out, "%zu of the judged submissions change, %lld stay as they are\n", changes,
                (long long)batch->recorded - (long long)changes);
}

static void put_side(cJSON *object, const char *key, const BatchSide *side)
{
    cJSON *item = cJSON_AddObjectToObject(object, key);
    cJSON_AddStringToObject(item, "state", side->state);
    cJSON_AddStringToObject(item, "verdict", side->verdict);
    if (side->run != NULL)
        cJSON_AddStringToObject(item, "device", side->run->board.device);
    if (side->run != NULL && side->run->time.ms > 0) {
        json_put_number(item, "score_ms", side->run->time.ms);
        json_put_number(item, "uncertainty", side->run->time.uncertainty);
    }
    if (side->rank > 0)
        cJSON_AddNumberToObject(item, "rank", (double)side->rank);
}

cJSON *rejudge_report_rows_json(const BatchRow *rows, size_t count)
{
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < count; i++) {
        cJSON *item = cJSON_CreateObject();
        cJSON_AddNumberToObject(item, "submission", (double)rows[i].submission);
        cJSON_AddStringToObject(item, "person", rows[i].person);
        put_side(item, "before", &rows[i].before);
        put_side(item, "after", &rows[i].after);
        cJSON_AddBoolToObject(item, "changes", batch_row_changes(&rows[i]));
        cJSON_AddBoolToObject(item, "time_differs", batch_row_time_differs(&rows[i]));
        cJSON_AddItemToArray(list, item);
    }
    return list;
}
