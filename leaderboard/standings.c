/* standings.c - the class in order, and what the store keeps in memory of each board so that its history costs nothing.  */
#include "leaderboard/database.h"
#include "leaderboard/store.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

/* ==== standing ==================================================================================================== */

static double median(double *numbers, size_t count)
{
    qsort(numbers, count, sizeof *numbers, order_numbers);
    return count % 2 == 1 ? numbers[count / 2] : (numbers[count / 2 - 1] + numbers[count / 2]) / 2;
}

static MeasuredTime median_time(const StoredRun *runs, size_t count)
{
    if (count == 1)
        return runs->time;
    Arena arena = {0};
    double *ms = arena_array(&arena, count, sizeof *ms), *uncertainty = arena_array(&arena, count, sizeof *uncertainty);
    for (size_t i = 0; i < count; i++) {
        ms[i] = runs[i].time.ms;
        uncertainty[i] = runs[i].time.uncertainty;
    }
    MeasuredTime time = time_made(median(ms, count), median(uncertainty, count), runs->time.model);
    arena_free(&arena);
    return time;
}

/* Runs that compare equal are pooled. */
static int by_pool(const void *a, const void *b)
{
    const StoredRun *x = a, *y = b;
    int order = strcmp(x->person, y->person);
    return order == 0 ? strcmp(x->machine_code, y->machine_code) : order;
}

/* The end of the pool that begins at `first`. */
static size_t pool_end(const StoredRun *sorted, size_t count, size_t first)
{
    size_t end = first + 1;
    while (end < count && by_pool(&sorted[first], &sorted[end]) == 0)
        end++;
    return end;
}

static StoredRun *sorted_runs(const StoredRun *runs, size_t count, Arena *arena)
{
    StoredRun *sorted = arena_array(arena, count, sizeof *sorted);
    if (count > 0)
        memcpy(sorted, runs, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_pool);
    return sorted;
}

/* Above 0: a run came after another one, which may be of the same second. */
static int later(const char *time_utc, int64_t run, const char *other_utc, int64_t other)
{
    const int order = strcmp(time_utc, other_utc);
    return order == 0 ? (run > other) - (run < other) : order;
}

/* The latest run of a pool, with the time of all. */
static StoredRun pooled_run(const StoredRun *pool, size_t count)
{
    const StoredRun *latest = pool;
    for (size_t i = 1; i < count; i++)
        if (later(pool[i].time_utc, pool[i].id, latest->time_utc, latest->id) > 0)
            latest = &pool[i];
    StoredRun pooled = *latest;
    pooled.time = median_time(pool, count);
    return pooled;
}

static int by_time(const void *a, const void *b)
{
    const Standing *x = a, *y = b;
    int order = order_numbers(&x->time.ms, &y->time.ms);
    return order == 0 ? strcmp(x->person, y->person) : order;
}

static void assign_ranks(Standing *standings, size_t count)
{
    Arena arena = {0};
    MeasuredTime *times = arena_array(&arena, count, sizeof *times);
    Percentile *percentiles = arena_array(&arena, count, sizeof *percentiles);
    for (size_t i = 0; i < count; i++)
        times[i] = standings[i].time;
    percentiles_among_all(times, count, percentiles);
    for (size_t i = 0; i < count; i++) {
        standings[i].percentile = percentiles[i];
        standings[i].rank = 1 + percentiles[i].faster;
    }
    arena_free(&arena);
}

/* Of codes that are equally fast, the latest counts. */
static bool is_better(const StoredRun *run, const Standing *best)
{
    return run->time.ms == best->time.ms ? later(run->time_utc, run->id, best->time_utc, best->run) > 0
                                         : run->time.ms < best->time.ms;
}

