#include "grader/report/report_leaderboard.h"

#include "base/record.h"
#include "base/terminal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* ==== report quarantine =========================================================================================== */

/* ---- the cases of a run ------------------------------------------------------------------------------------------ */

/* The run's cases are the list "cases" of the root. */
static Status parse_cases(const RecordedRun *run, JsonFile *file, Message *why)
{
    char path[60];
    Text text = {0};
    snprintf(path, sizeof path, "the cases of run %" PRId64, run->id);
    text_printf(&text, "{\"cases\": %s}", run->run.cases);
    Status status = json_parse(path, text.data, text.length, file, why);
    text_free(&text);
    return status;
}

static int count_samples(const cJSON *object)
{
    return cJSON_GetArraySize(json_get(object, "samples"));
}

/* ---- as text ----------------------------------------------------------------------------------------------------- */

static void add_case(const cJSON *item, const cJSON *review, Text *out)
{
    double ms = json_value(item, "time_ms"), again_ms = json_value(review, "time_ms"),
           known_ms = json_value(review, "known_ms"), roofline = json_value(item, "roofline");
    terminal_print(out, "    \"%s\": %s", json_string(item, "name"), quantity_time(ms).text);
    if (again_ms > 0)
        text_printf(out, ", second sitting %s", quantity_time(again_ms).text);
    text_printf(out, " (%d and %d samples)", count_samples(item), count_samples(review));
    if (known_ms > 0)
        terminal_print(out, "; best known %s, %s: factor %s", quantity_time(known_ms).text,
                       json_string(review, "known_of"), quantity_ratio(known_ms / ms).text);
    if (roofline > 0)
        text_printf(out, "; %s of the roofline", quantity_percent(roofline, 0).text);
    text_add(out, "\n");
}

static void add_head(const RecordedRun *recorded, Text *out)
{
    const Run *run = &recorded->run;
    terminal_print(out, "run %" PRId64 ": %s, %s on %s, %s, %s\n    %s\n", recorded->id, run->person,
                   run->board.problem, run->board.device, run->time_utc, run->file_name, run->rank_status);
    text_printf(out, "    source %.16s..., machine code %.16s...\n", run->source_hash, run->machine_code);
}

static Status add_run(const RecordedRun *run, Text *out, Message *why)
{
    JsonFile file;
    TRY(parse_cases(run, &file, why));
    add_head(run, out);
    const cJSON *item;
    cJSON_ArrayForEach(item, json_get(file.root, "cases"))
    {
        if (json_get(item, "review") != NULL && json_string(item, "name") != NULL)
            add_case(item, json_get(item, "review"), out);
    }
    json_free(&file);
    return STATUS_OK;
}

Status report_quarantine(const RecordedRun *runs, size_t count, Text *out, Message *why)
{
    Status status = STATUS_OK;
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = add_run(&runs[i], out, why);
    if (count == 0)
        text_add(out, "no run waits in quarantine\n");
    else
        text_add(out,
                 "\nThese runs are accepted, but rank only after: convjudge quarantine --accept RUN --why \"...\"\n"
                 "To keep one hidden: convjudge quarantine --reject RUN --why \"...\"\n");
    return status;
}

/* ---- as JSON ----------------------------------------------------------------------------------------------------- */

/* The timed cases that were timed again. */
static void put_cases(cJSON *object, const RecordRow *row, const void *record, const void *root)
{
    JsonFile file;
    cJSON *cases = cJSON_AddArrayToObject(object, row->key);
    const cJSON *item;
    if (parse_cases(record, &file, NULL) != STATUS_OK)
        return;
    cJSON_ArrayForEach(item, json_get(file.root, "cases"))
    {
        if (json_get(item, "review") != NULL)
            cJSON_AddItemToArray(cases, cJSON_Duplicate(item, true));
    }
    json_free(&file);
}

/* clang-format off */

RECORD(run_table, RecordedRun,
    ROW(RecordedRun, id, "run", .about = "number, for `--accept` and `--reject`"),
    ROW(RecordedRun, run.person, "person"),
    ROW(RecordedRun, run.time_utc, "time_utc"),
    ROW(RecordedRun, run.board.problem, "problem"),
    ROW(RecordedRun, run.board.revision, "revision"),
    ROW(RecordedRun, run.board.device, "device"),
    ROW(RecordedRun, run.board.epoch, "epoch"),
    ROW(RecordedRun, run.rank_status, "rank_status"),
    ROW(RecordedRun, run.time.ms, "score_ms"),
    ROW(RecordedRun, run.time.uncertainty, "uncertainty"),
    ROW(RecordedRun, run.time.model, "model_terms", .sparse = true),
    ROW(RecordedRun, run.machine_code, "machine_code"),
    ROW(RecordedRun, run.file_name, "file"),
    ROW(RecordedRun, run.source_hash, "source_hash", .about = "as in result.json"),
    ROW(RecordedRun, run.source, "source"),
    ROW_HAND("cases", .put = put_cases, .about = "text of the submission; its timed cases, with the samples of both sittings"));

