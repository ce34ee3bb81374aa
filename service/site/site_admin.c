/* site_admin.c - the queue, the workers, the disk and what failed, for administrators.  */
#include "service/site/site_answers.h"

#include "leaderboard/database.h"
#include "service/api/answer.h"
#include "service/store/judgings.h"

#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

enum { LISTED = 50 };

/* ---- the queue --------------------------------------------------------------------------------------------------- */

static Status add_state(const Visit *visit, const char *state, SubmissionLine *lines, size_t *count, Message *why)
{
    Judging *judgings;
    size_t found;
    Status status = judgings_in_state(visit->service->store, state, LISTED, visit->arena, &judgings, &found, why);
    for (size_t i = 0; i < found && status == STATUS_OK; i++) {
        StoredSubmission row;
        status = submissions_read(visit->service->store, judgings[i].submission, visit->arena, &row, why);
        if (status == STATUS_OK)
            lines[(*count)++] = site_line(&row);
    }
    return status;
}

static Status fill_queue(const Visit *visit, AdminPage *page, Message *why)
{
    static const char *const states[] = {"running", "offered", "queued", "held"};
    SubmissionLine *lines = arena_array(visit->arena, 4 * LISTED, sizeof *lines);
    Status status = STATUS_OK;
    for (size_t i = 0; i < sizeof states / sizeof *states && status == STATUS_OK; i++)
        status = add_state(visit, states[i], lines, &page->queue_count, why);
    page->queue = lines;
    return status;
}

/* ---- workers ----------------------------------------------------------------------------------------------------- */

static void take_worker(Arena *arena, sqlite3_stmt *row, void *item)
{
    const int64_t judging = sqlite3_column_int64(row, 3);
    const bool is_drained = sqlite3_column_int(row, 6) != 0;
    *(struct AdminWorker *)item = (struct AdminWorker){
        .name = database_text(arena, row, 0),
        .device = database_text(arena, row, 1),
        .since = database_text(arena, row, 2),
        .judging = judging,
        .judged = sqlite3_column_int64(row, 4),
        .failed = sqlite3_column_int64(row, 5),
        .state = is_drained     ? "draining"
                 : judging != 0 ? "judging"
                                : "idle",
    };
}

static Status fill_workers(const Visit *visit, AdminPage *page, Message *why)
{
    Rows rows = {.arena = visit->arena, .item_bytes = sizeof *page->workers};
    Status status = database_query(
        visit->service->store, &rows, take_worker, why,
        "SELECT worker, coalesce((SELECT device FROM judging JOIN attempt AS last ON last.judging = judging.id"
        "   WHERE last.worker = attempt.worker AND device IS NOT NULL ORDER BY judging.id DESC LIMIT 1), ''),"
        " max(coalesce(ended_utc, offered_utc)),"
        " coalesce((SELECT submission FROM judging JOIN attempt AS now ON now.judging = judging.id AND now.n = judging.attempt"
        "   WHERE judging.state = 'running' AND now.worker = attempt.worker LIMIT 1), 0),"
        " sum(outcome IS 'judged'), sum(outcome IN ('worker_failed', 'lost')),"
        " EXISTS (SELECT 1 FROM drained WHERE drained.worker = attempt.worker)"
        " FROM attempt WHERE worker IS NOT NULL GROUP BY worker ORDER BY worker",
        "");
    page->workers = (const struct AdminWorker *)(const void *)rows.items;
    page->worker_count = rows.count;
    return status;
}

/* ---- disk and failures ------------------------------------------------------------------------------------------- */

static void fill_disk(const Visit *visit, AdminPage *page)
{
    struct AdminDisk *disk = arena_alloc(visit->arena, sizeof *disk);
    struct statvfs volume;
    struct stat file;
    const char *database = arena_printf(visit->arena, "%s/convjudge.db", visit->service->config->state);
    if (statvfs(visit->service->config->state, &volume) != 0)
        return;
    *disk = (struct AdminDisk){.name = "store",
                               .path = visit->service->config->state,
                               .used_bytes = stat(database, &file) == 0 ? (uint64_t)file.st_size : 0,
                               .free_bytes = (uint64_t)volume.f_bavail * volume.f_frsize};
    page->disks = disk;
    page->disk_count = 1;
}

static void take_failure(Arena *arena, sqlite3_stmt *row, void *item)
{
    *(struct AdminFailure *)item = (struct AdminFailure){.time_utc = database_text(arena, row, 0),
                                                         .what = database_text(arena, row, 1),
                                                         .worker = database_text(arena, row, 2),
                                                         .submission = sqlite3_column_int64(row, 3)};
}

static Status fill_failures(const Visit *visit, AdminPage *page, Message *why)
{
    Rows rows = {.arena = visit->arena, .item_bytes = sizeof *page->failures};
    Status status = database_query(
        visit->service->store, &rows, take_failure, why,
        "SELECT ended_utc, coalesce(why, outcome), coalesce(worker, ''), submission FROM attempt"
        " JOIN judging ON judging.id = judging WHERE outcome IN ('worker_failed', 'lost')"
        " ORDER BY ended_utc DESC LIMIT 50",
        "");
    page->failures = (const struct AdminFailure *)(const void *)rows.items;
    page->failure_count = rows.count;
    return status;
}

void site_admin(Visit *visit)
{
    const Site site = site_of(visit);
    AdminPage page = {0};
    Message why;
    Status status = fill_queue(visit, &page, &why);
    if (status == STATUS_OK)
        status = fill_workers(visit, &page, &why);
    if (status == STATUS_OK)
        status = fill_failures(visit, &page, &why);
    fill_disk(visit, &page);
    if (status == STATUS_OK)
        page_admin(&visit->reply->body, &site, &page);
    else
        answer_failure(visit, status, &why);
}