static Standing *standings_of_sorted(const StoredRun *sorted, size_t run_count, Arena *arena, size_t *count)
{
    Rows people = {.arena = arena, .item_bytes = sizeof(Standing)};
    Standing *best = NULL;
    for (size_t first = 0, end; first < run_count; first = end) {
        end = pool_end(sorted, run_count, first);
        const StoredRun run = pooled_run(sorted + first, end - first);
        const bool is_new = best == NULL || strcmp(best->person, run.person) != 0;
        if (is_new)
            best = database_rows_next(&people);
        if (is_new || is_better(&run, best))
            *best = (Standing){.person = run.person, .time_utc = run.time_utc, .time = run.time, .run = run.id};
    }
    Standing *standings = (Standing *)(void *)people.items;
    *count = people.count;
    if (people.count > 0)
        qsort(standings, people.count, sizeof *standings, by_time);
    assign_ranks(standings, people.count);
    return standings;
}

Standing *standings_of(const StoredRun *runs, size_t run_count, Arena *arena, size_t *count)
{
    return standings_of_sorted(sorted_runs(runs, run_count, arena), run_count, arena, count);
}

/* ==== kept boards ================================================================================================= */

/* Rows are only added, so a board changes only by newer runs and newer rulings. Newer runs are added to what is kept, in the
 * order of persons and codes; a ruling, which can take any run away, has the board read anew. */
typedef struct KeptBoard {
    struct KeptBoard *next;
    Board board;
    int64_t last_run, last_ruling; /* of the whole store, when the board was read */
    int64_t schema;                /* grows when a person gets another name: it is changed for that */
    StoredRun *runs;               /* [run_count], sorted by_pool() */
    Arena texts;                   /* of the board and its runs */
    size_t run_count, capacity;
    Rows improvements; /* StoredRun: each was significantly faster than all before, oldest first */
    Standing *standings;
    size_t count;
    Arena derived; /* of the standings */
} KeptBoard;

static void release(KeptBoard *kept)
{
    arena_free(&kept->texts);
    arena_free(&kept->derived);
    free(kept->runs);
}

static void forget_boards(Store *store)
{
    while (store->boards != NULL) {
        KeptBoard *first = store->boards;
        store->boards = first->next;
        release(first);
        free(first);
    }
}

static bool is_board(const Board *a, const Board *b)
{
    return a->epoch == b->epoch && strcmp(a->problem, b->problem) == 0 && strcmp(a->revision, b->revision) == 0 &&
           strcmp(a->device, b->device) == 0;
}

/* Empties a board, but for its name; the name may be that of `kept` itself. */
static void begin(KeptBoard *kept, const Board *board)
{
    KeptBoard empty = {.next = kept->next};
    empty.board = (Board){.problem = arena_string(&empty.texts, board->problem),
                          .revision = arena_string(&empty.texts, board->revision),
                          .device = arena_string(&empty.texts, board->device),
                          .epoch = board->epoch};
    release(kept);
    *kept = empty;
    kept->improvements = (Rows){.arena = &kept->texts, .item_bytes = sizeof(StoredRun)};
}

static KeptBoard *find(Store *store, const Board *board)
{
    KeptBoard *kept = store->boards;
    while (kept != NULL && !is_board(&kept->board, board))
        kept = kept->next;
    if (kept != NULL)
        return kept;
    kept = zeroed(1, sizeof *kept);
    begin(kept, board);
    kept->next = store->boards;
    store->boards = kept;
    store->forget = forget_boards;
    return kept;
}

static void merge(KeptBoard *kept, const StoredRun *sorted, size_t count)
{
    if (kept->run_count + count > kept->capacity) {
        kept->capacity = kept->run_count + count + kept->run_count / 8;
        kept->runs = allocated(realloc(kept->runs, kept->capacity * sizeof *kept->runs));
    }
    for (size_t to = kept->run_count + count, old = kept->run_count, new = count; new > 0;)
        kept->runs[--to] = old > 0 && by_pool(&kept->runs[old - 1], &sorted[new - 1]) > 0 ? kept->runs[--old]
                                                                                          : sorted[--new];
    kept->run_count += count;
}

static void note_improvements(KeptBoard *kept, const StoredRun *runs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const StoredRun *best = (const StoredRun *)(const void *)kept->improvements.items;
        if (best == NULL || time_is_faster(runs[i].time, best[kept->improvements.count - 1].time))
            *(StoredRun *)database_rows_next(&kept->improvements) = runs[i];
    }
}

