#include "grader/ranking/ladder.h"

#include "base/paths.h"
#include "grader/result/result_json.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static Status read_rung(const char *folder, const char *name, Arena *arena, Rung *rung, Message *why)
{
    Status status = submission_read(arena_printf(arena, "%s/%s", folder, name), &rung->submission, why);
    if (status != STATUS_OK)
        return status;
    rung->time.name = rung->submission.file_name;
    rung->time.source_hash = rung->submission.hash.hex;
    return STATUS_OK;
}

static Status read_folder(const Problem *problem, const char *name, int (*select)(const struct dirent *),
                          Ladder *ladder, Message *why)
{
    char folder[4096], relative[256];
    *ladder = (Ladder){.problem = problem};
    snprintf(relative, sizeof relative, "solutions/%s/%s", problem->id, name);
    Status status = paths_home(relative, folder, sizeof folder, why);
    if (status != STATUS_OK)
        return status;
    struct dirent **entries;
    int found = scandir(folder, &entries, select, alphasort);
    if (found < 0)
        return STATUS_OK;
    ladder->rungs = arena_array(&ladder->arena, (size_t)found, sizeof *ladder->rungs);
    for (int i = 0; i < found; i++) {
        if (status == STATUS_OK)
            status = read_rung(folder, entries[i]->d_name, &ladder->arena, &ladder->rungs[ladder->count++], why);
        free(entries[i]);
    }
    free(entries);
    if (status != STATUS_OK)
        ladder_free(ladder);
    return status;
}

Status ladder_read(const Problem *problem, Ladder *ladder, Message *why)
{
    return read_folder(problem, "accepted", select_cuda, ladder, why);
}

Status ladder_read_rivals(const Problem *problem, Ladder *ladder, Message *why)
{
    return read_folder(problem, "rivals", select_cuda, ladder, why);
}

Status ladder_read_baselines(const Problem *problem, Ladder *ladder, Message *why)
{
    return read_folder(problem, "cpu_baselines", select_c, ladder, why);
}

void ladder_free(Ladder *ladder)
{
    for (size_t i = 0; i < ladder->count; i++)
        submission_free(&ladder->rungs[i].submission);
    arena_free(&ladder->arena);
    *ladder = (Ladder){0};
}

static void set_time(Ladder *ladder, Rung *rung, MeasuredTime time, const char *time_utc, const char *cases)
{
    rung->time.time = time;
    rung->time.time_utc = arena_string(&ladder->arena, time_utc);
    rung->time.cases = cases == NULL ? NULL : arena_string(&ladder->arena, cases);
}

void ladder_take(Ladder *ladder, const ReferenceTime *times, size_t count)
{
    for (size_t i = 0; i < ladder->count; i++)
        for (size_t k = 0; k < count; k++) {
            Rung *rung = &ladder->rungs[i];
            if (!(rung->time.time.ms > 0) && strcmp(rung->time.name, times[k].name) == 0 &&
                strcmp(rung->time.source_hash, times[k].source_hash) == 0)
                set_time(ladder, rung, times[k].time, times[k].time_utc, times[k].cases);
        }
}

void ladder_adopt(Ladder *ladder, const ReferenceTime *times, size_t count)
{
    ladder->rungs = arena_array(&ladder->arena, count, sizeof *ladder->rungs);
    ladder->count = count;
    for (size_t i = 0; i < count; i++) {
        Rung *rung = &ladder->rungs[i];
        rung->time.name = arena_string(&ladder->arena, times[i].name);
        rung->time.source_hash = arena_string(&ladder->arena, times[i].source_hash);
        set_time(ladder, rung, times[i].time, times[i].time_utc, times[i].cases);
    }
}

static void keep_time(Ladder *ladder, Rung *rung, const Result *result)
{
    Text cases = {0}, sitting = {0};
    result_cases_json(result, &cases);
    result_sitting_json(result, &sitting);
    set_time(ladder, rung, result->score, result->time_utc, cases.data);
    rung->time.sitting = arena_string(&ladder->arena, sitting.data);
    text_free(&cases);
    text_free(&sitting);
}

Status ladder_time(Ladder *ladder, Rung *rung, const char *device, Progress *progress, Message *why)
{
    Result result = {0};
    const JudgeJob job = {
        .problem = ladder->problem,
        .submission = &rung->submission,
        .device = device,
        .timed_only = true,
        .progress = progress,
    };
    Status status = judge_submission(&job, &result, why);
    if (status == STATUS_OK && result.verdict != VERDICT_ACCEPTED)
        status = fail(STATUS_BAD_INPUT, why, "%s: %s (%s), a reference solution must be accepted",
                      rung->submission.path, verdict_name(result.verdict), result.text);
    else if (status == STATUS_OK && !(result.score.ms > 0))
        status = fail(STATUS_BAD_INPUT, why, "problem %s has no timed cases for this device", ladder->problem->id);
    else if (status == STATUS_OK)
        keep_time(ladder, rung, &result);
    result_free(&result);
    return status;
}

static bool is_certain(const Rung *rung, double uncertainty)
{
    return rung->time.time.ms > 0 && rung->time.time.uncertainty <= uncertainty;
}

/* The number of such rungs with a shorter time; of equal times, those with a smaller index count. */
static size_t count_faster(const Ladder *ladder, double uncertainty, const Rung *rung)
{
    size_t count = 0;
    for (const Rung *other = ladder->rungs; other < ladder->rungs + ladder->count; other++)
        count += is_certain(other, uncertainty) && (other->time.time.ms < rung->time.time.ms ||
                                                    (other->time.time.ms == rung->time.time.ms && other < rung));
    return count;
}

static const Rung *median_rung(const Ladder *ladder, double uncertainty)
{
    size_t certain = 0;
    for (size_t i = 0; i < ladder->count; i++)
        certain += is_certain(&ladder->rungs[i], uncertainty);
    for (size_t i = 0; i < ladder->count; i++)
        if (is_certain(&ladder->rungs[i], uncertainty) &&
            count_faster(ladder, uncertainty, &ladder->rungs[i]) == (certain - 1) / 2)
            return &ladder->rungs[i];
    return NULL;
}

const Rung *ladder_anchor(const Ladder *ladder)
{
    const Rung *anchor = median_rung(ladder, ANCHOR_UNCERTAINTY);
    return anchor != NULL ? anchor : median_rung(ladder, INFINITY);
}

static int by_time(const void *a, const void *b)
{
    const ReferenceTime *x = a, *y = b;
    return (x->time.ms > y->time.ms) - (x->time.ms < y->time.ms);
}

ReferenceTime *ladder_times(const Ladder *ladder, Arena *arena, size_t *count)
{
    ReferenceTime *times = arena_array(arena, ladder->count, sizeof *times);
    *count = 0;
    for (size_t i = 0; i < ladder->count; i++)
        if (ladder->rungs[i].time.time.ms > 0) {
            ReferenceTime *time = &times[(*count)++];
            *time = ladder->rungs[i].time;
            time->name = arena_string(arena, time->name);
            time->source_hash = arena_string(arena, time->source_hash);
            time->time_utc = arena_string(arena, time->time_utc);
            time->sitting = NULL;
            time->cases = time->cases == NULL ? NULL : arena_string(arena, time->cases);
        }
    qsort(times, *count, sizeof *times, by_time);
    return times;
}