typedef struct QuarantinedRuns {
    const RecordedRun *runs;
    size_t count;
} QuarantinedRuns;

RECORD_PUBLIC(quarantine_table, QuarantinedRuns,
    ROW_SCHEMA("schema", 1),
    ROW_LIST(QuarantinedRuns, runs, count, "runs", run_table));

/* clang-format on */

Status report_quarantine_json(const RecordedRun *runs, size_t count, Text *out, Message *why)
{
    Status status = STATUS_OK;
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        JsonFile file;
        status = parse_cases(&runs[i], &file, why);
        if (status == STATUS_OK)
            json_free(&file);
    }
    if (status == STATUS_OK)
        record_print(&quarantine_table, &(QuarantinedRuns){runs, count}, out);
    return status;
}

/* ==== report retime =============================================================================================== */

enum { RETIME_NAME_COLUMNS = 32, RETIME_TIME_COLUMNS = 10 };

static void add_name(const Contender *contender, Text *out)
{
    Text name = {0};
    terminal_add_line(&name, contender->name);
    if (contender->run != 0)
        text_printf(&name, ", run %" PRId64, contender->run);
    terminal_pad(out, name.data, RETIME_NAME_COLUMNS);
    text_free(&name);
}

static void add_stored(const Retiming *retiming, Text *out)
{
    text_add(out, "  by the stored times\n");
    for (size_t i = 0; i < retiming->count; i++) {
        const Contender *contender = &retiming->contenders[i];
        text_printf(out, "%5zu  ", contender->stored_rank);
        add_name(contender, out);
        terminal_pad(out, quantity_time(contender->stored.ms).text, -RETIME_TIME_COLUMNS);
        text_add(out, "\n");
    }
}

/* ---- as timed side by side --------------------------------------------------------------------------------------- */

/* Those without a time come last. */
static int by_retimed_time(const void *a, const void *b)
{
    const Contender *const *x = a, *const *y = b;
    double x_ms = (*x)->retimed_ms, y_ms = (*y)->retimed_ms;
    if (!(x_ms > 0) || !(y_ms > 0))
        return (x_ms > 0) < (y_ms > 0) ? 1 : (x_ms > 0) > (y_ms > 0) ? -1 : 0;
    return (x_ms > y_ms) - (x_ms < y_ms);
}

static const Contender **in_retimed_order(const Retiming *retiming, Arena *arena)
{
    const Contender **order = arena_array(arena, retiming->count, sizeof *order);
    for (size_t i = 0; i < retiming->count; i++)
        order[i] = &retiming->contenders[i];
    qsort(order, retiming->count, sizeof *order, by_retimed_time);
    return order;
}

/* How many times longer the contender takes than the one before it. */
static void add_ratio(const Retiming *retiming, const Contender *contender, const Contender *before, Text *out)
{
    const PairedRatio ratio = retime_ratio(retiming, contender, before);
    if (ratio.rounds == 0)
        return;
    text_printf(out, "  %.4f (%.4f to %.4f)%s", ratio.median, ratio.low, ratio.high,
                paired_order(&ratio) == 0 ? ", a tie" : "");
}

static void add_retimed(const Retiming *retiming, Text *out)
{
    Arena arena = {0};
    const Contender **order = in_retimed_order(retiming, &arena);
    text_printf(out, "  side by side, %zu rounds; the ratio to the line above, round by round: median (%s)\n",
                retiming->rounds, retiming->device.modelled ? "smallest to largest" : "98 % interval");
    for (size_t i = 0; i < retiming->count; i++) {
        const Contender *contender = order[i];
        if (contender->retimed_rank > 0)
            text_printf(out, "%5zu  ", contender->retimed_rank);
        else
            text_add(out, "    -  ");
        add_name(contender, out);
        terminal_pad(out, contender->retimed_ms > 0 ? quantity_time(contender->retimed_ms).text : "-",
                     -RETIME_TIME_COLUMNS);
        if (contender->verdict != VERDICT_ACCEPTED)
            text_printf(out, "  %s", verdict_name(contender->verdict));
        else if (i > 0)
            add_ratio(retiming, contender, order[i - 1], out);
        text_add(out, "\n");
    }
    arena_free(&arena);
}

