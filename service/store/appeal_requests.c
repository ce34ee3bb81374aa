#include "service/store/appeal_requests.h"

#include "leaderboard/database.h"
#include "service/store/service_store.h"

#include <stdio.h>
#include <time.h>

/* ---- reading ----------------------------------------------------------------------------------------------------- */

#define IS_DONE                                                                                                        \
    "(request.state = 'granted' AND EXISTS (SELECT 1 FROM appeals WHERE appeals.run = request.run"                     \
    " AND appeals.time_utc >= decided_utc))"

#define REQUEST_COLUMNS                                                                                                      \
    "SELECT request.id, request.run, submission, person.name, why, asked_utc, request.state, coalesce(answer, ''), " IS_DONE \
    " FROM appeal_request AS request JOIN person ON person.id = request.person "

static void take_request(Arena *arena, sqlite3_stmt *row, void *item)
{
    *(AppealRequest *)item = (AppealRequest){.id = sqlite3_column_int64(row, 0),
                                             .run = sqlite3_column_int64(row, 1),
                                             .submission = sqlite3_column_int64(row, 2),
                                             .person = database_text(arena, row, 3),
                                             .why = database_text(arena, row, 4),
                                             .asked_utc = database_text(arena, row, 5),
                                             .state = database_text(arena, row, 6),
                                             .answer = database_text(arena, row, 7),
                                             .is_done = sqlite3_column_int(row, 8) != 0};
}

Status appeal_requests_of_run(Store *store, int64_t run, Arena *arena, AppealRequest **requests, size_t *count,
                              Message *why)
{
    Rows rows = {.arena = arena, .item_bytes = sizeof **requests};
    Status status = database_query(store, &rows, take_request, why,
                                   REQUEST_COLUMNS "WHERE request.run = ?1 ORDER BY request.id", "i", run);
    *requests = (AppealRequest *)(void *)rows.items;
    *count = rows.count;
    return status;
}

Status appeal_requests_open(Store *store, Arena *arena, AppealRequest **requests, size_t *count, Message *why)
{
    Rows rows = {.arena = arena, .item_bytes = sizeof **requests};
    Status status = database_query(
        store, &rows, take_request, why,
        REQUEST_COLUMNS "WHERE request.state <> 'refused' AND NOT " IS_DONE " ORDER BY request.id", "");
    *requests = (AppealRequest *)(void *)rows.items;
    *count = rows.count;
    return status;
}

/* ---- asking ------------------------------------------------------------------------------------------------------ */

static void take_number(Arena *arena, sqlite3_stmt *row, void *item)
{
    *(int64_t *)item = sqlite3_column_int64(row, 0);
}

/* Of rows that are one number. */
static int64_t number_of(const Rows *rows)
{
    return rows->count == 0 ? 0 : *(const int64_t *)(const void *)rows->items;
}

static Status note(Store *store, const char *name, const char *action, int64_t run, Message *why)
{
    char object[40];
    snprintf(object, sizeof object, "run %lld", (long long)run);
    return audit_add(store, name, action, object, why);
}

static Status ask(Store *store, int64_t submission, int64_t run, int64_t person, const char *name,
                  const char *why_asked, Arena *arena, AppealAnswer *answer, Message *why)
{
    const int64_t now = (int64_t)time(NULL);
    Rows open = {.arena = arena, .item_bytes = sizeof(int64_t)}, recent = open;
    Status status = database_query(store, &open, take_number, why,
                                   "SELECT count(*) FROM appeal_request AS request WHERE run = ?1"
                                   " AND state <> 'refused' AND NOT " IS_DONE,
                                   "i", run);
    if (status == STATUS_OK)
        status = database_query(store, &recent, take_number, why,
                                "SELECT count(*) FROM appeal_request WHERE person = ?1 AND asked_s > ?2", "ii", person,
                                now - APPEALS_SECONDS);
    *answer = number_of(&open) > 0                 ? APPEAL_ASKED_BEFORE
              : number_of(&recent) >= MOST_APPEALS ? APPEAL_TOO_MANY
                                                   : APPEAL_ASKED;
    if (status != STATUS_OK || *answer != APPEAL_ASKED)
        return status;
    status = database_do(store, NULL, why,
                         "INSERT INTO appeal_request (run, submission, person, why, asked_utc, asked_s, state)"
                         " VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'asked')",
                         "iiitti", run, submission, person, why_asked, utc_of(now).text, now);
    return status == STATUS_OK ? note(store, name, "appeal ask", run, why) : status;
}

Status appeal_requests_ask(Store *store, int64_t submission, int64_t run, int64_t person, const char *name,
                           const char *why_asked, AppealAnswer *answer, Message *why)
{
    Arena arena = {0};
    Status status = database_begin(store, why);
    if (status == STATUS_OK)
        status = database_end(store, ask(store, submission, run, person, name, why_asked, &arena, answer, why), why);
    arena_free(&arena);
    return status;
}

/* ---- deciding ---------------------------------------------------------------------------------------------------- */

static Status decide(Store *store, int64_t id, bool is_granted, const char *name, const char *answer, Arena *arena,
                     bool *done, Message *why)
{
    Rows rows = {.arena = arena, .item_bytes = sizeof(int64_t)};
    Status status = database_query(store, &rows, take_number, why,
                                   "SELECT run FROM appeal_request WHERE id = ?1 AND state = 'asked'", "i", id);
    *done = status == STATUS_OK && rows.count > 0;
    if (!*done)
        return status;
    status = database_do(store, NULL, why,
                         "UPDATE appeal_request SET state = ?2, decided_by = ?3, decided_utc = ?4, answer = ?5"
                         " WHERE id = ?1",
                         "itttt", id, is_granted ? "granted" : "refused", name, utc_now().text, answer);
    if (status != STATUS_OK)
        return status;
    return note(store, name, is_granted ? "appeal grant" : "appeal refuse", *(const int64_t *)(const void *)rows.items,
                why);
}

Status appeal_requests_decide(Store *store, int64_t id, bool is_granted, const char *name, const char *answer,
                              bool *done, Message *why)
{
    Arena arena = {0};
    Status status = database_begin(store, why);
    if (status == STATUS_OK)
        status = database_end(store, decide(store, id, is_granted, name, answer, &arena, done, why), why);
    arena_free(&arena);
    return status;
}
