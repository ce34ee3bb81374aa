#include "service/api/submission_json.h"

#include "base/json.h"
#include "leaderboard/standing.h"
#include "service/api/class_rules.h"
#include "service/store/judgings.h"

#include <math.h>
#include <string.h>

const char *submission_state(const StoredSubmission *row)
{
    static const char *const names[][2] = {{"queued", "waiting"},  {"offered", "waiting"}, {"running", "judging"},
                                           {"recorded", "judged"}, {"held", "held"},       {"cancelled", "withdrawn"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(row->state, names[i][0]) == 0)
            return names[i][1];
    return row->state;
}

bool submission_has_ended(const StoredSubmission *row)
{
    return strcmp(row->state, "recorded") == 0 || strcmp(row->state, "held") == 0 ||
           strcmp(row->state, "cancelled") == 0;
}

/* Who waits learns how many are ahead, and about how long it takes, from the last judgings' durations. */
static Status add_outlook(const Service *service, const StoredSubmission *row, cJSON *object, Message *why)
{
    QueueOutlook outlook;
    Status status = judgings_outlook(service->store, row->position, &outlook, why);
    if (status != STATUS_OK)
        return status;
    cJSON_AddNumberToObject(object, "ahead", (double)outlook.ahead);
    if (outlook.mean_s > 0)
        cJSON_AddNumberToObject(object, "expected_s", ceil((double)(outlook.ahead + 1) * outlook.mean_s));
    return STATUS_OK;
}

static void add_progress(const Service *service, const StoredSubmission *row, cJSON *object)
{
    HeadProgress progress;
    if (!head_progress(service->head, row->judging, &progress) || progress.step[0] == '\0')
        return;
    cJSON *item = cJSON_AddObjectToObject(object, "progress");
    cJSON_AddStringToObject(item, "step", progress.step);
    if (progress.total > 0) {
        cJSON_AddNumberToObject(item, "done", progress.done);
        cJSON_AddNumberToObject(item, "total", progress.total);
    }
}

static Status add_rank(const Service *service, const StoredSubmission *row, cJSON *object, Message *why)
{
    Arena arena = {0};
    const Board board = {
        .problem = row->problem, .revision = row->revision, .device = row->device, .epoch = row->epoch};
    StoredRun *runs;
    size_t run_count, count = 0;
    Status status = store_runs(service->store, &board, &arena, &runs, &run_count, why);
    const Standing *standings = status == STATUS_OK ? standings_of(runs, run_count, &arena, &count) : NULL;
    for (size_t i = 0; i < count; i++)
        if (strcmp(standings[i].person, row->person) == 0) {
            cJSON_AddNumberToObject(object, "rank", (double)standings[i].rank);
            cJSON_AddNumberToObject(object, "of", (double)count);
        }
    arena_free(&arena);
    return status;
}

/* Why the judge does not rank a run, or has put it aside, is in rank_status; what a teacher decided, in rank_state. */
const char *submission_rank_words(const StoredSubmission *row)
{
    const bool is_the_judges = strcmp(row->rank_state, "unranked") == 0 || strcmp(row->rank_state, "quarantined") == 0;
    return is_the_judges ? row->rank_status : row->rank_state;
}

static void add_result(const StoredSubmission *row, cJSON *object)
{
    cJSON_AddStringToObject(object, "verdict", row->verdict);
    cJSON_AddStringToObject(object, "text", row->text);
    cJSON_AddStringToObject(object, "device", row->device);
    if (row->run == 0)
        return;
    cJSON_AddStringToObject(object, "device_name", row->device_name);
    cJSON_AddBoolToObject(object, "modelled", strncmp(row->device, "sim-", 4) == 0);
    cJSON_AddStringToObject(object, "rank_status", submission_rank_words(row));
    if (row->time.ms > 0) {
        json_put_number(object, "score_ms", row->time.ms);
        json_put_number(object, "uncertainty", row->time.uncertainty);
    }
}

Status submission_json(const Service *service, const StoredSubmission *row, bool whole, cJSON **object, Message *why)
{
    const char *state = submission_state(row);
    Status status = STATUS_OK;
    cJSON *made = cJSON_CreateObject();
    cJSON_AddNumberToObject(made, "submission", (double)row->id);
    cJSON_AddStringToObject(made, "person", row->person);
    cJSON_AddStringToObject(made, "problem", row->problem);
    cJSON_AddStringToObject(made, "mode", row->mode);
    cJSON_AddStringToObject(made, "file_name", row->file_name);
    cJSON_AddStringToObject(made, "source_hash", row->source_hash);
    cJSON_AddStringToObject(made, "received", row->received_utc);
    cJSON_AddStringToObject(made, "state", state);
    class_add_counts(service, row, made);
    if (strcmp(state, "judged") == 0)
        add_result(row, made);
    if (whole && strcmp(state, "waiting") == 0)
        status = add_outlook(service, row, made, why);
    else if (whole && strcmp(state, "judging") == 0)
        add_progress(service, row, made);
    else if (whole && strcmp(row->rank_state, "ranked") == 0 && !class_hides_board(service, row->problem))
        status = add_rank(service, row, made, why);
    if (status == STATUS_OK)
        *object = made;
    else
        cJSON_Delete(made);
    return status;
}