static int by_id(const void *a, const void *b)
{
    const StoredRun *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

static void add(KeptBoard *kept, StoredRun *runs, size_t count)
{
    if (count == 0)
        return;
    qsort(runs, count, sizeof *runs, by_pool);
    merge(kept, runs, count);
    qsort(runs, count, sizeof *runs, by_id);
    note_improvements(kept, runs, count);
    arena_free(&kept->derived);
    kept->standings = standings_of_sorted(kept->runs, kept->run_count, &kept->derived, &kept->count);
}

static Status refresh(Store *store, const Board *board, KeptBoard **found, Message *why)
{
    KeptBoard *kept = find(store, board);
    StoredRun *runs;
    size_t count = 0;
    int64_t last_run = 0, last_ruling = 0, schema = 0;
    *found = kept;
    Status status = database_int(store, &last_ruling, why, "SELECT max(id) FROM rulings", "");
    THEN(status, database_int(store, &last_run, why, "SELECT max(id) FROM runs", ""));
    THEN(status, database_int(store, &schema, why, "PRAGMA schema_version", ""));
    if (status != STATUS_OK ||
        (last_run == kept->last_run && last_ruling == kept->last_ruling && schema == kept->schema))
        return status;
    if (last_ruling != kept->last_ruling || schema != kept->schema)
        begin(kept, &kept->board);
    TRY(store_runs_since(store, &kept->board, kept->last_run, last_run, &kept->texts, &runs, &count, why));
    add(kept, runs, count);
    kept->last_run = last_run;
    kept->last_ruling = last_ruling;
    kept->schema = schema;
    return STATUS_OK;
}

Status store_standings(Store *store, const Board *board, Arena *arena, Standings *standings, Message *why)
{
    KeptBoard *kept;
    *standings = (Standings){0};
    TRY(refresh(store, board, &kept, why));
    *standings = (Standings){.people = arena_array(arena, kept->count, sizeof(Standing)),
                             .count = kept->count,
                             .best = arena_array(arena, kept->improvements.count, sizeof(StoredRun)),
                             .best_count = kept->improvements.count};
    for (size_t i = 0; i < kept->count; i++) {
        Standing *copy = &standings->people[i];
        *copy = kept->standings[i];
        copy->person = arena_string(arena, copy->person);
        copy->time_utc = arena_string(arena, copy->time_utc);
        standings->newest_run = copy->run > standings->newest_run ? copy->run : standings->newest_run;
    }
    for (size_t i = 0; i < standings->best_count; i++) {
        StoredRun *copy = &standings->best[i];
        *copy = ((const StoredRun *)(const void *)kept->improvements.items)[i];
        copy->person = arena_string(arena, copy->person);
        copy->time_utc = arena_string(arena, copy->time_utc);
        copy->machine_code = NULL;
    }
    return STATUS_OK;
}

/* The time that counts of a run: for one that ranks the pooled time of its code. */
static MeasuredTime time_that_counts(const KeptBoard *kept, int64_t run, MeasuredTime time)
{
    for (size_t first = 0, end; first < kept->run_count; first = end) {
        end = pool_end(kept->runs, kept->run_count, first);
        for (size_t i = first; i < end; i++)
            if (kept->runs[i].id == run)
                return median_time(kept->runs + first, end - first);
    }
    return time;
}

Status store_place(Store *store, const Board *board, const char *person, int64_t run, MeasuredTime time,
                   Percentile *place, Message *why)
{
    Arena arena = {0};
    KeptBoard *kept;
    size_t count = 0;
    Status status = refresh(store, board, &kept, why);
    if (status == STATUS_OK) {
        MeasuredTime *others = arena_array(&arena, kept->count, sizeof *others);
        for (size_t i = 0; i < kept->count; i++)
            if (strcmp(kept->standings[i].person, person) != 0)
                others[count++] = kept->standings[i].time;
        *place = percentile_among(time_that_counts(kept, run, time), others, count);
    }
    arena_free(&arena);
    return status;
}
