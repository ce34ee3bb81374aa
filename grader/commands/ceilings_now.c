#include "grader/commands/ceilings_now.h"

#include "harness/device/monitor/device_lock.h"
#include "harness/device/open/device_open.h"

#include <stdio.h>
#include <unistd.h>

static const double LOCK_SECONDS = 600; /* how long to wait for gradings under way */

static void advance_progress(void *progress)
{
    progress_advance(progress);
}

static void end_step(Progress *progress, const Ceilings *ceilings)
{
    char text[200];
    snprintf(
        text, sizeof text,
        "read %.0f GB/s, copy %.0f GB/s, FMA %.1f TFLOP/s, TF32 %.1f TFLOP/s, %.0f MHz, clock gap %.1f us, launch %.1f us",
        ceilings->read_bytes_per_s * 1e-9, ceilings->copy_bytes_per_s * 1e-9, ceilings->fma_flops_per_s * 1e-12,
        ceilings->tf32_flops_per_s * 1e-12, ceilings->sm_clock_mhz, ceilings->clock_gap_us, ceilings->launch_us);
    progress_end(progress, text);
}

static void tell_of_queue(void *progress, const char *holder, double waited_s)
{
    progress_note(progress, "the GPU is in use by %s (%.0f s)", holder, waited_s);
}

static Status measure_ceilings(const DeviceInfo *info, const CeilingsWork *work, Progress *progress, Ceilings *ceilings,
                               Message *why)
{
    Device *device;
    int lock;
    Status status = device_lock_wait(info->uuid, LOCK_SECONDS, tell_of_queue, progress, &lock, why);
    if (status != STATUS_OK)
        return status;
    status = device_open(info->handle, &device, why);
    if (status == STATUS_OK) {
        status = ceilings_measure(device, work, advance_progress, progress, ceilings, why);
        device->close(device);
    }
    close(lock);
    return status;
}

Status ceilings_now(const DeviceInfo *info, const CeilingsWork *work, Progress *progress, Ceilings *ceilings,
                    Message *why)
{
    progress_begin(progress, "ceilings", CEILINGS_STEPS);
    Status status = measure_ceilings(info, work, progress, ceilings, why);
    if (status == STATUS_OK)
        end_step(progress, ceilings);
    else
        progress_end(progress, "failed");
    return status;
}
