/* site_admin.c - the queue, the workers, the disk and what failed, for administrators.  */
#include "service/site/site_answers.h"

#include "leaderboard/database.h"
#include "service/api/answer.h"
#include "service/api/visible.h"
#include "service/api/workers.h"
#include "service/spool/spool.h"
#include "service/store/judgings.h"
#include "service/store/service_store.h"

#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

enum { LISTED = 50 };

/* ---- the queue --------------------------------------------------------------------------------------------------- */

static Status add_state(const Visit *visit, const char *state, SubmissionLine *lines, size_t *count, Message *why)
{
    QueuedJob *judgings;
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
    static const char *const states[] = {"running", "offered", "queued"};
    SubmissionLine *lines = arena_array(visit->arena, 3 * LISTED, sizeof *lines);
    Status status = STATUS_OK;
    for (size_t i = 0; i < sizeof states / sizeof *states && status == STATUS_OK; i++)
        status = add_state(visit, states[i], lines, &page->queue_count, why);
    page->queue = lines;
    return status;
}

static Status fill_held(const Visit *visit, AdminPage *page, Message *why)
{
    SubmissionLine *lines = arena_array(visit->arena, LISTED, sizeof *lines);
    page->held = lines;
    return add_state(visit, "held", lines, &page->held_count, why);
}

/* ---- workers ----------------------------------------------------------------------------------------------------- */

static Status fill_workers(const Visit *visit, AdminPage *page, Message *why)
{
    KnownWorker *known;
    size_t count;
    Status status = workers_known(visit, &known, &count, why);
    struct AdminWorker *workers = arena_array(visit->arena, count, sizeof *workers);
    for (size_t i = 0; i < count; i++)
        workers[i] = (struct AdminWorker){.name = known[i].name,
                                          .device = known[i].device,
                                          .state = known[i].state,
                                          .drained = known[i].drained,
                                          .since = known[i].since,
                                          .judging = known[i].judging,
                                          .judged = known[i].judged,
                                          .failed = known[i].failed};
    page->workers = workers;
    page->worker_count = count;
    page->lacks_workers = head_lacks_workers(visit->service->head);
    return status;
}

static void fill_pilots(const Visit *visit, AdminPage *page)
{
    if (visit->service->slurm == NULL)
        return;
    const SlurmHealth slurm = slurm_health(visit->service->slurm);
    struct AdminPilots *pilots = arena_alloc(visit->arena, sizeof *pilots);
    *pilots = (struct AdminPilots){
        .pending = slurm.pending, .running = slurm.running, .trouble = arena_string(visit->arena, slurm.trouble.text)};
    page->pilots = pilots;
}

/* ---- disk and failures ------------------------------------------------------------------------------------------- */

static uint64_t bytes_of(const Visit *visit, const char *name)
{
    struct stat file;
    return stat(arena_printf(visit->arena, "%s/%s", visit->service->config->state, name), &file) == 0
               ? (uint64_t)file.st_size
               : 0;
}

static void fill_disk(const Visit *visit, AdminPage *page)
{
    struct AdminDisk *disk = arena_alloc(visit->arena, sizeof *disk);
    struct statvfs volume;
    if (statvfs(visit->service->config->state, &volume) != 0)
        return;
    *disk = (struct AdminDisk){.name = "store",
                               .path = visit->service->config->state,
                               .used_bytes = bytes_of(visit, "convjudge.db") + bytes_of(visit, "convjudge.db-wal"),
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
        status = fill_held(visit, &page, &why);
    if (status == STATUS_OK)
        status = fill_workers(visit, &page, &why);
    if (status == STATUS_OK)
        status = fill_failures(visit, &page, &why);
    fill_pilots(visit, &page);
    fill_disk(visit, &page);
    if (status == STATUS_OK)
        page_admin(&visit->reply->body, &site, &page);
    else
        answer_failure(visit, status, &why);
}

/* ---- decisions --------------------------------------------------------------------------------------------------- */

/* Ends an answer to a form: what was done is noted, and the page shown again. */
static void finish(Visit *visit, Status status, const char *action, const Message *why)
{
    Message trouble = *why;
    if (status == STATUS_OK)
        status = audit_add(visit->service->store, visit->person.name, action, visit->argument, &trouble);
    head_wake(visit->service->head);
    if (status == STATUS_OK)
        answer_elsewhere(visit, "/admin");
    else
        answer_failure(visit, status, &trouble);
}

void site_release(Visit *visit)
{
    StoredSubmission row;
    bool done = false;
    Message why = {0};
    if (!visible_submission(visit, &row))
        return;
    Status status = judgings_release(visit->service->store, row.judging, &done, &why);
    if (status == STATUS_OK && !done)
        answer_error(visit, 409, "submission %lld is not held", (long long)row.id);
    else
        finish(visit, status, "release", &why);
}

/* A name that nobody has drained is no part of a path. */
static Status check_drained(const Visit *visit, const char *worker, Message *why)
{
    Drained *drained;
    size_t count;
    Status status = workers_drained(visit->service->store, visit->arena, &drained, &count, why);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < count; i++)
        if (strcmp(drained[i].worker, worker) == 0)
            return STATUS_OK;
    return fail(STATUS_NOT_FOUND, why, "there is no such worker without work");
}

/* The store last: while the row is there, the form can be sent again. */
void site_undrain(Visit *visit)
{
    Message why = {0};
    Status status = check_drained(visit, visit->argument, &why);
    if (status == STATUS_OK)
        status = spool_hold(visit->service->spool, visit->argument, false, &why);
    if (status == STATUS_OK)
        status = worker_undrain(visit->service->store, visit->argument, &why);
    finish(visit, status, "undrain", &why);
}
