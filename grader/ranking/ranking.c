#include "grader/ranking/ranking.h"

#include "base/paths.h"
#include "grader/result/version.h"
#include "grader/result/result_json.h"
#include "leaderboard/references.h"
#include "leaderboard/standing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The measured bandwidth may be a little below what the device can do, but not by more than this factor. */
static const double BANDWIDTH_HEADROOM = 1.1;

Status ranking_open(StoreMode mode, Store **store, Message *why)
{
    char path[4096];
    Status status = paths_chosen("CONVJUDGE_DB", "leaderboard/leaderboard.db", path, sizeof path, why);
    return status == STATUS_OK ? store_open(path, mode, store, why) : status;
}

Board ranking_board(const Result *result)
{
    return (Board){
        .problem = result->problem->id,
        .revision = result->problem->revision.hex,
        .device = result->device.id,
        .epoch = result->device.epoch,
    };
}

/* The first timed case that took less time than reading its input takes; NULL if all times are possible. */
static const CaseResult *impossibly_fast_case(const Result *result)
{
    double most_bytes_per_s = BANDWIDTH_HEADROOM * result->device.read_bytes_per_s;
    for (size_t i = 0; i < result->case_count; i++) {
        const CaseResult *item = &result->cases[i];
        if (item->time.ms > 0 && (double)item->input_bytes > most_bytes_per_s * item->time.ms * 1e-3)
            return item;
    }
    return NULL;
}

/* A student's kit has no hidden cases except timed ones. */
static bool has_hidden_cases(const Result *result)
{
    for (size_t i = 0; i < result->case_count; i++)
        if (result->cases[i].group == CASE_HIDDEN)
            return true;
    return false;
}

void ranking_decide(Result *result, bool recorded)
{
    char *status = result->rank_status;
    const size_t size = sizeof result->rank_status;
    const CaseResult *impossible = result->device.read_bytes_per_s > 0 ? impossibly_fast_case(result) : NULL;
    if (result->on_cpu)
        snprintf(status, size, "not ranked: a CPU baseline");
    else if (result->verdict != VERDICT_ACCEPTED)
        snprintf(status, size, "not ranked: not accepted");
    else if (result->unsteady[0] != '\0')
        snprintf(status, size, "not ranked: %.*s", (int)(size - sizeof "not ranked: "), result->unsteady);
    else if (!(result->score.ms > 0))
        snprintf(status, size, "not ranked: the problem has no timed cases for this device");
    else if (impossible != NULL)
        snprintf(status, size, "not ranked: \"%s\" took less time than reading its input takes", impossible->name);
    else if (result->device.pageable_access)
        snprintf(status, size, "not ranked: on this device kernels can access the judge's own memory");
    else if (strcmp(result->sandbox, "full") != 0)
        snprintf(status, size, "not ranked: sandbox %s", result->sandbox);
    else if (result->unconfined)
        snprintf(status, size, "not ranked: --unconfined was given");
    else if (!has_hidden_cases(result))
        snprintf(status, size, "not ranked: the hidden cases, which decide, are not here");
    else if (!recorded)
        snprintf(status, size, "not ranked: not recorded (--no-record or --seed)");
    else
        snprintf(status, size, "ranked");
}

Status ranking_record(Store *store, const char *source, Result *result, Message *why)
{
    const char *code = result->compiled.machine_code.hex;
    Text cases = {0}, sitting = {0};
    result_cases_json(result, &cases);
    result_sitting_json(result, &sitting);
    const Run run = {
        .board = ranking_board(result),
        .time_utc = result->time_utc,
        .person = result->person,
        .device_name = result->device.name,
        .driver = result->device.driver,
        .toolkit = result->toolkit,
        .judge = result->judge,
        .sandbox = result->sandbox,
        .verdict = verdict_name(result->verdict),
        .rank_status = result->rank_status,
        .time = result->score,
        .machine_code = code[0] == '\0' ? NULL : code,
        .source_hash = result->source.hex,
        .source = source,
        .file_name = result->file_name,
        .sitting = sitting.data,
        .cases = cases.data,
    };
    Status status = store_add_run(store, &run, &result->run, why);
    text_free(&cases);
    text_free(&sitting);
    return status;
}

Status ranking_times_path(const char *device_id, char *path, size_t size, Message *why)
{
    char relative[200];
    snprintf(relative, sizeof relative, "leaderboard/references/%s.json", device_id);
    return paths_home(relative, path, size, why);
}

/* ---- the reference solutions ------------------------------------------------------------------------------------- */

static Status take_stored_times(Store *store, const Board *board, Ladder *ladder, Message *why)
{
    Arena arena = {0};
    ReferenceTime *times;
    size_t count;
    Status status = STATUS_OK;
    if (store != NULL) {
        status = store_references(store, board, &arena, &times, &count, why);
        if (status == STATUS_OK)
            ladder_take(ladder, times, count);
    }
    arena_free(&arena);
    return status;
}

