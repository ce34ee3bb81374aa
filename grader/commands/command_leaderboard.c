#include "grader/commands/command.h"

#include "grader/ranking/ranking.h"
#include "grader/report/report.h"

#include <stdio.h>
#include <string.h>

/* "sim:h200" and "sim-h200" are one device, and "sim" is any of them: devices are named as in --device or as in the
 * table. */
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

/* How a board's times are called: "sim-h200" is the key of the device that "sim:h200" opens. */
static const char *times_of(const char *id)
{
    char name[sizeof((DeviceInfo *)0)->id + 1];
    DeviceInfo info;
    Message why;
    if (strncmp(id, "sim-", 4) != 0)
        return "";
    snprintf(name, sizeof name, "sim:%s", id + 4);
    return device_describe(name, &info, &why) == STATUS_OK ? device_times(&info) : "modelled";
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

static Status add_boards(Store *store, const Problem *problem, const char *device, Text *out, Message *why)
{
    Arena arena = {0};
    Board *boards;
    size_t count;
    Status status = store_boards(store, problem->id, problem->revision.hex, &arena, &boards, &count, why);
    for (size_t i = 0; status == STATUS_OK && i < count; i++)
        if (is_asked_for(device, boards[i].device))
            status = add_board(store, problem, &boards[i], out, why);
    arena_free(&arena);
    return status;
}

/* Nobody has been recorded yet: that is no mistake. */
static Status read_boards(const Problem *problem, const char *device, Text *out, Message *why)
{
    Store *store;
    Status status = ranking_open(STORE_READ, &store, why);
    if (status == STATUS_NOT_FOUND)
        return STATUS_OK;
    if (status == STATUS_OK)
        status = add_boards(store, problem, device, out, why);
    store_close(store);
    return status;
}

Status command_leaderboard(const Options *options, int *exit_status, Message *why)
{
    Problem problem;
    Text out = {0};
    if (options->problem == NULL || options->operand_count > 0)
        return fail(STATUS_BAD_INPUT, why, "expected --problem ID and no file");
    Status status = problem_read(options->problem, &problem, why);
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
