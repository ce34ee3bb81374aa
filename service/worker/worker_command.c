#include "service/worker/worker_command.h"

#include "service/worker/worker.h"

#include "service/worker/pilot.h"

#include <stdlib.h>

enum { MOST_MINUTES = 7 * 24 * 60, MOST_IDLE_S = 24 * 3600 };

static Status read_number(const char *option, const char *text, long least, long most, int *number, Message *why)
{
    char *end;
    if (text == NULL)
        return STATUS_OK;
    const long value = strtol(text, &end, 10);
    if (*text < '0' || *text > '9' || *end != '\0' || value < least || value > most)
        return fail(STATUS_BAD_INPUT, why, "work: option '%s': expected a number from %ld to %ld, found '%s'", option,
                    least, most, text);
    *number = (int)value;
    return STATUS_OK;
}

static Status read_pilot(const Options *options, WorkerSettings *settings, Message *why)
{
    Status status = read_number("--pilot", options->pilot, PILOT_LEAST_MINUTES, MOST_MINUTES, &settings->pilot_minutes,
                                why);
    if (status == STATUS_OK)
        status = read_number("--idle", options->idle, 1, MOST_IDLE_S, &settings->idle_s, why);
    if (status == STATUS_OK && options->idle != NULL && options->pilot == NULL)
        return fail(STATUS_BAD_INPUT, why, "work: option '--idle' is for a worker with '--pilot'");
    return status;
}

Status command_work(const Options *options, int *exit_status, Message *why)
{
    WorkerSettings settings = {
        .spool = options->spool,
        .device = options->device == NULL ? "auto" : options->device,
        .name = options->name,
        .once = options->once,
        .idle_s = PILOT_IDLE_S,
        .explains = !options->no_explain,
        .unconfined = options->unconfined,
    };
    Status status = options_expect_no_file(options, why);
    if (status == STATUS_OK && options->spool == NULL)
        status = fail(STATUS_BAD_INPUT, why, "work: option '--spool' is missing");
    if (status == STATUS_OK)
        status = read_pilot(options, &settings, why);
    if (status == STATUS_OK)
        status = worker_run(&settings, why);
    *exit_status = 0;
    return status;
}
