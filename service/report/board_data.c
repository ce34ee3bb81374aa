#include "service/report/board_data.h"

#include "grader/ranking/ladder.h"
#include "grader/ranking/ranking.h"
#include "harness/device/ceilings/ceilings.h"
#include "harness/device/open/device_open.h"
#include "leaderboard/standing.h"

#include <stdio.h>
#include <string.h>

/* The runs are in the order of time. */
static void find_best(const StoredRun *runs, size_t count, Arena *arena, BoardPage *page)
{
    page->best = arena_array(arena, count, sizeof *page->best);
    for (size_t i = 0; i < count; i++) {
        const MeasuredTime *best = page->best_count == 0 ? NULL : &page->best[page->best_count - 1].time;
        if (best == NULL || time_is_faster(runs[i].time, *best))
            page->best[page->best_count++] = (BestTime){
                .time_utc = runs[i].time_utc, .person = runs[i].person, .time = runs[i].time};
    }
}

static Status read_references(Store *store, const Problem *problem, const Board *board, Arena *arena, BoardPage *page,
                              Message *why)
{
    Ladder ladder;
    Status status = ranking_ladder(store, problem, board, &ladder, why);
    if (status != STATUS_OK)
        return status;
    page->references = ladder_times(&ladder, arena, &page->reference_count);
    ladder_free(&ladder);
    return STATUS_OK;
}

/* The name of a simulated GPU is that of its profile, of a real one that of the calibrated device. NULL: unknown. */
static const char *device_name(const char *id, Arena *arena)
{
    char name[sizeof((DeviceInfo *)0)->id + 1];
    DeviceInfo info;
    Ceilings ceilings;
    Message why;
    snprintf(name, sizeof name, "sim:%s", strncmp(id, "sim-", strlen("sim-")) == 0 ? id + strlen("sim-") : "");
    if (name[strlen("sim:")] != '\0')
        return device_describe(name, &info, &why) == STATUS_OK ? arena_string(arena, info.name) : NULL;
    return ceilings_read(id, &ceilings, &why) == STATUS_OK ? arena_string(arena, ceilings.name) : NULL;
}

Status board_data_read(Store *store, const Problem *problem, const Board *board, Arena *arena, BoardPage *page,
                       Message *why)
{
    StoredRun *runs = NULL;
    size_t run_count = 0;
    Status status = STATUS_OK;
    *page = (BoardPage){.device = arena_string(arena, board->device),
                        .device_name = device_name(board->device, arena),
                        .modelled = strncmp(board->device, "sim-", strlen("sim-")) == 0};
    if (store != NULL)
        status = store_runs(store, board, arena, &runs, &run_count, why);
    if (status != STATUS_OK)
        return status;
    page->standings = standings_of(runs, run_count, arena, &page->standing_count);
    find_best(runs, run_count, arena, page);
    return read_references(store, problem, board, arena, page, why);
}

Status board_data_list(Store *store, const Problem *problem, Arena *arena, Board **boards, size_t *count, Message *why)
{
    *boards = NULL;
    *count = 0;
    return store == NULL ? STATUS_OK
                         : store_boards(store, problem->id, problem->revision.hex, arena, boards, count, why);
}
