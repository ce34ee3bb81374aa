#include "grader/commands/command.h"

#include "grader/commands/request.h"
#include "grader/judge/compilation.h"
#include "grader/judge/judge.h"
#include "grader/judge/opinion_ahead.h"
#include "harness/compile/toolkit.h"
#include "harness/device/open/device_open.h"
#include "harness/sandbox/scratch.h"

#include <stdio.h>

/* The same compilation as that of a grading, so that the compile cache has it when a grading asks for it. */
static Status compile(const Options *options, const Request *request, Compiled *compiled, Message *why)
{
    DeviceInfo info;
    Toolkit toolkit;
    char scratch[4096];
    Status status = device_describe(request_device(options), &info, why);
    if (status == STATUS_OK)
        status = info.modelled ? toolkit_find(&toolkit, why) : toolkit_find_nvcc(&toolkit, why);
    if (status == STATUS_OK)
        status = scratch_new(scratch, sizeof scratch, why);
    if (status != STATUS_OK)
        return status;
    status = compilation_of(&request->problem, &request->submission, &info, &toolkit, scratch, compiled, why);
    scratch_remove(scratch);
    return status;
}

/* Where a grading on this device would ask for a second opinion. */
static Status give_opinion(const Options *options, const Request *request, Message *why)
{
    DeviceInfo info;
    OpinionAhead ahead;
    Status status = device_describe(request_device(options), &info, why);
    const char *device = status == STATUS_OK ? opinion_device(info.modelled) : NULL;
    if (device == NULL)
        return status;
    status = opinion_ahead_make(&request->problem, &request->submission, device, judge_submission, &ahead, why);
    return status == STATUS_OK ? opinion_ahead_write(options->opinion, &ahead, why) : status;
}

Status command_compile(const Options *options, int *exit_status, Message *why)
{
    Request request;
    Compiled compiled = {0};
    Status status = request_read(options, &request, why);
    if (status == STATUS_OK)
        status = compile(options, &request, &compiled, why);
    if (status == STATUS_OK) {
        if (compiled.diagnostics.length > 0)
            fputs(compiled.diagnostics.data, stdout);
        *exit_status = compiled.outcome != COMPILE_OK;
        if (compiled.outcome == COMPILE_OK && options->opinion != NULL)
            status = give_opinion(options, &request, why);
        compiled_free(&compiled);
    }
    request_free(&request);
    return status;
}
