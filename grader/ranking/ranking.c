#include "grader/ranking/ranking.h"

#include "base/paths.h"
#include "base/terminal.h"
#include "grader/judge/result.h"
#include "grader/judge/result_json.h"
#include "harness/compile/toolkit.h"
#include "harness/device/device_open.h"

#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ==== references ==================================================================================================== */

static const double ANCHOR_UNCERTAINTY = 0.01;

static bool ends_with(const char *name, const char *extension)
{
    const char *dot = strrchr(name, '.');
    return name[0] != '.' && dot != NULL && strcmp(dot, extension) == 0;
}

static int select_cuda(const struct dirent *entry)
{
    return ends_with(entry->d_name, ".cu");
}

static int select_c(const struct dirent *entry)
{
    return ends_with(entry->d_name, ".c");
}

static Status read_reference(const char *folder, const char *name, Arena *arena, Reference *reference, Message *why)
{
    TRY(submission_read(arena_printf(arena, "%s/%s", folder, name), &reference->submission, why));
    reference->time.name = reference->submission.file_name;
    reference->time.source_hash = reference->submission.hash.hex;
    return STATUS_OK;
}

static Status read_folder(const Problem *problem, const char *name, int (*select)(const struct dirent *),
                          References *references, Message *why)
{
    char folder[4096], relative[256];
    *references = (References){.problem = problem};
    snprintf(relative, sizeof relative, "solutions/%s/%s", problem->id, name);
    Status status = paths_home(relative, folder, sizeof folder, why);
    TRY(status);
    struct dirent **entries;
    int found = scandir(folder, &entries, select, alphasort);
    if (found < 0)
        return STATUS_OK;
    references->solutions = arena_array(&references->arena, (size_t)found, sizeof *references->solutions);
    for (int i = 0; i < found; i++) {
        THEN(status, read_reference(folder, entries[i]->d_name, &references->arena,
                                    &references->solutions[references->count++], why));
        free(entries[i]);
    }
    free(entries);
    if (status != STATUS_OK)
        references_free(references);
    return status;
}

Status references_load(const Problem *problem, References *references, Message *why)
{
    return read_folder(problem, "accepted", select_cuda, references, why);
}

Status references_load_rivals(const Problem *problem, References *references, Message *why)
{
    return read_folder(problem, "rivals", select_cuda, references, why);
}

Status references_load_baselines(const Problem *problem, References *references, Message *why)
{
    return read_folder(problem, "cpu_baselines", select_c, references, why);
}

void references_free(References *references)
{
    for (size_t i = 0; i < references->count; i++)
        submission_free(&references->solutions[i].submission);
    arena_free(&references->arena);
    *references = (References){0};
}

static void set_time(References *references, Reference *reference, MeasuredTime time, const char *time_utc,
                     const char *cases)
{
    reference->time.time = time;
    reference->time.time_utc = arena_string(&references->arena, time_utc);
    reference->time.cases = cases == NULL ? NULL : arena_string(&references->arena, cases);
}

void references_take(References *references, const ReferenceTime *times, size_t count)
{
    for (size_t i = 0; i < references->count; i++)
        for (size_t k = 0; k < count; k++) {
            Reference *reference = &references->solutions[i];
            if (!(reference->time.time.ms > 0) && strcmp(reference->time.name, times[k].name) == 0 &&
                strcmp(reference->time.source_hash, times[k].source_hash) == 0)
                set_time(references, reference, times[k].time, times[k].time_utc, times[k].cases);
        }
}

void references_adopt(References *references, const ReferenceTime *times, size_t count)
{
    references->solutions = arena_array(&references->arena, count, sizeof *references->solutions);
    references->count = count;
    for (size_t i = 0; i < count; i++) {
        Reference *reference = &references->solutions[i];
        reference->time.name = arena_string(&references->arena, times[i].name);
        reference->time.source_hash = arena_string(&references->arena, times[i].source_hash);
        set_time(references, reference, times[i].time, times[i].time_utc, times[i].cases);
    }
}

static void keep_time(References *references, Reference *reference, const Result *result)
{
    Text cases = {0}, sitting = {0};
    result_cases_json(result, &cases);
    result_sitting_json(result, &sitting);
    set_time(references, reference, result->score, result->time_utc, cases.data);
    reference->time.sitting = arena_string(&references->arena, sitting.data);
    text_free(&cases);
    text_free(&sitting);
}