static Status take_filed_times(const Board *board, Ladder *ladder, Message *why)
{
    Arena arena = {0};
    char path[4096];
    ReferenceTime *times;
    size_t count;
    Status status = ranking_times_path(board->device, path, sizeof path, why);
    if (status == STATUS_OK)
        status = references_read(path, board, &arena, &times, &count, why);
    if (status == STATUS_OK && ladder->count > 0)
        ladder_take(ladder, times, count);
    else if (status == STATUS_OK)
        ladder_adopt(ladder, times, count);
    arena_free(&arena);
    return status;
}

static int count_untimed(const Ladder *ladder)
{
    int count = 0;
    for (size_t i = 0; i < ladder->count; i++)
        count += !(ladder->rungs[i].time.time.ms > 0);
    return count;
}

/* Times the reference solutions that have no time yet. One that fails is a warning, since the student cannot fix it. */
static Status time_the_rest(Store *store, const Board *board, const char *device, Progress *progress, Ladder *ladder,
                            Result *result, Message *why)
{
    Status status = STATUS_OK;
    progress_begin(progress, "references", count_untimed(ladder));
    for (size_t i = 0; i < ladder->count && status == STATUS_OK; i++) {
        Rung *rung = &ladder->rungs[i];
        Message trouble;
        if (rung->time.time.ms > 0)
            continue;
        if (ladder_time(ladder, rung, device, NULL, &trouble) != STATUS_OK)
            result_warn(result, "%s", trouble.text);
        else
            status = store_add_reference(store, board, &rung->time, why);
        progress_advance(progress);
    }
    progress_end(progress, "timed on this device");
    return status;
}

static MeasuredTime *times_only(const ReferenceTime *times, size_t count, Arena *arena)
{
    MeasuredTime *only = arena_array(arena, count, sizeof *only);
    for (size_t i = 0; i < count; i++)
        only[i] = times[i].time;
    return only;
}

Status ranking_ladder(Store *store, const Problem *problem, const Board *board, Ladder *ladder, Message *why)
{
    Status status = ladder_read(problem, ladder, why);
    if (status != STATUS_OK)
        return status;
    status = take_stored_times(store, board, ladder, why);
    if (status == STATUS_OK)
        status = take_filed_times(board, ladder, why);
    if (status != STATUS_OK)
        ladder_free(ladder);
    return status;
}

Status ranking_compare(Store *store, bool recorded, const char *device, Progress *progress, Result *result,
                       Message *why)
{
    Ladder ladder;
    Board board = ranking_board(result);
    Status status = ranking_ladder(store, result->problem, &board, &ladder, why);
    if (status != STATUS_OK)
        return status;
    if (status == STATUS_OK && recorded && count_untimed(&ladder) > 0)
        status = time_the_rest(store, &board, device, progress, &ladder, result, why);
    if (status == STATUS_OK) {
        if (!recorded && count_untimed(&ladder) > 0)
            result_warn(result,
                        "reference solutions without a time on this device: %d; take it with: convjudge "
                        "references --problem %s",
                        count_untimed(&ladder), result->problem->id);
        result->ladder = ladder_times(&ladder, &result->arena, &result->ladder_count);
        result->references = percentile_among(
            result->score, times_only(result->ladder, result->ladder_count, &result->arena), result->ladder_count);
    }
    ladder_free(&ladder);
    return status;
}

/* ---- the class --------------------------------------------------------------------------------------------------- */

/* The time that counts: for a ranked run the pooled time of this code, which the person may have submitted before. */
static MeasuredTime time_that_counts(const Result *result, const StoredRun *runs, size_t count)
{
    MeasuredTime pooled;
    if (strcmp(result->rank_status, "ranked") == 0 &&
        pooled_time(runs, count, result->person, result->compiled.machine_code.hex, &pooled))
        return pooled;
    return result->score;
}

Status ranking_place(Store *store, Result *result, Message *why)
{
    Arena arena = {0};
    StoredRun *runs;
    size_t run_count, person_count, count = 0;
    Board board = ranking_board(result);
    Status status = store_runs(store, &board, &arena, &runs, &run_count, why);
    if (status == STATUS_OK) {
        Standing *standings = standings_of(runs, run_count, &arena, &person_count);
        MeasuredTime *others = arena_array(&arena, person_count, sizeof *others);
        for (size_t i = 0; i < person_count; i++)
            if (strcmp(standings[i].person, result->person) != 0)
                others[count++] = standings[i].time;
        result->class_ = percentile_among(time_that_counts(result, runs, run_count), others, count);
        if (strcmp(result->rank_status, "ranked") == 0)
            result->rank = 1 + result->class_.faster;
    }
    arena_free(&arena);
    return status;
}
