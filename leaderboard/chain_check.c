#include "leaderboard/chain_check.h"

#include "leaderboard/chain.h"
#include "leaderboard/database.h"
#include "leaderboard/schema.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* ---- tables, views, indexes and triggers ------------------------------------------------------------------------- */

typedef struct SchemaItem {
    const char *type, *name, *sql;
} SchemaItem;

static void take_schema_item(Arena *arena, sqlite3_stmt *row, void *item)
{
    *(SchemaItem *)item = (SchemaItem){database_text(arena, row, 0), database_text(arena, row, 1),
                                       database_text(arena, row, 2)};
}

/* SQLite's own items, such as the indexes behind UNIQUE, have no SQL and cannot be changed by themselves. */
static Status read_schema(Store *store, Arena *arena, Rows *rows, Message *why)
{
    sqlite3_stmt *statement;
    *rows = (Rows){.arena = arena, .item_bytes = sizeof(SchemaItem)};
    Status status = database_prepare(
        store,
        "SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite!_%' ESCAPE '!'"
        " ORDER BY type, name",
        &statement, why);
    return status == STATUS_OK ? database_select(store, statement, take_schema_item, rows, why) : status;
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

Status chain_check_schema(Store *store, Findings *findings, Message *why)
{
    Arena arena = {0};
    Rows found, expected;
    Store fresh = {.path = "schema.sql"};
    Status status = read_schema(store, &arena, &found, why);
    if (status == STATUS_OK && sqlite3_open(":memory:", &fresh.database) != SQLITE_OK)
        status = database_fail(&fresh, why);
    if (status == STATUS_OK)
        status = database_run(&fresh, schema_sql, why);
    if (status == STATUS_OK && find_item(&found, &(SchemaItem){"table", "service_version", NULL}) != NULL)
        status = database_run(&fresh, service_sql, why);
    if (status == STATUS_OK)
        status = read_schema(&fresh, &arena, &expected, why);
    if (status == STATUS_OK) {
        compare_schemas(&expected, &found, true, findings);
        compare_schemas(&found, &expected, false, findings);
    }
    sqlite3_close(fresh.database);
    arena_free(&arena);
    return status;
}

/* ---- links ------------------------------------------------------------------------------------------------------- */

typedef struct StoredLink {
    Link link;
    const char *hash;
} StoredLink;

static void take_link(Arena *arena, sqlite3_stmt *row, void *item)
{
    *(StoredLink *)item = (StoredLink){
        .link = {.link = sqlite3_column_int64(row, 0),
                 .row_table = database_text(arena, row, 1),
                 .row_id = sqlite3_column_int64(row, 2),
                 .previous = database_text(arena, row, 3)},
        .hash = database_text(arena, row, 4),
    };
}

static bool is_known_table(const char *name)
{
    for (const char *const *table = chain_tables; *table != NULL; table++)
        if (strcmp(*table, name) == 0)
            return true;
    return false;
}

/* The hash of a row that does not exist, or of a table that does not exist, is "none". */
static Status hash_row(Store *store, const StoredLink *stored, Digest *hash, Message *why)
{
    Message missing;
    strcpy(hash->hex, "none");
    if (!is_known_table(stored->link.row_table))
        return STATUS_OK;
    Status status = chain_hash(store, &stored->link, hash, &missing);
    if (status != STATUS_OK && status != STATUS_NOT_FOUND)
        return fail(status, why, "%s", missing.text);
    return STATUS_OK;
}

/* Checks one link; `before` is the one before it in the list, NULL for the first. */
static Status check_link(Store *store, const StoredLink *stored, const StoredLink *before, Findings *findings,
                         Message *why)
{
    const Link *link = &stored->link;
    Digest hash;
    char place[200], link_place[40];
    int64_t expected = before == NULL ? 1 : before->link.link + 1;
    snprintf(link_place, sizeof link_place, "link %" PRId64, link->link);
    snprintf(place, sizeof place, "%s %" PRId64 " (%s)", link->row_table, link->row_id, link_place);
    if (link->link != expected) {
        char wanted[40];
        snprintf(wanted, sizeof wanted, "link %" PRId64, expected);
        findings_add(findings, wanted, "the next link", wanted, link_place);
    } else if (strcmp(link->previous, before == NULL ? CHAIN_NO_HASH : before->hash) != 0) {
        findings_add(findings, link_place, "hash of the link before", before == NULL ? CHAIN_NO_HASH : before->hash,
                     link->previous);
    }
    Status status = hash_row(store, stored, &hash, why);
    if (status == STATUS_OK && strcmp(hash.hex, stored->hash) != 0)
        findings_add(findings, place, strcmp(hash.hex, "none") == 0 ? "row" : "hash of the row", stored->hash,
                     hash.hex);
    return status;
}

static void take_id(Arena *arena, sqlite3_stmt *row, void *item)
{
    *(int64_t *)item = sqlite3_column_int64(row, 0);
}

static Status find_rows_without_link(Store *store, const char *table, Findings *findings, Message *why)
{
    char sql[200], place[100];
    sqlite3_stmt *statement;
    Rows rows = {.arena = findings->arena, .item_bytes = sizeof(int64_t)};
    snprintf(sql, sizeof sql, "SELECT id FROM %s WHERE id NOT IN (SELECT row_id FROM chain WHERE row_table = :table)",
             table);
    Status status = database_prepare(store, sql, &statement, why);
    if (status != STATUS_OK)
        return status;
    database_bind_text(statement, ":table", table);
    status = database_select(store, statement, take_id, &rows, why);
    for (size_t i = 0; status == STATUS_OK && i < rows.count; i++) {
        snprintf(place, sizeof place, "%s %" PRId64, table, ((const int64_t *)(const void *)rows.items)[i]);
        findings_add(findings, place, "link", "one link in the chain", "none");
    }
    return status;
}

Status chain_check_links(Store *store, Findings *findings, ChainSummary *summary, Message *why)
{
    sqlite3_stmt *statement;
    Rows rows = {.arena = findings->arena, .item_bytes = sizeof(StoredLink)};
    Status status = database_prepare(store, "SELECT link, row_table, row_id, previous, hash FROM chain ORDER BY link",
                                     &statement, why);
    if (status == STATUS_OK)
        status = database_select(store, statement, take_link, &rows, why);
    const StoredLink *links = (const StoredLink *)(const void *)rows.items;
    for (size_t i = 0; status == STATUS_OK && i < rows.count; i++)
        status = check_link(store, &links[i], i == 0 ? NULL : &links[i - 1], findings, why);
    for (const char *const *table = chain_tables; status == STATUS_OK && *table != NULL; table++)
        status = find_rows_without_link(store, *table, findings, why);
    if (status != STATUS_OK)
        return status;
    *summary = (ChainSummary){.links = rows.count, .hash = ""};
    if (rows.count > 0) {
        summary->last = links[rows.count - 1].link.link;
        summary->hash = links[rows.count - 1].hash;
    }
    Receipt head;
    return chain_read_head(store, &head) ? chain_check_receipt(store, "the last link", &head, findings, why)
                                         : STATUS_OK;
}

/* ---- what others have kept --------------------------------------------------------------------------------------- */

Status chain_check_receipt(Store *store, const char *place, const Receipt *receipt, Findings *findings, Message *why)
{
    sqlite3_stmt *statement;
    char expected[200], found[200];
    Arena arena = {0};
    Rows rows = {.arena = &arena, .item_bytes = sizeof(StoredLink)};
    Status status = database_prepare(
        store, "SELECT link, row_table, row_id, previous, hash FROM chain WHERE link = :link", &statement, why);
    if (status != STATUS_OK)
        return status;
    database_bind_integer(statement, ":link", receipt->link);
    status = database_select(store, statement, take_link, &rows, why);
    if (status == STATUS_OK) {
        const StoredLink *stored = (const StoredLink *)(const void *)rows.items;
        bool is_run = rows.count > 0 && strcmp(stored->link.row_table, "runs") == 0;
        snprintf(expected, sizeof expected, "link %" PRId64 " %s", receipt->link, receipt->hash.hex);
        if (rows.count == 0)
            snprintf(found, sizeof found, "none");
        else
            snprintf(found, sizeof found, "link %" PRId64 " %s", stored->link.link, stored->hash);
        if (strcmp(expected, found) != 0)
            findings_add(findings, place, "link", expected, found);
        else if (receipt->run != 0 && (!is_run || stored->link.row_id != receipt->run))
            findings_add(findings, place, "run", "the run of its link", "another row");
    }
    arena_free(&arena);
    return status;
}
