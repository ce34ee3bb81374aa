#include "grader/commands/command.h"

#include "grader/problem/problem.h"
#include "grader/problem/problem_read.h"
#include "grader/ranking/reference_times.h"

Status command_references(const Options *options, int *exit_status, Message *why)
{
    const char *device = options->device == NULL ? "auto" : options->device;
    Problem problem;
    Status status = options_expect_problem(options, why);
    if (status == STATUS_OK)
        status = problem_read(options->problem, &problem, why);
    if (status != STATUS_OK)
        return status;
    status = reference_times_take(&problem, device, options->only_missing, options->export_times, why);
    problem_free(&problem);
    *exit_status = 0;
    return status;
}
