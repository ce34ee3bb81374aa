#include "grader/commands/ceilings_now.h"
#include "grader/commands/command.h"

#include "base/arena.h"
#include "grader/judge/judge.h"
#include "grader/problem/problem.h"
#include "grader/problem/problem_list.h"
#include "grader/problem/problem_read.h"
#include "grader/terminal/progress.h"
#include "grader/ranking/reference_times.h"
#include "harness/device/open/device_open.h"

#include <stdio.h>

/* ---- the ceilings ------------------------------------------------------------------------------------------------ */

static Status take_ceilings(const DeviceInfo *info, Message *why)
{
    Ceilings ceilings;
    char path[4096];
    Progress progress = progress_new(stderr);
    Status status = ceilings_now(info, &CEILINGS_WORK, &progress, &ceilings, why);
    if (status == STATUS_OK)
        status = ceilings_write(&ceilings, why);
    if (status == STATUS_OK)
        status = ceilings_path(ceilings.device, path, sizeof path, why);
    if (status == STATUS_OK)
        printf("%s\n", path);
    return status;
}

/* ---- the reference solutions ------------------------------------------------------------------------------------- */

static Status time_problem(const char *id, const char *device_name, Message *why)
{
    Problem problem;
    Status status = problem_read(id, &problem, why);
    if (status != STATUS_OK)
        return status;
    status = reference_times_take(&problem, device_name, false, true, why);
    problem_free(&problem);
    return status;
}

static Status time_all_problems(const char *device_name, Message *why)
{
    Arena arena = {0};
    const char **ids;
    size_t count;
    Status status = problem_list(&arena, &ids, &count, why);
    for (size_t i = 0; status == STATUS_OK && i < count; i++)
        status = time_problem(ids[i], device_name, why);
    arena_free(&arena);
    return status;
}

Status command_calibrate(const Options *options, int *exit_status, Message *why)
{
    const char *device_name = options->device == NULL ? "auto" : options->device;
    DeviceInfo info;
    Status status = options_expect_no_file(options, why);
    if (status == STATUS_OK)
        status = device_describe(device_name, &info, why);
    if (status == STATUS_OK) {
        Progress progress = progress_new(stderr);
        judge_note_device(&progress, &info);
    }
    if (status == STATUS_OK && info.modelled)
        puts("a simulated GPU has its ceilings from its profile: only the reference solutions are timed");
    else if (status == STATUS_OK)
        status = take_ceilings(&info, why);
    if (status == STATUS_OK)
        status = time_all_problems(info.handle, why);
    *exit_status = 0;
    return status;
}
