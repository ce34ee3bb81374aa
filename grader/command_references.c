#include "grader/command.h"

#include "grader/ladder.h"
#include "grader/ranking.h"
#include "grader/timing.h"
#include "harness/session.h"
#include "leaderboard/references.h"

#include <stdio.h>

/* Id and epoch of a device: the key of its times. */
static Status identify(const char *device, DeviceInfo *info, Message *why)
{
    Session *session = NULL;
    char resolved[64];
    Status status = device_resolve(device, resolved, sizeof resolved, why);
    if (status == STATUS_OK)
        status = session_start(resolved, &session, why);
    if (status == STATUS_OK)
        status = session_device(session, info, why);
    session_close(session);
    return status;
}

static Status time_all(Store *store, const Board *board, const DeviceInfo *info, const char *device, Ladder *ladder,
                       Message *why)
{
    Progress progress = progress_new(stderr);
    for (size_t i = 0; i < ladder->count; i++) {
        Rung *rung = &ladder->rungs[i];
        Text text = {0};
        progress_begin(&progress, rung->time.name, 0);
        Status status = ladder_time(ladder, rung, device, NULL, why);
        if (status == STATUS_OK)
            status = store_add_reference(store, board, &rung->time, why);
        if (status != STATUS_OK) {
            progress_end(&progress, "failed");
            return status;
        }
        timing_add_text(&text, rung->time.time.ms);
        text_add(&text, info->modelled ? " (modelled)" : "");
        progress_end(&progress, text.data);
        text_free(&text);
    }
    return STATUS_OK;
}

static Status export(const Board *board, const Ladder *ladder, Message *why)
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

static Status time_problem(const Options *options, const Problem *problem, Message *why)
{
    const char *device = options->device == NULL ? "auto" : options->device;
    DeviceInfo info;
    Ladder ladder = {0};
    Store *store = NULL;
    Status status = ladder_read(problem, &ladder, why);
    if (status == STATUS_OK)
        status = ranking_open(STORE_WRITE, &store, why);
    if (status == STATUS_OK)
        status = identify(device, &info, why);
    if (status == STATUS_OK) {
        const Board board = {problem->id, problem->revision.hex, info.id, info.epoch};
        status = time_all(store, &board, &info, device, &ladder, why);
        if (status == STATUS_OK && options->export_times)
            status = export(&board, &ladder, why);
    }
    store_close(store);
    ladder_free(&ladder);
    return status;
}

Status command_references(const Options *options, int *exit_status, Message *why)
{
    Problem problem;
    if (options->problem == NULL || options->operand_count > 0)
        return fail(STATUS_BAD_INPUT, why, "expected --problem ID and no file");
    Status status = problem_read(options->problem, &problem, why);
    if (status != STATUS_OK)
        return status;
    status = time_problem(options, &problem, why);
    problem_free(&problem);
    *exit_status = 0;
    return status;
}
