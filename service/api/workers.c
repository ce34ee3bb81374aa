#include "service/api/workers.h"

#include "leaderboard/database.h"

#include <stdlib.h>
#include <string.h>

typedef struct WorkerRow {
    KnownWorker worker;
    bool is_recent;
} WorkerRow;

static void take_worker(Arena *arena, sqlite3_stmt *row, void *item)
{
    *(WorkerRow *)item = (WorkerRow){
        .worker = {.name = database_text(arena, row, 0),
                   .device = database_text(arena, row, 1),
                   .since = database_text(arena, row, 2),
                   .judging = sqlite3_column_int64(row, 3),
                   .judged = sqlite3_column_int64(row, 4),
                   .failed = sqlite3_column_int64(row, 5),
                   .drained = sqlite3_column_type(row, 6) == SQLITE_NULL ? NULL : database_text(arena, row, 6)},
        .is_recent = sqlite3_column_int(row, 7) != 0};
}

static Status read_rows(const Visit *visit, Rows *rows, Message *why)
{
    return database_query(
        visit->service->store, rows, take_worker, why,
        "SELECT worker, coalesce((SELECT device FROM judging JOIN attempt AS last ON last.judging = judging.id"
        "   WHERE last.worker = attempt.worker AND device IS NOT NULL ORDER BY judging.id DESC LIMIT 1), ''),"
        " max(coalesce(ended_utc, offered_utc)),"
        " coalesce((SELECT submission FROM judging JOIN attempt AS now ON now.judging = judging.id AND now.n = judging.attempt"
        "   WHERE judging.state = 'running' AND now.worker = attempt.worker LIMIT 1), 0),"
        " sum(outcome IS 'judged'), sum(outcome IN ('worker_failed', 'lost')),"
        " (SELECT why FROM drained WHERE drained.worker = attempt.worker),"
        " max(offered_utc) > strftime('%Y-%m-%dT%H:%M:%SZ', 'now', '-7 day')"
        " FROM attempt WHERE worker IS NOT NULL GROUP BY worker"
        " HAVING worker NOT GLOB 'slurm-*' OR max(offered_utc) > strftime('%Y-%m-%dT%H:%M:%SZ', 'now', '-1 day')"
        " ORDER BY worker",
        "");
}

static const IdleWorker *find_idle(const IdleWorker *idle, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(idle[i].name, name) == 0)
            return &idle[i];
    return NULL;
}

static bool has_attempts(const WorkerRow *rows, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(rows[i].worker.name, name) == 0)
            return true;
    return false;
}

/* What the store says stands above what the head has seen: a worker shows itself as idle until it has taken a job. */
static const char *state_of(const KnownWorker *worker, const IdleWorker *idle)
{
    if (worker->drained != NULL || (idle != NULL && idle->is_held))
        return "gets no work";
    if (worker->judging != 0)
        return "judging";
    if (idle != NULL)
        return "idle";
    return strncmp(worker->name, "slurm-", strlen("slurm-")) == 0 ? "ended" : "not there";
}

static int compare_idle(const void *a, const void *b)
{
    return strcmp(((const IdleWorker *)a)->name, ((const IdleWorker *)b)->name);
}

Status workers_known(const Visit *visit, KnownWorker **workers, size_t *count, Message *why)
{
    Rows found = {.arena = visit->arena, .item_bytes = sizeof(WorkerRow)};
    IdleWorker *idle;
    size_t idle_count;
    head_idle_workers(visit->service->head, visit->arena, &idle, &idle_count);
    Status status = read_rows(visit, &found, why);
    const WorkerRow *rows = (const WorkerRow *)(const void *)found.items;
    KnownWorker *known = arena_array(visit->arena, found.count + idle_count, sizeof *known);
    *workers = known;
    *count = 0;
    for (size_t i = 0; i < found.count; i++) {
        KnownWorker worker = rows[i].worker;
        const IdleWorker *one = find_idle(idle, idle_count, worker.name);
        worker.state = state_of(&worker, one);
        if (one != NULL && worker.device[0] == '\0')
            worker.device = one->device;
        if (one != NULL || rows[i].is_recent || worker.judging != 0 || worker.drained != NULL)
            known[(*count)++] = worker;
    }
    if (idle_count > 0)
        qsort(idle, idle_count, sizeof *idle, compare_idle);
    for (size_t i = 0; i < idle_count; i++) {
        KnownWorker worker = {.name = idle[i].name, .device = idle[i].device};
        worker.state = state_of(&worker, &idle[i]);
        if (!has_attempts(rows, found.count, worker.name))
            known[(*count)++] = worker;
    }
    return status;
}
