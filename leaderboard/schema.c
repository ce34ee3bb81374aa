#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "leaderboard/schema.h"

#include "leaderboard/database.h"

/* ==== schema check ================================================================================================ */

typedef struct SchemaItem {
    const char *type, *name, *sql;
} SchemaItem;

static void take_schema_item(Arena *arena, sqlite3_stmt *row, void *item)
{
    *(SchemaItem *)item = (SchemaItem){database_text(arena, row, 0), database_text(arena, row, 1),
                                       database_text(arena, row, 2)};
}

/* SQLite's own items, such as the indexes behind UNIQUE, have no SQL and cannot be changed by themselves. Tables of earlier
 * versions are left alone. */
static Status read_schema(Store *store, Arena *arena, Rows *rows, Message *why)
{
    *rows = (Rows){.arena = arena, .item_bytes = sizeof(SchemaItem)};
    return database_query(store, rows, take_schema_item, why,
                          "SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite!_%' ESCAPE '!'"
                          " AND tbl_name NOT IN ('appeals', 'appeal_request') ORDER BY type, name",
                          "");
}

static const SchemaItem *find_item(const Rows *rows, const SchemaItem *wanted)
{
    const SchemaItem *items = (const SchemaItem *)(const void *)rows->items;
    for (size_t i = 0; i < rows->count; i++)
        if (strcmp(items[i].type, wanted->type) == 0 && strcmp(items[i].name, wanted->name) == 0)
            return &items[i];
    return NULL;
}

/* Adds a finding for each item of `a` that is not in `b`, or there with other words if `compare` is true. */
static void compare_schemas(const Rows *a, const Rows *b, bool a_is_ours, Findings *findings)
{
    const SchemaItem *items = (const SchemaItem *)(const void *)a->items;
    for (size_t i = 0; i < a->count; i++) {
        const SchemaItem *other = find_item(b, &items[i]);
        char place[200];
        snprintf(place, sizeof place, "%s %s", items[i].type, items[i].name);
        if (other == NULL)
            findings_add(findings, place, "definition", a_is_ours ? items[i].sql : "none",
                         a_is_ours ? "none" : items[i].sql);
        else if (a_is_ours && strcmp(items[i].sql, other->sql) != 0)
            findings_add(findings, place, "definition", items[i].sql, other->sql);
    }
}

Status schema_check(Store *store, Findings *findings, Message *why)
{
    Arena arena = {0};
    Rows found, expected;
    Store fresh = {.path = "schema.sql"};
    Status status = read_schema(store, &arena, &found, why);
    if (status == STATUS_OK && sqlite3_open(":memory:", &fresh.database) != SQLITE_OK)
        status = database_fail(&fresh, why);
    THEN(status, database_run(&fresh, schema_sql, why));
    if (status == STATUS_OK && find_item(&found, &(SchemaItem){"table", "service_version", NULL}) != NULL)
        status = database_run(&fresh, service_sql, why);
    THEN(status, read_schema(&fresh, &arena, &expected, why));
    if (status == STATUS_OK) {
        compare_schemas(&expected, &found, true, findings);
        compare_schemas(&found, &expected, false, findings);
    }
    database_close(&fresh);
    arena_free(&arena);
    return status;
}

/* ==== schema ====================================================================================================== */

/* The assembler includes the files, relative to the folder that make runs in. C has no #embed before C23. */
#define PART(file) ".incbin \"leaderboard/" file "\"\n"
#define INCLUDE(name, parts)                                                                                           \
    __asm__(".section .rodata\n"                                                                                       \
            ".global " name "\n" name ":\n" parts ".byte 0\n"                                                          \
            ".previous\n")

/* A database that is made now gets all parts at once, an older one those that it lacks. */
INCLUDE("schema_sql", PART("schema.sql") PART("case_times.sql") PART("boards.sql"));
INCLUDE("case_times_sql", PART("case_times.sql"));
INCLUDE("boards_sql", PART("boards.sql"));
INCLUDE("service_sql",
        PART("service.sql") PART("service_2.sql") PART("service_3.sql") PART("service_4.sql") PART("service_5.sql")
            PART("service_6.sql") PART("service_7.sql") PART("service_8.sql") PART("service_9.sql"));
INCLUDE("service_upgrade_2_sql", PART("service_2.sql"));
INCLUDE("service_upgrade_3_sql", PART("service_3.sql"));
INCLUDE("service_upgrade_4_sql", PART("service_4.sql"));
INCLUDE("service_upgrade_5_sql", PART("service_5.sql"));
INCLUDE("service_upgrade_6_sql", PART("service_6.sql"));
INCLUDE("service_upgrade_7_sql", PART("service_7.sql"));
INCLUDE("service_upgrade_8_sql", PART("service_8.sql"));
INCLUDE("service_upgrade_9_sql", PART("service_9.sql"));
