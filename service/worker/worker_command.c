#include "service/worker/worker_command.h"

#include "service/worker/worker.h"

#include <stddef.h>

Status command_work(const Options *options, int *exit_status, Message *why)
{
    const WorkerSettings settings = {
        .spool = options->spool,
        .device = options->device == NULL ? "auto" : options->device,
        .name = options->name,
        .once = options->once,
        .unconfined = options->unconfined,
    };
    Status status = options_expect_no_file(options, why);
    if (status == STATUS_OK && options->spool == NULL)
        status = fail(STATUS_BAD_INPUT, why, "work: option '--spool' is missing");
    if (status == STATUS_OK)
        status = worker_run(&settings, why);
    *exit_status = 0;
    return status;
}
