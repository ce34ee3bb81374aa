#include "grader/report/report_quarantine.h"

#include "base/json.h"
#include "grader/terminal/quantity.h"
#include "grader/terminal/terminal.h"

#include <inttypes.h>
#include <stdio.h>

enum { SCHEMA = 1 };

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

/* 0: the member is absent. */
static double number_of(const cJSON *object, const char *key)
{
    const cJSON *item = json_get(object, key);
    return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

static int count_samples(const cJSON *object)
{
    return cJSON_GetArraySize(json_get(object, "samples"));
}

/* ---- as text ----------------------------------------------------------------------------------------------------- */

static void add_case(const cJSON *item, const cJSON *review, Text *out)
{
    double ms = number_of(item, "time_ms"), again_ms = number_of(review, "time_ms"),
           known_ms = number_of(review, "known_ms"), roofline = number_of(item, "roofline");
    text_add(out, "    \"");
    terminal_add_line(out, json_string(item, "name"));
    text_printf(out, "\": %s", quantity_time(ms).text);
    if (again_ms > 0)
        text_printf(out, ", second sitting %s", quantity_time(again_ms).text);
    text_printf(out, " (%d and %d samples)", count_samples(item), count_samples(review));
    if (known_ms > 0) {
        text_printf(out, "; best known %s, ", quantity_time(known_ms).text);
        terminal_add_line(out, json_string(review, "known_of"));
        text_printf(out, ": factor %s", quantity_ratio(known_ms / ms).text);
    }
    if (roofline > 0)
        text_printf(out, "; %s of the roofline", quantity_percent(roofline, 0).text);
    text_add(out, "\n");
}

static void add_head(const RecordedRun *recorded, Text *out)
{
    const Run *run = &recorded->run;
    text_printf(out, "run %" PRId64 ": ", recorded->id);
    terminal_add_line(out, run->person);
    text_printf(out, ", %s on %s, %s, ", run->board.problem, run->board.device, run->time_utc);
    terminal_add_line(out, run->file_name);
    text_printf(out, "\n    ");
    terminal_add_line(out, run->rank_status);
    text_printf(out, "\n    source %.16s..., machine code %.16s...\n", run->source_hash, run->machine_code);
}

static Status add_run(const RecordedRun *run, Text *out, Message *why)
{
    JsonFile file;
    Status status = parse_cases(run, &file, why);
    if (status != STATUS_OK)
        return status;
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

static cJSON *run_item(const RecordedRun *recorded)
{
    const Run *run = &recorded->run;
    cJSON *object = cJSON_CreateObject();
    cJSON_AddNumberToObject(object, "run", (double)recorded->id);
    cJSON_AddStringToObject(object, "person", run->person);
    cJSON_AddStringToObject(object, "time_utc", run->time_utc);
    cJSON_AddStringToObject(object, "problem", run->board.problem);
    cJSON_AddStringToObject(object, "revision", run->board.revision);
    cJSON_AddStringToObject(object, "device", run->board.device);
    cJSON_AddNumberToObject(object, "epoch", run->board.epoch);
    cJSON_AddStringToObject(object, "rank_status", run->rank_status);
    json_put_number(object, "score_ms", run->time.ms);
    json_put_number(object, "uncertainty", run->time.uncertainty);
    cJSON_AddStringToObject(object, "machine_code", run->machine_code);
    cJSON_AddStringToObject(object, "file", run->file_name);
    cJSON_AddStringToObject(object, "source_hash", run->source_hash);
    if (run->source != NULL)
        cJSON_AddStringToObject(object, "source", run->source);
    return object;
}

static Status put_run(cJSON *list, const RecordedRun *run, Message *why)
{
    JsonFile file;
    Status status = parse_cases(run, &file, why);
    if (status != STATUS_OK)
        return status;
    cJSON *object = run_item(run), *cases = cJSON_AddArrayToObject(object, "cases");
    const cJSON *item;
    cJSON_ArrayForEach(item, json_get(file.root, "cases"))
    {
        if (json_get(item, "review") != NULL)
            cJSON_AddItemToArray(cases, cJSON_Duplicate(item, true));
    }
    cJSON_AddItemToArray(list, object);
    json_free(&file);
    return STATUS_OK;
}

Status report_quarantine_json(const RecordedRun *runs, size_t count, Text *out, Message *why)
{
    Status status = STATUS_OK;
    cJSON *root = cJSON_CreateObject();
    cJSON_AddNumberToObject(root, "schema", SCHEMA);
    cJSON *list = cJSON_AddArrayToObject(root, "runs");
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = put_run(list, &runs[i], why);
    json_print(root, out);
    cJSON_Delete(root);
    return status;
}