/* Judges one reference solution on the timed cases now. BAD_INPUT if it is not accepted. */
static Status time_reference(References *references, Reference *reference, const char *device, Message *why)
{
    Result result = {0};
    Status status = judge_timed(references->problem, &reference->submission, device, false, &result, why);
    if (status == STATUS_OK && result.verdict != VERDICT_ACCEPTED)
        status = fail(STATUS_BAD_INPUT, why, "%s: %s (%s), a reference solution must be accepted",
                      reference->submission.path, verdict_name(result.verdict), result.text);
    else if (status == STATUS_OK && !(result.score.ms > 0))
        status = fail(STATUS_BAD_INPUT, why, "problem %s has no timed cases for this device", references->problem->id);
    else if (status == STATUS_OK)
        keep_time(references, reference, &result);
    result_free(&result);
    return status;
}

static bool is_certain(const Reference *reference, double uncertainty)
{
    return reference->time.time.ms > 0 && reference->time.time.uncertainty <= uncertainty;
}

/* The number of such references with a shorter time; of equal times, those with a smaller index count. */
static size_t count_faster(const References *references, double uncertainty, const Reference *reference)
{
    size_t count = 0;
    for (const Reference *other = references->solutions; other < references->solutions + references->count; other++)
        count += is_certain(other, uncertainty) &&
                 (other->time.time.ms < reference->time.time.ms ||
                  (other->time.time.ms == reference->time.time.ms && other < reference));
    return count;
}

static const Reference *median_reference(const References *references, double uncertainty)
{
    size_t certain = 0;
    for (size_t i = 0; i < references->count; i++)
        certain += is_certain(&references->solutions[i], uncertainty);
    for (size_t i = 0; i < references->count; i++)
        if (is_certain(&references->solutions[i], uncertainty) &&
            count_faster(references, uncertainty, &references->solutions[i]) == (certain - 1) / 2)
            return &references->solutions[i];
    return NULL;
}

const Reference *references_anchor(const References *references)
{
    const Reference *anchor = median_reference(references, ANCHOR_UNCERTAINTY);
    return anchor != NULL ? anchor : median_reference(references, INFINITY);
}

static int by_time(const void *a, const void *b)
{
    const ReferenceTime *x = a, *y = b;
    return (x->time.ms > y->time.ms) - (x->time.ms < y->time.ms);
}

ReferenceTime *references_times(const References *references, Arena *arena, size_t *count)
{
    ReferenceTime *times = arena_array(arena, references->count, sizeof *times);
    *count = 0;
    for (size_t i = 0; i < references->count; i++)
        if (references->solutions[i].time.time.ms > 0) {
            ReferenceTime *time = &times[(*count)++];
            *time = references->solutions[i].time;
            time->name = arena_string(arena, time->name);
            time->source_hash = arena_string(arena, time->source_hash);
            time->time_utc = arena_string(arena, time->time_utc);
            time->sitting = NULL;
            time->cases = time->cases == NULL ? NULL : arena_string(arena, time->cases);
        }
    qsort(times, *count, sizeof *times, by_time);
    return times;
}

/* ==== ranking ===================================================================================================== */

/* The measured bandwidth may be a little below what the device can do, but not by more than this factor. */
static const double BANDWIDTH_HEADROOM = 1.1;

Status ranking_open(StoreMode mode, Store **store, Message *why)
{
    char path[4096];
    TRY(paths_chosen("CONVJUDGE_DB", "leaderboard/leaderboard.db", path, sizeof path, why));
    return store_open(path, mode, store, why);
}

/* The board that a result belongs to: times compare only within one. */
static Board ranking_board(const Result *result)
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

