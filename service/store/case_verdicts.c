#include "service/store/case_verdicts.h"

#include "leaderboard/database.h"

#include <string.h>

/* ---- what is wanted ----------------------------------------------------------------------------------------------- */

static bool holds(const char *const *list, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i], name) == 0)
            return true;
    return false;
}

static bool are_alike(const char *const *one, size_t one_count, const char *const *other, size_t other_count)
{
    bool alike = true;
    for (size_t i = 0; i < one_count; i++)
        alike = alike && holds(other, other_count, one[i]);
    for (size_t i = 0; i < other_count; i++)
        alike = alike && holds(one, one_count, other[i]);
    return alike;
}

static Status replace(Store *store, const char *const *problems, size_t count, Message *why)
{
    Status status = database_begin(store, why);
    if (status != STATUS_OK)
        return status;
    status = database_do(store, NULL, why, "DELETE FROM wants_all_cases", "");
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = database_do(store, NULL, why, "INSERT OR IGNORE INTO wants_all_cases VALUES (?1)", "t", problems[i]);
    return database_end(store, status, why);
}

Status case_verdicts_want(Store *store, const char *const *problems, size_t count, Message *why)
{
    Arena arena = {0};
    Rows rows = {.arena = &arena, .item_bytes = sizeof(const char *)};
    Status status = database_query(store, &rows, database_take_text, why, "SELECT problem FROM wants_all_cases", "");
    if (status == STATUS_OK && !are_alike((const char *const *)(const void *)rows.items, rows.count, problems, count))
        status = replace(store, problems, count, why);
    arena_free(&arena);
    return status;
}

Status case_verdicts_are_wanted(Store *store, const char *problem, bool *wanted, Message *why)
{
    int64_t found = 0;
    Status status = database_int(store, &found, why, "SELECT count(*) FROM wants_all_cases WHERE problem = ?1", "t",
                                 problem);
    *wanted = found > 0;
    return status;
}

/* ---- what was found ----------------------------------------------------------------------------------------------- */

Status case_verdicts_put(Store *store, int64_t judging, const char *text, Message *why)
{
    if (text == NULL || text[0] == '\0')
        return STATUS_OK;
    return database_do(store, NULL, why, "INSERT INTO case_verdicts (judging, text) VALUES (?1, ?2)", "it", judging,
                       text);
}

Status case_verdicts_read(Store *store, int64_t judging, Arena *arena, const char **text, Message *why)
{
    *text = NULL;
    return database_string(store, arena, text, why, "SELECT text FROM case_verdicts WHERE judging = ?1", "i", judging);
}
