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

Standing *standings_of(const StoredRun *runs, size_t run_count, Arena *arena, size_t *count)
{
    const StoredRun *sorted = sorted_runs(runs, run_count, arena);
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

/* ==== kept boards ================================================================================================= */

/* Of a board the store keeps the people and the improvements, not the runs: rows are only added, so a board changes only by newer runs
 * and newer rulings, and then the runs of the people concerned are read again. */
typedef struct KeptBoard {
    struct KeptBoard *next;
    Board board;
    int64_t last_run, last_ruling; /* of the whole store, when the board was read */
    int64_t schema;                /* grows when a person gets another name: it is changed for that */
    Standing *people;
    size_t count;
    StoredRun *best; /* each was significantly faster than all before, oldest first */
    size_t best_count;
    Arena arena; /* of all this */
} KeptBoard;

static void forget_boards(Store *store)
{
    while (store->boards != NULL) {
        KeptBoard *first = store->boards;
        store->boards = first->next;
        arena_free(&first->arena);
        free(first);
    }
}

static bool is_board(const Board *a, const Board *b)
{
    return a->epoch == b->epoch && strcmp(a->problem, b->problem) == 0 && strcmp(a->revision, b->revision) == 0 &&
           strcmp(a->device, b->device) == 0;
}

static void put_board(KeptBoard *kept, const Board *board)
{
    kept->board = (Board){.problem = arena_string(&kept->arena, board->problem),
                          .revision = arena_string(&kept->arena, board->revision),
                          .device = arena_string(&kept->arena, board->device),
                          .epoch = board->epoch};
}

static KeptBoard *find(Store *store, const Board *board)
{
    KeptBoard *kept = store->boards;
    while (kept != NULL && !is_board(&kept->board, board))
        kept = kept->next;
    if (kept != NULL)
        return kept;
    kept = zeroed(1, sizeof *kept);
    put_board(kept, board);
    kept->next = store->boards;
    store->boards = kept;
    store->forget = forget_boards;
    return kept;
}

/* ---- what has changed -------------------------------------------------------------------------------------------- */

typedef struct ChangedPerson {
    const char *name;
    int64_t first; /* of the person's runs that are new, or whose ruling is */
} ChangedPerson;

static void take_changed(Arena *arena, sqlite3_stmt *row, void *item)
{
    *(ChangedPerson *)item = (ChangedPerson){database_text(arena, row, 0), sqlite3_column_int64(row, 1)};
}

/* By name. All people of a board are found in its index, those of the last few runs of a store among its rows: a plus keeps SQLite
 * from using the index. */
static Status list_changed(Store *store, const KeptBoard *kept, Arena *arena, ChangedPerson **people, size_t *count,
                           Message *why)
{
#define CHANGED(PLUS, WHICH)                                                                                           \
    "SELECT person, min(id) FROM runs WHERE " PLUS "problem = ?1 AND " PLUS "revision = ?2 AND " PLUS                  \
    "device = ?3 AND " PLUS "epoch = ?4" WHICH " GROUP BY person"
    const Board *board = &kept->board;
    if (kept->last_run == 0)
        return database_list(store, arena, sizeof **people, take_changed, people, count, why, CHANGED("", ""), "ttti",
                             board->problem, board->revision, board->device, (int64_t)board->epoch);
    return database_list(store, arena, sizeof **people, take_changed, people, count, why,
                         CHANGED("+", " AND (id > ?5 OR id IN (SELECT run FROM rulings WHERE id > ?6))"), "tttiii",
                         board->problem, board->revision, board->device, (int64_t)board->epoch, kept->last_run,
                         kept->last_ruling);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const ChangedPerson *)a)->name, ((const ChangedPerson *)b)->name);
}

/* ---- what is kept then ------------------------------------------------------------------------------------------- */

static void put_person(KeptBoard *kept, const Standing *standing)
{
    Standing *copy = &kept->people[kept->count++];
    *copy = *standing;
    copy->person = arena_string(&kept->arena, standing->person);
    copy->time_utc = arena_string(&kept->arena, standing->time_utc);
}

/* Somebody none of whose runs ranks is not on the board. */
static Status put_changed(Store *store, KeptBoard *kept, const char *person, Message *why)
{
    Arena arena = {0};
    StoredRun *runs;
    size_t run_count, count = 0;
    Status status = store_runs_of(store, &kept->board, person, &arena, &runs, &run_count, why);
    if (status == STATUS_OK && run_count > 0)
        put_person(kept, standings_of(runs, run_count, &arena, &count));
    arena_free(&arena);
    return status;
}

static Status put_people(Store *store, KeptBoard *kept, const KeptBoard *before, const ChangedPerson *changed,
                         size_t changed_count, Message *why)
{
    Status status = STATUS_OK;
    kept->people = arena_array(&kept->arena, before->count + changed_count, sizeof *kept->people);
    for (size_t i = 0; i < before->count; i++) {
        const ChangedPerson named = {.name = before->people[i].person};
        if (bsearch(&named, changed, changed_count, sizeof *changed, by_name) == NULL)
            put_person(kept, &before->people[i]);
    }
    for (size_t i = 0; i < changed_count && status == STATUS_OK; i++)
        status = put_changed(store, kept, changed[i].name, why);
    if (kept->count > 0)
        qsort(kept->people, kept->count, sizeof *kept->people, by_time);
    assign_ranks(kept->people, kept->count);
    return status;
}

