#include "leaderboard/appeals.h"

#include "base/json.h"
#include "leaderboard/database.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const AppealedTime *appeal_own_time(const Appeal *appeal)
{
    for (size_t i = 0; i < appeal->count; i++)
        if (appeal->times[i].run == appeal->run)
            return &appeal->times[i];
    return NULL;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static void put_count(cJSON *object, const char *key, size_t count)
{
    if (count > 0)
        cJSON_AddNumberToObject(object, key, (double)count);
}

static cJSON *time_json(const AppealedTime *time)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddNumberToObject(object, "run", (double)time->run);
    cJSON_AddStringToObject(object, "person", time->person);
    json_put_number(object, "first_ms", time->first.ms);
    json_put_number(object, "first_uncertainty", time->first.uncertainty);
    put_count(object, "first_rank", time->first_rank);
    cJSON *rounds = cJSON_AddArrayToObject(object, "rounds_ms");
    for (size_t i = 0; i < time->round_count; i++)
        json_push_number(rounds, time->rounds_ms[i]);
    cJSON_AddStringToObject(object, "verdict", time->verdict);
    if (time->again.ms > 0) {
        json_put_number(object, "again_ms", time->again.ms);
        json_put_number(object, "again_uncertainty", time->again.uncertainty);
    }
    put_count(object, "again_rank", time->again_rank);
    cJSON_AddBoolToObject(object, "agrees", time->agrees);
    return object;
}

static cJSON *times_json(const Appeal *appeal)
{
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < appeal->count; i++)
        cJSON_AddItemToArray(list, time_json(&appeal->times[i]));
    return list;
}

cJSON *appeal_json(const Appeal *appeal)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddNumberToObject(object, "appeal", (double)appeal->id);
    cJSON_AddNumberToObject(object, "run", (double)appeal->run);
    cJSON_AddStringToObject(object, "time_utc", appeal->time_utc);
    cJSON_AddStringToObject(object, "person", appeal->person);
    cJSON_AddStringToObject(object, "why", appeal->why);
    cJSON_AddStringToObject(object, "driver", appeal->driver);
    cJSON_AddStringToObject(object, "toolkit", appeal->toolkit);
    cJSON_AddStringToObject(object, "judge", appeal->judge);
    cJSON_AddStringToObject(object, "sandbox", appeal->sandbox);
    put_count(object, "rank", appeal->rank);
    put_count(object, "rank_again", appeal->rank_again);
    cJSON_AddItemToObject(object, "times", times_json(appeal));
    return object;
}

/* NULL for 0. */
static void bind_rank(sqlite3_stmt *statement, const char *parameter, size_t rank)
{
    if (rank > 0)
        database_bind_integer(statement, parameter, (int64_t)rank);
}

static Status insert_appeal(Store *store, const Appeal *appeal, const char *times, int64_t *id, Message *why)
{
    sqlite3_stmt *statement;
    Status status = database_prepare(store,
                                     "INSERT INTO appeals (time_utc, run, person, why, driver, toolkit, judge, sandbox,"
                                     " rank, rank_again, times) VALUES (:time_utc, :run, :person, :why, :driver,"
                                     " :toolkit, :judge, :sandbox, :rank, :rank_again, :times)",
                                     &statement, why);
    if (status != STATUS_OK)
        return status;
    database_bind_text(statement, ":time_utc", appeal->time_utc);
    database_bind_integer(statement, ":run", appeal->run);
    database_bind_text(statement, ":person", appeal->person);
    database_bind_text(statement, ":why", appeal->why);
    database_bind_text(statement, ":driver", appeal->driver);
    database_bind_text(statement, ":toolkit", appeal->toolkit);
    database_bind_text(statement, ":judge", appeal->judge);
    database_bind_text(statement, ":sandbox", appeal->sandbox);
    bind_rank(statement, ":rank", appeal->rank);
    bind_rank(statement, ":rank_again", appeal->rank_again);
    database_bind_text(statement, ":times", times);
    return database_insert(store, statement, id, why);
}

