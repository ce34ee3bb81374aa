#include "grader/commands/command.h"

#include "base/arena.h"
#include "grader/judge/judge.h"
#include "grader/problem/problem.h"
#include "grader/problem/problem_list.h"
#include "grader/problem/problem_read.h"
#include "grader/terminal/progress.h"
#include "grader/ranking/reference_times.h"
#include "harness/device/ceilings/ceilings_measure.h"
#include "harness/device/monitor/device_lock.h"
#include "harness/device/open/device_open.h"

#include <stdio.h>
#include <unistd.h>

static const double LOCK_SECONDS = 600; /* how long to wait for gradings under way */

/* ---- the ceilings ------------------------------------------------------------------------------------------------ */

static void advance_progress(void *progress)
{
    progress_advance(progress);
}

static void end_step(Progress *progress, const Ceilings *ceilings)
{
    char text[200];
    snprintf(text, sizeof text, "read %.0f GB/s, copy %.0f GB/s, FMA %.1f TFLOP/s, %.0f MHz, clock gap %.1f us",
             ceilings->read_bytes_per_s * 1e-9, ceilings->copy_bytes_per_s * 1e-9, ceilings->fma_flops_per_s * 1e-12,
             ceilings->sm_clock_mhz, ceilings->clock_gap_us);
    progress_end(progress, text);
}

static void tell_of_queue(void *progress, const char *holder, double waited_s)
{
    progress_note(progress, "the GPU is in use by %s (%.0f s)", holder, waited_s);
}

static Status measure_ceilings(const DeviceInfo *info, Progress *progress, Ceilings *ceilings, Message *why)
{
    Device *device;
    int lock;
    Status status = device_lock_wait(info->uuid, LOCK_SECONDS, tell_of_queue, progress, &lock, why);
    if (status != STATUS_OK)
        return status;
    status = device_open(info->handle, &device, why);
    if (status == STATUS_OK) {
        status = ceilings_measure(device, &CEILINGS_WORK, advance_progress, progress, ceilings, why);
        device->close(device);
    }
    close(lock);
    return status;
}

static Status take_ceilings(const DeviceInfo *info, Message *why)
{
    Ceilings ceilings;
    char path[4096];
    Progress progress = progress_new(stderr);
    progress_begin(&progress, "ceilings", CEILINGS_STEPS);
    Status status = measure_ceilings(info, &progress, &ceilings, why);
    if (status == STATUS_OK)
        end_step(&progress, &ceilings);
    else
        progress_end(&progress, "failed");
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
    status = reference_times_take(&problem, device_name, true, why);
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
