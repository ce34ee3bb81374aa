#include "grader/ranking/reference_times.h"

#include "grader/judge/judge.h"
#include "grader/ranking/ladder.h"
#include "grader/ranking/ranking.h"
#include "grader/terminal/progress.h"
#include "grader/terminal/quantity.h"
#include "grader/timing/timing.h"
#include "harness/compile/toolkit.h"
#include "harness/device/open/device_open.h"
#include "leaderboard/references.h"

#include <stdio.h>

/* Times the rungs without a time. */
static Status time_rungs(Store *store, const Board *board, const DeviceInfo *info, Ladder *ladder, Message *why)
{
    Progress progress = progress_new(stderr);
    char outcome[80];
    judge_note_device(&progress, info);
    snprintf(outcome, sizeof outcome, "%zu reference solutions", ladder->count);
    progress_begin(&progress, board->problem, 0);
    progress_end(&progress, outcome);
    for (size_t i = 0; i < ladder->count; i++) {
        Rung *rung = &ladder->rungs[i];
        Text text = {0};
        if (rung->time.time.ms > 0)
            continue;
        progress_begin_at(&progress, rung->time.name, (int)i, (int)ladder->count);
        Status status = ladder_time(ladder, rung, info->handle, NULL, why);
        if (status == STATUS_OK)
            status = store_add_reference(store, board, &rung->time, why);
        if (status != STATUS_OK) {
            progress_end(&progress, "failed");
            return status;
        }
        text_add(&text, quantity_time(rung->time.time.ms).text);
        if (info->modelled)
            text_printf(&text, " (%s)", device_time_label(info));
        progress_end(&progress, text.data);
        text_free(&text);
    }
    return STATUS_OK;
}

static Status write_file(const Board *board, const Ladder *ladder, Message *why)
{
    Arena arena = {0};
    char path[4096];
    size_t count;
    ReferenceTime *times = ladder_times(ladder, &arena, &count);
    Status status = ranking_times_path(board->device, path, sizeof path, why);
    if (status == STATUS_OK)
        status = references_write(path, board, times, count, why);
    if (status == STATUS_OK)
        printf("%s\n", path);
    arena_free(&arena);
    return status;
}

Status reference_times_take(const Problem *problem, const char *device, bool only_missing, bool export_times,
                            Message *why)
{
    DeviceInfo info;
    Toolkit toolkit;
    Ladder ladder = {0};
    Store *store = NULL;
    Status status = ladder_read(problem, &ladder, why);
    if (status == STATUS_OK && ladder.count == 0)
        status = fail(STATUS_NOT_FOUND, why, "solutions/%s/accepted holds no reference solutions", problem->id);
    if (status == STATUS_OK)
        status = ranking_open(STORE_WRITE, &store, why);
    if (status == STATUS_OK)
        status = device_describe(device, &info, why);
    if (status == STATUS_OK)
        status = toolkit_find(&toolkit, why);
    if (status == STATUS_OK) {
        if (info.modelled)
            toolkit_mark_times(&toolkit, info.id, sizeof info.id);
        const Board board = {problem->id, problem->revision.hex, info.id, info.epoch};
        if (only_missing) {
            ladder_free(&ladder);
            status = ranking_ladder(store, problem, &board, &ladder, why);
        }
        if (status == STATUS_OK)
            status = time_rungs(store, &board, &info, &ladder, why);
        if (status == STATUS_OK && export_times)
            status = write_file(&board, &ladder, why);
    }
    store_close(store);
    ladder_free(&ladder);
    return status;
}
