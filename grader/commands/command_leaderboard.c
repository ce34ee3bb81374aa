#include "grader/commands/command.h"

#include "base/suggestion.h"
#include "grader/ranking/ranking.h"
#include "grader/report/report_leaderboard.h"
#include "grader/problem/problem_read.h"
#include "harness/device/open/device_open.h"

#include <stdio.h>
#include <string.h>

/* A device may be named as in --device or as in the table: "sim:h200" and "sim-h200" are the same device, and "sim"
 * means every simulated GPU. */
static bool is_asked_for(const char *asked, const char *device_id)
{
    char id[64];
    if (asked == NULL || strcmp(asked, "auto") == 0)
        return true;
    snprintf(id, sizeof id, "%s", asked);
    for (char *at = id; *at != '\0'; at++)
        *at = *at == ':' ? '-' : *at;
    size_t length = strlen(id);
    return strncmp(id, device_id, length) == 0 && (device_id[length] == '\0' || device_id[length] == '-');
}

/* The label of a board's times, "modelled"; "" for measured ones. The board "sim-h200" is that of the device
 * "sim:h200". */
static const char *times_of(const char *id)
{
    char name[sizeof((DeviceInfo *)0)->id + 1];
    DeviceInfo info;
    Message why;
    if (strncmp(id, "sim-", 4) != 0)
        return "";
    snprintf(name, sizeof name, "sim:%s", id + 4);
    return device_describe(name, &info, &why) == STATUS_OK ? device_time_label(&info) : "modelled";
}

static Status add_board(Store *store, const Problem *problem, const Board *board, Text *out, Message *why)
{
    Arena arena = {0};
    StoredRun *runs;
    size_t run_count, count;
    Status status = store_runs(store, board, &arena, &runs, &run_count, why);
    if (status == STATUS_OK) {
        Standing *standings = standings_of(runs, run_count, &arena, &count);
        report_leaderboard(problem, board, times_of(board->device), standings, count, out);
    }
    arena_free(&arena);
    return status;
}

/* Called if no board belongs to the device. A device may have no times yet, but the name must be that of a device.
 * A real GPU need not be in this machine. */
static Status check_device_name(const char *asked, const Board *boards, size_t count, Message *why)
{
    char name[100];
    DeviceInfo info;
    Text names = {0};
    if (strcmp(asked, "cuda") == 0 || strncmp(asked, "cuda:", 5) == 0)
        return STATUS_OK;
    bool simulated = strncmp(asked, "sim-", 4) == 0 || strncmp(asked, "sim:", 4) == 0;
    snprintf(name, sizeof name, "%s%s", simulated ? "sim:" : "", simulated ? asked + 4 : asked);
    Status status = device_describe(name, &info, why);
    if (status == STATUS_OK || simulated)
        return status;
    text_add(&names, "auto, cuda, sim");
    for (size_t i = 0; i < count; i++)
        text_printf(&names, ", %s", boards[i].device);
    status = fail(STATUS_BAD_INPUT, why, "unknown device '%s'; %sexpected one of: %s", asked,
                  suggestion_for(asked, names.data).text, names.data);
    text_free(&names);
    return status;
}

static Status add_boards(Store *store, const Problem *problem, const char *device, Text *out, Message *why)
{
    Arena arena = {0};
    Board *boards;
    size_t count;
    Status status = store_boards(store, problem->id, problem->revision.hex, &arena, &boards, &count, why);
    for (size_t i = 0; status == STATUS_OK && i < count; i++)
        if (is_asked_for(device, boards[i].device))
            status = add_board(store, problem, &boards[i], out, why);
    if (status == STATUS_OK && out->length == 0 && device != NULL)
        status = check_device_name(device, boards, count, why);
    arena_free(&arena);
    return status;
}

/* It is no error if nothing has been recorded yet. */
static Status read_boards(const Problem *problem, const char *device, Text *out, Message *why)
{
    Store *store;
    Status status = ranking_open(STORE_READ, &store, why);
    if (status == STATUS_NOT_FOUND)
        return device == NULL ? STATUS_OK : check_device_name(device, NULL, 0, why);
    if (status == STATUS_OK)
        status = add_boards(store, problem, device, out, why);
    store_close(store);
    return status;
}

Status command_leaderboard(const Options *options, int *exit_status, Message *why)
{
    Problem problem;
    Text out = {0};
    Status status = options_expect_problem(options, why);
    if (status == STATUS_OK)
        status = problem_read(options->problem, &problem, why);
    if (status != STATUS_OK)
        return status;
    status = read_boards(&problem, options->device, &out, why);
    if (status == STATUS_OK && out.length == 0)
        text_printf(&out, "%s (%s): no ranked submissions yet\n", problem.id, problem.title);
    if (status == STATUS_OK)
        fputs(out.data, stdout);
    text_free(&out);
    problem_free(&problem);
    *exit_status = 0;
    return status;
}
