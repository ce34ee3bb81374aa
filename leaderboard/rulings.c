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

Status rulings_put(Store *store, const Ruling *ruling, Message *why)
{
    TRY(check_ruling(store, ruling, why));
    return database_do(store, NULL, why,
                       "INSERT INTO rulings (time_utc, run, kind, why, person) VALUES (?1, ?2, ?3, ?4, ?5)", "tittt",
                       ruling->time_utc, ruling->run, kind_names[ruling->kind], ruling->why, ruling->person);
}

Status rulings_add(Store *store, const Ruling *ruling, Message *why)
{
    TRY(database_begin(store, why));
    return database_end(store, rulings_put(store, ruling, why), why);
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
    *ruling = (Ruling){0};
    Status status = database_row(
        store, arena, take_ruling, ruling, why,
        "SELECT run, kind, why, person, time_utc FROM rulings WHERE run = ?1 ORDER BY id DESC LIMIT 1", "i", run);
    return status == STATUS_NOT_FOUND ? STATUS_OK : status;
}