static Status put_appeal(Store *store, const Appeal *appeal, int64_t *id, Message *why)
{
    Arena arena = {0};
    RecordedRun run;
    Status status = store_run(store, appeal->run, &arena, &run, why);
    if (status == STATUS_OK && appeal_own_time(appeal) == NULL)
        status = fail(STATUS_BAD_INPUT, why, "the appeal of run %" PRId64 " lacks its own time", appeal->run);
    if (status == STATUS_OK) {
        Text text = {0};
        cJSON *times = times_json(appeal);
        json_print(times, &text);
        cJSON_Delete(times);
        status = insert_appeal(store, appeal, text.data, id, why);
        text_free(&text);
    }
    arena_free(&arena);
    return status;
}

Status appeals_add(Store *store, const Appeal *appeal, int64_t *id, Message *why)
{
    int64_t added;
    Status status = database_begin(store, why);
    if (status != STATUS_OK)
        return status;
    status = database_end(store, put_appeal(store, appeal, &added, why), why);
    if (status == STATUS_OK && id != NULL)
        *id = added;
    return status;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

typedef struct Row {
    Appeal appeal;
    const char *times;
} Row;

#define COLUMNS                                                                                                        \
    "SELECT appeals.id, appeals.run, appeals.time_utc, appeals.person, appeals.why, appeals.driver, appeals.toolkit,"  \
    " appeals.judge, appeals.sandbox, appeals.rank, appeals.rank_again, appeals.times FROM appeals "

static void take_row(Arena *arena, sqlite3_stmt *row, void *item)
{
    *(Row *)item = (Row){.appeal = {.id = sqlite3_column_int64(row, 0),
                                    .run = sqlite3_column_int64(row, 1),
                                    .time_utc = database_text(arena, row, 2),
                                    .person = database_text(arena, row, 3),
                                    .why = database_text(arena, row, 4),
                                    .driver = database_text(arena, row, 5),
                                    .toolkit = database_text(arena, row, 6),
                                    .judge = database_text(arena, row, 7),
                                    .sandbox = database_text(arena, row, 8),
                                    .rank = (size_t)sqlite3_column_int64(row, 9),
                                    .rank_again = (size_t)sqlite3_column_int64(row, 10)},
                         .times = database_text(arena, row, 11)};
}

static const double MOST_MS = 1e9;
enum { MOST_RANK = 1 << 30 };

static Status read_rounds(const JsonFile *file, const cJSON *object, Arena *arena, AppealedTime *time, Message *why)
{
    const cJSON *list = json_get(object, "rounds_ms"), *item;
    double *rounds = arena_array(arena, (size_t)cJSON_GetArraySize(list) + 1, sizeof *rounds);
    time->rounds_ms = rounds;
    cJSON_ArrayForEach(item, list)
    {
        if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0 && item->valuedouble <= MOST_MS))
            return json_fail(file, item, why, "rounds_ms: expected times in milliseconds");
        rounds[time->round_count++] = item->valuedouble;
    }
    return STATUS_OK;
}