static void add_missing(const Retiming *retiming, Text *out)
{
    for (size_t i = 0; i < retiming->missing_count; i++)
        terminal_print(out, "  not timed, since the database lacks the source: %s\n", retiming->missing[i]);
}

void report_retime(const Retiming *retiming, Text *out)
{
    text_printf(out, "%s (%s) on %s%s%s\n", retiming->problem->id, retiming->problem->title, retiming->board.device,
                retiming->device.modelled ? ", times are " : "",
                retiming->device.modelled ? device_time_label(&retiming->device) : "");
    add_stored(retiming, out);
    text_add(out, "\n");
    add_retimed(retiming, out);
    add_missing(retiming, out);
    text_add(out, retime_contradicts(retiming) ? "\n  The orders contradict each other.\n" : "\n  The orders agree.\n");
}

/* ---- a board against another device ------------------------------------------------------------------------------ */

enum { INTERVAL_COLUMNS = 24 };

static void add_checked(const Contender *contender, Text *out)
{
    const double factor = time_model_factor(contender->stored), stored_ms = contender->stored.ms;
    Text interval = {0};
    if (factor > 1)
        text_printf(&interval, "%s to %s", quantity_time(stored_ms / factor).text,
                    quantity_time(stored_ms * factor).text);
    text_add(out, "  ");
    add_name(contender, out);
    terminal_pad(out, quantity_time(stored_ms).text, -RETIME_TIME_COLUMNS);
    terminal_pad(out, factor > 1 ? interval.data : "unknown", -INTERVAL_COLUMNS);
    if (contender->retimed_ms > 0) {
        terminal_pad(out, quantity_time(contender->retimed_ms).text, -RETIME_TIME_COLUMNS);
        text_printf(out, "%8s%s\n", quantity_ratio(contender->retimed_ms / stored_ms).text,
                    retime_is_outside(contender) ? "  outside" : "");
    } else {
        text_printf(out, "  %s\n", verdict_name(contender->verdict));
    }
    text_free(&interval);
}

void report_check_board(const Retiming *retiming, Text *out)
{
    text_printf(out, "%s (%s), the board of %s against %s\n", retiming->problem->id, retiming->problem->title,
                retiming->board.device, retiming->device.name);
    if (retiming->count == 0)
        text_add(out, "  nobody yet, and no reference solution with a time\n");
    else
        text_printf(out, "  %-*s%*s%*s%*s%8s\n", RETIME_NAME_COLUMNS, "name", RETIME_TIME_COLUMNS, "modelled",
                    INTERVAL_COLUMNS, "nine in ten", RETIME_TIME_COLUMNS, "timed", "ratio");
    for (size_t i = 0; i < retiming->count; i++)
        add_checked(&retiming->contenders[i], out);
    add_missing(retiming, out);
}

/* ==== report leaderboard ========================================================================================== */

enum { NAME_COLUMNS = 24, TIME_COLUMNS = 12, UNCERTAINTY_COLUMNS = 9, PERCENTILE_COLUMNS = 8 };

static void add_standing(const Standing *standing, Text *out)
{
    text_printf(out, "%5zu  ", standing->rank);
    terminal_pad(out, standing->person, NAME_COLUMNS);
    terminal_pad(out, quantity_time(standing->time.ms).text, -TIME_COLUMNS);
    terminal_pad(out, quantity_percent(time_reach(standing->time), 1).text, -UNCERTAINTY_COLUMNS);
    if (standing->percentile.n > 0)
        text_printf(out, "%*.1f", PERCENTILE_COLUMNS, standing->percentile.value);
    else
        text_printf(out, "%*s", PERCENTILE_COLUMNS, "-");
    text_printf(out, "  %.10s\n", standing->time_utc);
}

void report_leaderboard(const Problem *problem, const Board *board, const char *times, const Standing *standings,
                        size_t count, Text *out)
{
    text_printf(out, "%s (%s) on %s%s%s%s%s\n", problem->id, problem->title, board->device, *times == '\0' ? "" : ", ",
                times, *times == '\0' ? "" : " times", board->is_older ? ", of an earlier version of the judge" : "");
    if (count == 0) {
        text_add(out, "  nobody yet\n");
        return;
    }
    text_printf(out, "%5s  %-*s%*s%*s%*s  %s\n", "rank", NAME_COLUMNS, "name", TIME_COLUMNS, "time",
                UNCERTAINTY_COLUMNS, "+-", PERCENTILE_COLUMNS, "pctile", "date");
    for (size_t i = 0; i < count; i++)
        add_standing(&standings[i], out);
}
