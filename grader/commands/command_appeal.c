/* Times a run again beside its neighbours on the board, and publishes both figures. */
#include "grader/commands/command.h"

#include "base/json.h"
#include "grader/judge/judge.h"
#include "grader/problem/problem_read.h"
#include "grader/ranking/appeal.h"
#include "grader/ranking/person.h"
#include "grader/report/report_appeal.h"
#include "grader/terminal/json_target.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { SCHEMA = 1 };

typedef struct Appealing {
    const Options *options;
    char person[PERSON_MAX_BYTES + 1];
    Problem problem;
    Retiming retiming;
    RecordedRun run;
    size_t rank;
    Arena arena;
} Appealing;

static Status read_request(Appealing *appealing, int64_t *run, Message *why)
{
    const Options *options = appealing->options;
    if (options->operand_count != 1)
        return fail(STATUS_BAD_INPUT, why, "appeal: expected the number of one RUN, found %d words",
                    options->operand_count);
    Status status = options_run_number(options, "RUN", options->operands[0], run, why);
    if (status == STATUS_OK)
        status = person_choose(options->person, appealing->person, why);
    return status == STATUS_OK ? json_target_check(options->json, "", why) : status;
}

/* The database is closed while the device is busy, which takes minutes. */
static Status choose(Appealing *appealing, int64_t run, Message *why)
{
    Store *store;
    Status status = ranking_open(STORE_READ, &store, why);
    if (status != STATUS_OK)
        return status;
    status = store_run(store, run, &appealing->arena, &appealing->run, why);
    if (status == STATUS_OK)
        status = problem_read(appealing->run.run.board.problem, &appealing->problem, why);
    if (status == STATUS_OK)
        status = appeal_choose(store, &appealing->problem, &appealing->run, appealing->options->device,
                               &appealing->retiming, &appealing->rank, why);
    store_close(store);
    return status;
}

static Status record(Appeal *appeal, Message *why)
{
    Store *store;
    Status status = ranking_open(STORE_WRITE, &store, why);
    if (status == STATUS_OK)
        status = appeals_add(store, appeal, &appeal->id, why);
    store_close(store);
    return status;
}

static Status write_reports(const Appealing *appealing, const Appeal *appeal, Message *why)
{
    Text text = {0};
    Status status = STATUS_OK;
    const char *json = appealing->options->json;
    const Retiming *retiming = &appealing->retiming;
    if (json != NULL) {
        cJSON *object = cJSON_CreateObject();
        cJSON_AddNumberToObject(object, "schema", SCHEMA);
        cJSON_AddItemToObject(object, "appeal", appeal_json(appeal));
        cJSON *missing = cJSON_AddArrayToObject(object, "missing");
        for (size_t i = 0; i < retiming->missing_count; i++)
            cJSON_AddItemToArray(missing, cJSON_CreateString(retiming->missing[i]));
        json_print(object, &text);
        cJSON_Delete(object);
        status = json_target_write(json, &text, why);
        text_free(&text);
    }
    if (status == STATUS_OK && (json == NULL || strcmp(json, "-") != 0)) {
        report_appeal(appeal, retiming->board.device, retiming->missing, retiming->missing_count, &text);
        text_printf(&text,
                    "Recorded as appeal %" PRId64 ". It replaces no time and no rank; to decide: convjudge retract, or "
                    "convjudge quarantine --accept.\n",
                    appeal->id);
        status = json_target_write("-", &text, why);
        text_free(&text);
    }
    return status;
}

static Status time_and_record(Appealing *appealing, int *exit_status, Message *why)
{
    Appeal appeal;
    char now[32];
    struct tm utc;
    Progress progress = progress_new(stderr);
    judge_note_device(&progress, &appealing->retiming.device);
    Status status = retime_run(&appealing->retiming, &progress, why);
    if (status != STATUS_OK)
        return status;
    const time_t seconds = time(NULL);
    strftime(now, sizeof now, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&seconds, &utc));
    appeal_of_retiming(&appealing->retiming, appealing->run.id, appealing->rank, &appealing->arena, &appeal);
    appeal.time_utc = now;
    appeal.person = appealing->person;
    appeal.why = appealing->options->why == NULL ? "" : appealing->options->why;
    status = record(&appeal, why);
    if (status == STATUS_OK)
        status = write_reports(appealing, &appeal, why);
    *exit_status = !appeal_own_time(&appeal)->agrees;
    return status;
}

Status command_appeal(const Options *options, int *exit_status, Message *why)
{
    Appealing appealing = {.options = options};
    int64_t run = 0;
    Status status = read_request(&appealing, &run, why);
    if (status == STATUS_OK)
        status = choose(&appealing, run, why);
    if (status == STATUS_OK)
        status = time_and_record(&appealing, exit_status, why);
    retime_free(&appealing.retiming);
    problem_free(&appealing.problem);
    arena_free(&appealing.arena);
    return status;
}
