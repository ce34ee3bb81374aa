#include "leaderboard/rulings.h"

#include "leaderboard/database.h"

#include <inttypes.h>
#include <string.h>

static const char *const kind_names[] = {
    [RULING_RETRACT] = "retract", [RULING_ACCEPT] = "accept", [RULING_REJECT] = "reject"};

static Status check_ruling(Store *store, const Ruling *ruling, Message *why)
{
    Arena arena = {0};
    RecordedRun run;
    Status status = STATUS_OK;
    if (ruling->why[strspn(ruling->why, " \t\r\n")] == '\0')
        return fail(STATUS_BAD_INPUT, why, "the reason is empty, expected a sentence that says why");
    status = store_run(store, ruling->run, &arena, &run, why);
    if (status == STATUS_OK && ruling->kind == RULING_ACCEPT && strcmp(run.state, "unranked") == 0)
        status = fail(STATUS_BAD_INPUT, why, "run %" PRId64 " is %s; only a ranked or quarantined run can be accepted",
                      ruling->run, run.run.rank_status);
    arena_free(&arena);
    return status;
}

static Status insert_ruling(Store *store, const Ruling *ruling, Message *why)
{
    sqlite3_stmt *statement;
    Status status = database_prepare(store,
                                     "INSERT INTO rulings (time_utc, run, kind, why, person)"
                                     " VALUES (:time_utc, :run, :kind, :why, :person)",
                                     &statement, why);
    if (status != STATUS_OK)
        return status;
    database_bind_text(statement, ":time_utc", ruling->time_utc);
    database_bind_integer(statement, ":run", ruling->run);
    database_bind_text(statement, ":kind", kind_names[ruling->kind]);
    database_bind_text(statement, ":why", ruling->why);
    database_bind_text(statement, ":person", ruling->person);
    return database_insert(store, statement, NULL, why);
}

Status rulings_put(Store *store, const Ruling *ruling, Message *why)
{
    Status status = check_ruling(store, ruling, why);
    return status == STATUS_OK ? insert_ruling(store, ruling, why) : status;
}

Status rulings_add(Store *store, const Ruling *ruling, Message *why)
{
    Status status = database_begin(store, why);
    return status == STATUS_OK ? database_end(store, rulings_put(store, ruling, why), why) : status;
}

static RulingKind kind_of(const char *name)
{
    RulingKind kind = RULING_RETRACT;
    while (kind < RULING_REJECT && strcmp(kind_names[kind], name) != 0)
        kind++;
    return kind;
}

static void take_ruling(Arena *arena, sqlite3_stmt *row, void *item)
{
    *(Ruling *)item = (Ruling){
        .run = sqlite3_column_int64(row, 0),
        .kind = kind_of(database_text(arena, row, 1)),
        .why = database_text(arena, row, 2),
        .person = database_text(arena, row, 3),
        .time_utc = database_text(arena, row, 4),
    };
}

Status rulings_in_force(Store *store, int64_t run, Arena *arena, Ruling *ruling, Message *why)
{
    sqlite3_stmt *statement;
    Rows rows = {.arena = arena, .item_bytes = sizeof *ruling};
    *ruling = (Ruling){0};
    Status status = database_prepare(store,
                                     "SELECT run, kind, why, person, time_utc FROM rulings WHERE run = :run"
                                     " ORDER BY id DESC LIMIT 1",
                                     &statement, why);
    if (status != STATUS_OK)
        return status;
    database_bind_integer(statement, ":run", run);
    status = database_select(store, statement, take_ruling, &rows, why);
    if (status == STATUS_OK && rows.count > 0)
        *ruling = *(Ruling *)(void *)rows.items;
    return status;
}