static Status read_time(const JsonFile *file, const cJSON *object, Arena *arena, AppealedTime *time, Message *why)
{
    static const JsonKey keys[] = {
        {"run", JSON_NUMBER, true},         {"person", JSON_STRING, true},
        {"first_ms", JSON_NUMBER, true},    {"first_uncertainty", JSON_NUMBER, true},
        {"first_rank", JSON_NUMBER, true},  {"rounds_ms", JSON_ARRAY, true},
        {"verdict", JSON_STRING, true},     {"again_ms", JSON_NUMBER, false},
        {"again_rank", JSON_NUMBER, false}, {"again_uncertainty", JSON_NUMBER, false},
        {"agrees", JSON_BOOLEAN, true},
    };
    int64_t first_rank = 0, again_rank = 0;
    Status status = json_check(file, object, keys, sizeof keys / sizeof *keys, why);
    if (status == STATUS_OK)
        status = json_integer(file, object, "run", 1, INT64_C(1) << 53, &time->run, why);
    if (status == STATUS_OK)
        status = json_number(file, object, "first_ms", 0, MOST_MS, &time->first.ms, why);
    if (status == STATUS_OK)
        status = json_number(file, object, "first_uncertainty", 0, MOST_MS, &time->first.uncertainty, why);
    if (status == STATUS_OK)
        status = json_number(file, object, "again_ms", 0, MOST_MS, &time->again.ms, why);
    if (status == STATUS_OK)
        status = json_number(file, object, "again_uncertainty", 0, MOST_MS, &time->again.uncertainty, why);
    if (status == STATUS_OK)
        status = json_integer(file, object, "first_rank", 1, MOST_RANK, &first_rank, why);
    if (status == STATUS_OK)
        status = json_integer(file, object, "again_rank", 1, MOST_RANK, &again_rank, why);
    if (status == STATUS_OK)
        status = read_rounds(file, object, arena, time, why);
    if (status != STATUS_OK)
        return status;
    time->first_rank = (size_t)first_rank;
    time->again_rank = (size_t)again_rank;
    time->person = arena_string(arena, json_string(object, "person"));
    time->verdict = arena_string(arena, json_string(object, "verdict"));
    time->agrees = cJSON_IsTrue(json_get(object, "agrees"));
    return STATUS_OK;
}

static Status read_times(const char *times, Arena *arena, Appeal *appeal, Message *why)
{
    JsonFile file;
    Text text = {0};
    char place[40];
    snprintf(place, sizeof place, "appeals %" PRId64, appeal->id);
    text_printf(&text, "{\"times\": %s}", times); /* a JsonFile is always an object */
    Status status = json_parse(place, text.data, text.length, &file, why);
    text_free(&text);
    if (status != STATUS_OK)
        return status;
    const cJSON *list = json_get(file.root, "times"), *item;
    appeal->times = arena_array(arena, (size_t)cJSON_GetArraySize(list) + 1, sizeof *appeal->times);
    cJSON_ArrayForEach(item, list)
    {
        if (status == STATUS_OK)
            status = read_time(&file, item, arena, &appeal->times[appeal->count++], why);
    }
    if (status == STATUS_OK && appeal_own_time(appeal) == NULL)
        status = json_fail(&file, list, why, "expected the time of run %" PRId64, appeal->run);
    json_free(&file);
    return status;
}

static Status read_rows(const Rows *rows, Arena *arena, Appeal **appeals, size_t *count, Message *why)
{
    const Row *row = (const Row *)(const void *)rows->items;
    Status status = STATUS_OK;
    *appeals = arena_array(arena, rows->count + 1, sizeof **appeals);
    *count = rows->count;
    for (size_t i = 0; i < rows->count && status == STATUS_OK; i++) {
        (*appeals)[i] = row[i].appeal;
        status = read_times(row[i].times, arena, &(*appeals)[i], why);
    }
    return status;
}

Status appeals_of_run(Store *store, int64_t run, Arena *arena, Appeal **appeals, size_t *count, Message *why)
{
    Rows rows = {.arena = arena, .item_bytes = sizeof(Row)};
    Status status = database_query(store, &rows, take_row, why,
                                   COLUMNS "WHERE ?1 = 0 OR appeals.run = ?1 ORDER BY appeals.id", "i", run);
    return status == STATUS_OK ? read_rows(&rows, arena, appeals, count, why) : status;
}

Status appeals_of_board(Store *store, const Board *board, Arena *arena, Appeal **appeals, size_t *count, Message *why)
{
    Rows rows = {.arena = arena, .item_bytes = sizeof(Row)};
    Status status = database_query(store, &rows, take_row, why,
                                   COLUMNS "JOIN runs ON runs.id = appeals.run WHERE problem = ?1 AND revision = ?2"
                                           " AND device = ?3 AND epoch = ?4 ORDER BY appeals.id",
                                   "ttti", board->problem, board->revision, board->device, (int64_t)board->epoch);
    return status == STATUS_OK ? read_rows(&rows, arena, appeals, count, why) : status;
}