static void put_best(KeptBoard *kept, const StoredRun *run)
{
    StoredRun *copy = &kept->best[kept->best_count++];
    *copy = *run;
    copy->person = arena_string(&kept->arena, run->person);
    copy->time_utc = arena_string(&kept->arena, run->time_utc);
    copy->machine_code = NULL;
}

/* Those before `first` stay. */
static Status put_improvements(Store *store, KeptBoard *kept, const KeptBoard *before, int64_t first, Message *why)
{
    Arena arena = {0};
    StoredRun *records;
    size_t count, stay = 0;
    while (stay < before->best_count && before->best[stay].id < first)
        stay++;
    TRY(store_records(store, &kept->board, first, stay == 0 ? 0 : before->best[stay - 1].time.ms, &arena, &records,
                      &count, why));
    kept->best = arena_array(&kept->arena, stay + count, sizeof *kept->best);
    for (size_t i = 0; i < stay; i++)
        put_best(kept, &before->best[i]);
    for (size_t i = 0; i < count; i++)
        if (kept->best_count == 0 || time_is_faster(records[i].time, kept->best[kept->best_count - 1].time))
            put_best(kept, &records[i]);
    arena_free(&arena);
    return STATUS_OK;
}

/* Fills `kept`, which has the versions and the board alone. */
static Status read_changes(Store *store, const KeptBoard *before, KeptBoard *kept, Message *why)
{
    Arena arena = {0};
    ChangedPerson *changed;
    size_t count = 0;
    int64_t first = INT64_MAX;
    Status status = list_changed(store, before, &arena, &changed, &count, why);
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        first = changed[i].first < first ? changed[i].first : first;
    THEN(status, put_people(store, kept, before, changed, count, why));
    THEN(status, put_improvements(store, kept, before, first, why));
    arena_free(&arena);
    return status;
}

static Status refresh(Store *store, const Board *board, KeptBoard **found, Message *why)
{
    KeptBoard *kept = find(store, board), now = {.next = kept->next};
    *found = kept;
    TRY(database_int(store, &now.last_ruling, why, "SELECT max(id) FROM rulings", ""));
    TRY(database_int(store, &now.last_run, why, "SELECT max(id) FROM runs", ""));
    TRY(database_int(store, &now.schema, why, "PRAGMA schema_version", ""));
    if (now.last_run == kept->last_run && now.last_ruling == kept->last_ruling && now.schema == kept->schema)
        return STATUS_OK;
    const KeptBoard nothing = {.board = kept->board};
    put_board(&now, &kept->board);
    Status status = read_changes(store, now.schema == kept->schema ? kept : &nothing, &now, why);
    arena_free(status == STATUS_OK ? &kept->arena : &now.arena);
    if (status == STATUS_OK)
        *kept = now;
    return status;
}

/* ---- asking ------------------------------------------------------------------------------------------------------ */

Status store_standings(Store *store, const Board *board, Arena *arena, Standings *standings, Message *why)
{
    KeptBoard *kept;
    *standings = (Standings){0};
    TRY(refresh(store, board, &kept, why));
    *standings = (Standings){.people = arena_array(arena, kept->count, sizeof(Standing)),
                             .count = kept->count,
                             .best = arena_array(arena, kept->best_count, sizeof(StoredRun)),
                             .best_count = kept->best_count};
    for (size_t i = 0; i < kept->count; i++) {
        Standing *copy = &standings->people[i];
        *copy = kept->people[i];
        copy->person = arena_string(arena, copy->person);
        copy->time_utc = arena_string(arena, copy->time_utc);
        standings->newest_run = copy->run > standings->newest_run ? copy->run : standings->newest_run;
    }
    for (size_t i = 0; i < standings->best_count; i++) {
        StoredRun *copy = &standings->best[i];
        *copy = kept->best[i];
        copy->person = arena_string(arena, copy->person);
        copy->time_utc = arena_string(arena, copy->time_utc);
    }
    return STATUS_OK;
}

/* The time that counts of a run: for one that ranks the pooled time of its code. */
static Status find_time(Store *store, const Board *board, const char *person, int64_t run, MeasuredTime *time,
                        Message *why)
{
    Arena arena = {0};
    StoredRun *runs;
    size_t count = 0;
    Status status = store_runs_of(store, board, person, &arena, &runs, &count, why);
    const StoredRun *sorted = status == STATUS_OK ? sorted_runs(runs, count, &arena) : NULL;
    for (size_t first = 0, end; first < count && status == STATUS_OK; first = end) {
        end = pool_end(sorted, count, first);
        for (size_t i = first; i < end; i++)
            if (sorted[i].id == run)
                *time = median_time(sorted + first, end - first);
    }
    arena_free(&arena);
    return status;
}

Status store_place(Store *store, const Board *board, const char *person, int64_t run, MeasuredTime time,
                   Percentile *place, Message *why)
{
    Arena arena = {0};
    KeptBoard *kept;
    size_t count = 0;
    Status status = refresh(store, board, &kept, why);
    THEN(status, find_time(store, board, person, run, &time, why));
    if (status == STATUS_OK) {
        MeasuredTime *others = arena_array(&arena, kept->count, sizeof *others);
        for (size_t i = 0; i < kept->count; i++)
            if (strcmp(kept->people[i].person, person) != 0)
                others[count++] = kept->people[i].time;
        *place = percentile_among(time, others, count);
    }
    arena_free(&arena);
    return status;
}
