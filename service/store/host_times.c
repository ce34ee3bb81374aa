#include "service/store/host_times.h"

#include "base/json.h"
#include "leaderboard/database.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NEWEST_RUNS = 101 };

/* ---- one sitting ------------------------------------------------------------------------------------------------- */

static double number(const cJSON *object, const char *key)
{
    const cJSON *item = json_get(object, key);
    return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

static AnchorTime anchor_of(const cJSON *anchor, Arena *arena)
{
    const char *name = anchor == NULL ? NULL : json_string(anchor, "name");
    const double before = number(anchor, "before_ms"), after = number(anchor, "after_ms");
    if (name == NULL || !(before > 0) || !(after > 0))
        return (AnchorTime){0};
    return (AnchorTime){arena_string(arena, name), (before + after) / 2, fabs(after - before) / before};
}

AnchorTime host_times_anchor(const char *sitting, Arena *arena)
{
    JsonFile file;
    if (sitting == NULL || json_parse("sitting", sitting, strlen(sitting), &file, NULL) != STATUS_OK)
        return (AnchorTime){0};
    const cJSON *anchor = json_get(file.root, "anchor");
    const AnchorTime time = cJSON_IsObject(anchor) ? anchor_of(anchor, arena) : (AnchorTime){0};
    json_free(&file);
    return time;
}

bool host_times_agree(AnchorTime a, AnchorTime b)
{
    if (a.name == NULL || b.name == NULL || strcmp(a.name, b.name) != 0)
        return true; /* nothing says that they differ */
    return fabs(a.ms - b.ms) <= (HOST_TIMES_AGREE + a.drift + b.drift) * fmin(a.ms, b.ms);
}

/* ---- a board ----------------------------------------------------------------------------------------------------- */

static void take_anchor(Arena *arena, sqlite3_stmt *row, void *item)
{
    *(AnchorTime *)item = host_times_anchor(database_text(arena, row, 0), arena);
}

static int by_time(const void *a, const void *b)
{
    const double x = ((const AnchorTime *)a)->ms, y = ((const AnchorTime *)b)->ms;
    return (x > y) - (x < y);
}

static AnchorTime median_of(AnchorTime *times, size_t count, const char *name)
{
    size_t same = 0;
    for (size_t i = 0; i < count; i++)
        if (times[i].name != NULL && strcmp(times[i].name, name) == 0)
            times[same++] = times[i];
    if (same == 0)
        return (AnchorTime){0};
    qsort(times, same, sizeof *times, by_time);
    return (AnchorTime){name, times[same / 2].ms, times[same / 2].drift};
}

Status host_times_of_board(Store *store, const Board *board, const char *anchor, AnchorTime *median, Message *why)
{
    Arena arena = {0};
    Rows rows = {.arena = &arena, .item_bytes = sizeof(AnchorTime)};
    Status status = database_query(store, &rows, take_anchor, why,
                                   "SELECT sitting FROM runs JOIN run_states ON run_states.run = runs.id"
                                   " WHERE problem = ?1 AND revision = ?2 AND device = ?3 AND epoch = ?4"
                                   " AND state = 'ranked' ORDER BY id DESC LIMIT ?5",
                                   "tttii", board->problem, board->revision, board->device, (int64_t)board->epoch,
                                   (int64_t)NEWEST_RUNS);
    *median = (AnchorTime){0};
    if (status == STATUS_OK)
        *median = median_of((AnchorTime *)(void *)rows.items, rows.count, anchor);
    arena_free(&arena);
    return status;
}

Status host_times_review(Store *store, const Run *run, Arena *arena, const char **rank_status, Message *why)
{
    const AnchorTime own = host_times_anchor(run->sitting, arena);
    AnchorTime board;
    *rank_status = run->rank_status;
    if (own.name == NULL || strcmp(run->rank_status, "ranked") != 0)
        return STATUS_OK;
    Status status = host_times_of_board(store, &run->board, own.name, &board, why);
    if (status == STATUS_OK && !host_times_agree(own, board))
        *rank_status = arena_printf(arena,
                                    "quarantined: this machine times %s at %.4g ms and those of the board at %.4g ms, "
                                    "which differ by more than they are uncertain by",
                                    own.name, own.ms, board.ms);
    return status;
}
