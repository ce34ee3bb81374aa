#include "grader/commands/command.h"

#include "grader/judge/judge.h"
#include "grader/authoring/solution.h"
#include "grader/problem/problem_list.h"

#include <stdio.h>
#include <string.h>

/* Judges one file. Fails if the verdict is not one that the file claims. */
static Status check_submission(const Submission *submission, const char *problem_id, const CheckDevice *device,
                               Message *why)
{
    Problem problem;
    Result result;
    Status status = submission_problem(submission, problem_id, &problem, why);
    if (status != STATUS_OK)
        return status;
    status = solution_judge(submission, &problem, device, false, &result, why);
    result_free(&result);
    problem_free(&problem);
    return status;
}

/* "conv1d" for a file below solutions/conv1d/, else NULL. */
static const char *problem_of_path(const char *path, char *id, size_t size)
{
    const char *solutions = strstr(path, "solutions/");
    if (solutions == NULL || (solutions > path && solutions[-1] != '/'))
        return NULL;
    const char *start = solutions + strlen("solutions/");
    snprintf(id, size, "%.*s", (int)strcspn(start, "/"), start);
    return id;
}

/* Prints one line of TAP; false if the file does not get the verdict that it claims. */
static bool check_file(const char *path, const char *problem_id, const CheckDevice *device, size_t number)
{
    Submission submission;
    Message why = {0};
    char id[256];
    if (problem_id == NULL)
        problem_id = problem_of_path(path, id, sizeof id);
    Status status = submission_read(path, &submission, &why);
    if (status == STATUS_OK) {
        status = check_submission(&submission, problem_id, device, &why);
        submission_free(&submission);
    }
    printf("%s %zu - %s\n", status == STATUS_OK ? "ok" : "not ok", number, path);
    if (status != STATUS_OK)
        printf("# %s\n", why.text);
    fflush(stdout);
    return status == STATUS_OK;
}

static Status add_all_solutions(Paths *paths, const char *problem_id, Message *why)
{
    const char **ids;
    size_t count;
    if (problem_id != NULL)
        return paths_add_solutions(paths, problem_id, why);
    Status status = problem_list(&paths->arena, &ids, &count, why);
    for (size_t i = 0; status == STATUS_OK && i < count; i++)
        status = paths_add_solutions(paths, ids[i], why);
    return status;
}

Status command_check(const Options *options, int *exit_status, Message *why)
{
    Paths paths = {0};
    CheckDevice device;
    Status status = check_device(options->device, options->timed, &device, why);
    for (int i = 0; i < options->operand_count; i++)
        paths_add(&paths, options->operands[i]);
    if (status == STATUS_OK && options->operand_count == 0)
        status = add_all_solutions(&paths, options->problem, why);
    if (status == STATUS_OK && paths.count == 0)
        status = fail(STATUS_NOT_FOUND, why, "no solutions to check");
    if (status == STATUS_OK) {
        *exit_status = 0;
        printf("1..%zu\n", paths.count);
        for (size_t i = 0; i < paths.count; i++)
            if (!check_file(paths.items[i], options->problem, &device, i + 1))
                *exit_status = 1;
    }
    arena_free(&paths.arena);
    return status;
}
