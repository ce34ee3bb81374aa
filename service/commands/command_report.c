/* command_report.c - the leaderboard as a folder of pages.  */
#include "service/commands/service_command.h"

#include "base/paths.h"
#include "grader/problem/problem_list.h"
#include "grader/problem/problem_read.h"
#include "grader/ranking/ranking.h"
#include "service/report/report_folder.h"

#include <stdio.h>

static Status choose_folder(const Options *options, char *path, size_t size, Message *why)
{
    if (options->out == NULL)
        return paths_home("build/report", path, size, why);
    if ((size_t)snprintf(path, size, "%s", options->out) < size && options->out[0] != '\0')
        return STATUS_OK;
    return fail(STATUS_BAD_INPUT, why, "report: option '--out': expected the name of a folder");
}

static Status choose_problems(const Options *options, Arena *arena, ReportOrder *order, Message *why)
{
    const char **ids = arena_array(arena, 1, sizeof *ids);
    Status status = STATUS_OK;
    Problem problem;
    ids[0] = options->problem;
    order->problem_count = 1;
    if (options->problem == NULL)
        status = problem_list(arena, &ids, &order->problem_count, why);
    else if ((status = problem_read(options->problem, &problem, why)) == STATUS_OK) /* before a folder is made */
        problem_free(&problem);
    order->problems = ids;
    return status;
}

/* It is no error if nothing has been recorded yet. */
static Status open_store(Store **store, Message *why)
{
    *store = NULL;
    Status status = ranking_open(STORE_READ, store, why);
    return status == STATUS_NOT_FOUND ? STATUS_OK : status;
}

Status command_report(const Options *options, int *exit_status, Message *why)
{
    char folder[4096];
    Arena arena = {0};
    Store *store = NULL;
    ReportOrder order = {.folder = folder, .with_sources = options->sources};
    size_t pages = 0;
    Status status = options_expect_no_file(options, why);
    if (status == STATUS_OK)
        status = choose_folder(options, folder, sizeof folder, why);
    if (status == STATUS_OK)
        status = choose_problems(options, &arena, &order, why);
    if (status == STATUS_OK)
        status = open_store(&store, why);
    if (status == STATUS_OK)
        status = report_folder_write(store, &order, &pages, why);
    if (status == STATUS_OK)
        printf("%s/index.html: %zu pages\n", folder, pages);
    store_close(store);
    arena_free(&arena);
    *exit_status = 0;
    return status;
}