Status ranking_find_board(const Problem *problem, const char *device, DeviceInfo *info, Board *board, Message *why)
{
    Toolkit toolkit;
    TRY(device_describe(device, info, why));
    TRY(toolkit_find(&toolkit, why));
    if (info->modelled)
        toolkit_mark_times(&toolkit, info->id, sizeof info->id);
    *board = (Board){
        .problem = problem->id, .revision = problem->revision.hex, .device = info->id, .epoch = info->epoch};
    return STATUS_OK;
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
        snprintf(status, size, "not ranked: not recorded");
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

/* leaderboard/references/<device id>.json. */
static Status ranking_times_path(const char *device_id, char *path, size_t size, Message *why)
{
    char relative[200];
    snprintf(relative, sizeof relative, "leaderboard/references/%s.json", device_id);
    return paths_home(relative, path, size, why);
}

/* ---- the reference solutions ------------------------------------------------------------------------------------- */

static Status take_stored_times(Store *store, const Board *board, References *references, Message *why)
{
    Arena arena = {0};
    ReferenceTime *times;
    size_t count;
    Status status = STATUS_OK;
    if (store != NULL) {
        status = store_references(store, board, &arena, &times, &count, why);
        if (status == STATUS_OK)
            references_take(references, times, count);
    }
    arena_free(&arena);
    return status;
}

static Status take_filed_times(const Board *board, References *references, Message *why)
{
    Arena arena = {0};
    char path[4096];
    ReferenceTime *times;
    size_t count;
    Status status = ranking_times_path(board->device, path, sizeof path, why);
    THEN(status, references_read(path, board, &arena, &times, &count, why));
    if (status == STATUS_OK && references->count > 0)
        references_take(references, times, count);
    else if (status == STATUS_OK)
        references_adopt(references, times, count);
    arena_free(&arena);
    return status;
}

static int count_untimed(const References *references)
{
    int count = 0;
    for (size_t i = 0; i < references->count; i++)
        count += !(references->solutions[i].time.time.ms > 0);
    return count;
}

/* Times the reference solutions that have no time yet. One that fails is a warning, since the student cannot fix it. */
static Status time_the_rest(Store *store, const Board *board, const char *device, Progress *progress,
                            References *references, Result *result, Message *why)
{
    Status status = STATUS_OK;
    progress_begin(progress, "references", count_untimed(references));
    for (size_t i = 0; i < references->count && status == STATUS_OK; i++) {
        Reference *reference = &references->solutions[i];
        Message trouble;
        if (reference->time.time.ms > 0)
            continue;
        if (time_reference(references, reference, device, &trouble) != STATUS_OK)
            result_warn(result, "%s", trouble.text);
        else
            status = store_add_reference(store, board, &reference->time, why);
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

Status ranking_references(Store *store, const Problem *problem, const Board *board, References *references,
                          Message *why)
{
    TRY(references_load(problem, references, why));
    Status status = take_stored_times(store, board, references, why);
    THEN(status, take_filed_times(board, references, why));
    if (status != STATUS_OK)
        references_free(references);
    return status;
}

Status ranking_compare(Store *store, bool recorded, const char *device, Progress *progress, Result *result,
                       Message *why)
{
    References references;
    Board board = ranking_board(result);
    Status status = ranking_references(store, result->problem, &board, &references, why);
    TRY(status);
    if (status == STATUS_OK && recorded && count_untimed(&references) > 0)
        status = time_the_rest(store, &board, device, progress, &references, result, why);
    if (status == STATUS_OK) {
        if (!recorded && count_untimed(&references) > 0)
            result_warn(result,
                        "reference solutions that have not been timed on this device: %d; run: convjudge references "
                        "--problem %s",
                        count_untimed(&references), result->problem->id);
        result->reference_times = references_times(&references, &result->arena, &result->reference_count);
        result->references = percentile_among(
            result->score, times_only(result->reference_times, result->reference_count, &result->arena),
            result->reference_count);
    }
    references_free(&references);
    return status;
}

/* ---- the class --------------------------------------------------------------------------------------------------- */

Status ranking_place(Store *store, Result *result, Message *why)
{
    const Board board = ranking_board(result);
    const bool ranks = strcmp(result->rank_status, "ranked") == 0;
    TRY(store_place(store, &board, result->person, ranks ? result->run : 0, result->score, &result->class_, why));
    if (ranks)
        result->rank = 1 + result->class_.faster;
    return STATUS_OK;
}

/* ==== reference times ============================================================================================= */

/* Times the references without a time. */
static Status time_references(Store *store, const Board *board, const DeviceInfo *info, References *references,
                              Message *why)
{
    Progress progress = progress_new(stderr);
    char outcome[80];
    judge_note_device(&progress, info);
    snprintf(outcome, sizeof outcome, "%zu reference solutions", references->count);
    progress_begin(&progress, board->problem, 0);
    progress_end(&progress, outcome);
    for (size_t i = 0; i < references->count; i++) {
        Reference *reference = &references->solutions[i];
        Text text = {0};
        if (reference->time.time.ms > 0)
            continue;
        progress_begin_at(&progress, reference->time.name, (int)i, (int)references->count);
        Status status = time_reference(references, reference, info->handle, why);
        THEN(status, store_add_reference(store, board, &reference->time, why));
        if (status != STATUS_OK) {
            progress_end(&progress, "failed");
            return status;
        }
        text_add(&text, quantity_time(reference->time.time.ms).text);
        if (info->modelled)
            text_printf(&text, " (%s)", device_time_label(info));
        progress_end(&progress, text.data);
        text_free(&text);
    }
    return STATUS_OK;
}

static Status write_file(const Board *board, const References *references, Message *why)
{
    Arena arena = {0};
    char path[4096];
    size_t count;
    ReferenceTime *times = references_times(references, &arena, &count);
    Status status = ranking_times_path(board->device, path, sizeof path, why);
    THEN(status, references_write(path, board, times, count, why));
    if (status == STATUS_OK)
        printf("%s\n", path);
    arena_free(&arena);
    return status;
}

Status reference_times_take(const Problem *problem, const char *device, bool only_missing, bool export_times,
                            Message *why)
{
    DeviceInfo info;
    Board board;
    References references = {0};
    Store *store = NULL;
    Status status = references_load(problem, &references, why);
    if (status == STATUS_OK && references.count == 0)
        status = fail(STATUS_NOT_FOUND, why, "solutions/%s/accepted holds no reference solutions", problem->id);
    THEN(status, ranking_open(STORE_WRITE, &store, why));
    THEN(status, ranking_find_board(problem, device, &info, &board, why));
    if (status == STATUS_OK && only_missing) {
        references_free(&references);
        status = ranking_references(store, problem, &board, &references, why);
    }
    THEN(status, time_references(store, &board, &info, &references, why));
    if (status == STATUS_OK && export_times)
        status = write_file(&board, &references, why);
    store_close(store);
    references_free(&references);
    return status;
}

/* ==== known times ================================================================================================= */

/* Takes a reference solution's times that are better than those known so far. */
static Status take_reference(const Result *result, const ReferenceTime *reference, Arena *arena, KnownTime *known,
                             Message *why)
{
    CaseTime *times;
    size_t count;
    Status status = case_times_read(reference->name, reference->cases, arena, &times, &count, why);
    for (size_t i = 0; i < result->case_count && status == STATUS_OK; i++) {
        const MeasuredTime *time = case_times_find(times, count, result->cases[i].name);
        if (time == NULL || result->cases[i].group != CASE_TIMED)
            continue;
        if (!(known[i].best_ms > 0) || time->ms < known[i].best_ms)
            known[i] = (KnownTime){.best_ms = time->ms, .of = reference->name, .vetted_ms = time->ms};
    }
    return status;
}

static Status take_runs(Store *store, const Board *board, const char *name, Arena *arena, KnownTime *known,
                        Message *why)
{
    double ms, vetted_ms = 0;
    int64_t run = 0, vetted_run;
    Status status = store_best_case_time(store, board, name, false, &ms, &run, why);
    THEN(status, store_best_case_time(store, board, name, true, &vetted_ms, &vetted_run, why));
    if (status == STATUS_OK && ms > 0 && (!(known->best_ms > 0) || ms < known->best_ms)) {
        known->best_ms = ms;
        known->of = arena_printf(arena, "run %" PRId64, run);
    }
    if (status == STATUS_OK && vetted_ms > 0 && (!(known->vetted_ms > 0) || vetted_ms < known->vetted_ms))
        known->vetted_ms = vetted_ms;
    return status;
}

Status known_times_read(Store *store, const Result *result, Arena *arena, KnownTime **times, Message *why)
{
    const Board board = ranking_board(result);
    Status status = STATUS_OK;
    *times = arena_array(arena, result->case_count, sizeof **times);
    for (size_t i = 0; i < result->reference_count && status == STATUS_OK; i++)
        status = take_reference(result, &result->reference_times[i], arena, *times, why);
    for (size_t i = 0; i < result->case_count && status == STATUS_OK; i++)
        if (result->cases[i].group == CASE_TIMED)
            status = take_runs(store, &board, result->cases[i].name, arena, &(*times)[i], why);
    return status;
}
