#include "leaderboard/tests/made_store.h"

#include "leaderboard/chain_check.h"
#include "leaderboard/database.h"
#include "leaderboard/rulings.h"

/* A store with at least two rows in each table, so that each row but one has a neighbour. */
static Store *filled(void)
{
    Message why = {0};
    Store *store = opened(STORE_WRITE);
    Run other = a_run("bob", 2);
    other.source_hash = "other";
    other.source = "// other";
    int64_t first = added(store, a_run("ann", 0.1 + 0.2)), second = added(store, other);
    const ReferenceTime reference = {.name = "naive.cu", .source_hash = "s", .time_utc = "t", .time = {2, 0.01}};
    for (int i = 0; i < 2; i++)
        must(store_add_reference(store, &board, &reference, &why), &why);
    const Ruling retract = {first, RULING_RETRACT, "copied", "teacher", "t"};
    const Ruling accept = {second, RULING_ACCEPT, "not copied", "teacher", "t"};
    must(rulings_add(store, &retract, &why), &why);
    must(rulings_add(store, &accept, &why), &why);
    added(store, a_run("wrong", 0));
    return store;
}

static void change(Store *store, const char *statements)
{
    Message why = {0};
    must(database_run(store, statements, &why), &why);
}

/* As somebody who can write to the file: without the triggers and constraints. */
static void begin_tampering(Store *store)
{
    char name[100];
    Message why = {0};
    change(store, "SAVEPOINT before; PRAGMA ignore_check_constraints = ON");
    while (database_ask(store, "SELECT name FROM sqlite_schema WHERE type = 'trigger'", name, sizeof name, &why) ==
           STATUS_OK) {
        char sql[200];
        snprintf(sql, sizeof sql, "DROP TRIGGER %s", name);
        change(store, sql);
    }
}

static void end_tampering(Store *store)
{
    change(store, "ROLLBACK TO before; RELEASE before");
}

static Findings found_in(Store *store, Arena *arena)
{
    Findings findings = {.arena = arena};
    ChainSummary summary;
    Message why = {0};
    must(chain_check_links(store, &findings, &summary, &why), &why);
    return findings;
}

/* Whether a finding names this row of a table, or this link. */
static bool names(const Findings *findings, const char *row)
{
    for (size_t i = 0; i < findings->count; i++) {
        const char *at = strstr(findings->items[i].place, row);
        if (at != NULL && strchr(" )", at[strlen(row)]) != NULL) /* or its terminating zero */
            return true;
    }
    return false;
}

static void expect_named(Store *store, const char *row, const char *change_made)
{
    Arena arena = {0};
    Findings findings = found_in(store, &arena);
    if (!names(&findings, row))
        fail_test("%s: no finding of %zu names %s (the first: %s)", change_made, findings.count, row,
                  findings.count > 0 ? findings.items[0].place : "none");
    arena_free(&arena);
}

static void an_untouched_store_has_no_findings(void **state)
{
    Arena arena = {0};
    Message why = {0};
    ChainSummary summary;
    Findings findings = {.arena = &arena};
    Store *store = filled();
    must(chain_check_schema(store, &findings, &why), &why);
    must(chain_check_links(store, &findings, &summary, &why), &why);
    if (findings.count > 0)
        fail_test("%s: %s: expected %s, found %s", findings.items[0].place, findings.items[0].what,
                  findings.items[0].expected, findings.items[0].found);
    assert_true(summary.links == 9 && summary.last == 9 && strlen(summary.hash) == 64);
    store_close(store);
    arena_free(&arena);
}

/* ---- every column of every row ----------------------------------------------------------------------------------- */

typedef struct Column {
    const char *table, *name, *type, *key;
} Column;

static void take_column(Arena *arena, sqlite3_stmt *row, void *item)
{
    *(Column *)item = (Column){database_text(arena, row, 0), database_text(arena, row, 1), database_text(arena, row, 2),
                               database_text(arena, row, 3)};
}

/* The smallest change that the type allows. */
static const char *changed_value(const char *type)
{
    if (strcmp(type, "REAL") == 0)
        return "coalesce(%s * 1.0000000000000003, 1)";
    return strcmp(type, "INTEGER") == 0 ? "coalesce(%s, 0) + 1000" : "coalesce(%s, '') || ' '";
}

static int change_column_of_each_row(Store *store, const Column *column)
{
    char value[100], sql[400], row[100], last[20];
    Message why = {0};
    snprintf(sql, sizeof sql, "SELECT max(%s) FROM %s", column->key, column->table);
    must(database_ask(store, sql, last, sizeof last, &why), &why);
    const int count = atoi(last);
    for (int key = 1; key <= count; key++) {
        bool is_chain = strcmp(column->table, "chain") == 0;
        snprintf(value, sizeof value, changed_value(column->type), column->name);
        snprintf(sql, sizeof sql, "UPDATE %s SET %s = %s WHERE %s = %d", column->table, column->name, value,
                 column->key, key);
        snprintf(row, sizeof row, "%s %d", is_chain ? "link" : column->table, key);
        begin_tampering(store);
        change(store, sql);
        assert_int_equal(sqlite3_changes(store->database), 1);
        expect_named(store, row, sql);
        end_tampering(store);
    }
    return count;
}

/* Tables and columns come from the database itself, so that none is forgotten. */
static void a_change_to_any_column_of_any_row_names_the_row(void **state)
{
    Arena arena = {0};
    Message why = {0};
    Rows rows = {.arena = &arena, .item_bytes = sizeof(Column)};
    sqlite3_stmt *statement;
    int changes = 0;
    Store *store = filled();
    must(database_prepare(store,
                          "SELECT m.name, c.name, c.type, k.name FROM sqlite_schema m, pragma_table_info(m.name) c,"
                          " pragma_table_info(m.name) k WHERE m.type = 'table' AND k.pk = 1",
                          &statement, &why),
         &why);
    must(database_select(store, statement, take_column, &rows, &why), &why);
    for (size_t i = 0; i < rows.count; i++)
        changes += change_column_of_each_row(store, &((const Column *)(const void *)rows.items)[i]);
    if (rows.count < 47 || changes < 150)
        fail_test("only %zu columns and %d changes", rows.count, changes);
    store_close(store);
    arena_free(&arena);
}

/* ---- rows that come and go --------------------------------------------------------------------------------------- */

/* What somebody does, and what must be named then. */
static const struct {
    const char *statements, *named;
} tamperings[] = {
    {"DELETE FROM runs WHERE id = 2", "runs 2"},
    {"DELETE FROM runs WHERE id = 2; DELETE FROM chain WHERE row_table = 'runs' AND row_id = 2", "link 4"},
    {"DELETE FROM sources WHERE id = 1", "sources 1"},
    {"DELETE FROM rulings WHERE id = 1", "rulings 1"},
    {"DELETE FROM reference_times WHERE id = 1", "reference_times 1"},
    {"DELETE FROM chain WHERE link = 1", "link 1"},
    /* the end is cut off; the file beside the database remembers it */
    {"DELETE FROM runs WHERE id = 3; DELETE FROM chain WHERE link = 9", "the last link"},
    {"DELETE FROM runs; DELETE FROM sources; DELETE FROM rulings; DELETE FROM reference_times; DELETE FROM chain",
     "the last link"},
    /* a row is put in */
    {"INSERT INTO rulings (time_utc, run, kind, why, person) VALUES ('t', 1, 'accept', 'so', 'ann')", "rulings 3"},
    {"INSERT INTO rulings VALUES (3, 't', 1, 'accept', 'so', 'ann');"
     "INSERT INTO chain VALUES (10, 'rulings', 3, (SELECT hash FROM chain WHERE link = 9), hex(zeroblob(32)))",
     "rulings 3"},
    /* a row takes another's place */
    {"INSERT OR REPLACE INTO runs SELECT 1, time_utc, 'eve', problem, revision, device, epoch, device_name, driver,"
     " toolkit, judge, sandbox, verdict, rank_status, 0.01, uncertainty, machine_code, source_hash, file_name, sitting,"
     " cases FROM runs WHERE id = 1",
     "runs 1"},
    {"UPDATE runs SET person = CASE id WHEN 1 THEN 'bob' ELSE 'ann' END WHERE id < 3", "runs 2"},
    {"UPDATE chain SET row_id = 100 WHERE row_table = 'runs' AND row_id = 1;"
     "UPDATE chain SET row_id = 1 WHERE row_table = 'runs' AND row_id = 2;"
     "UPDATE chain SET row_id = 2 WHERE row_id = 100",
     "runs 1"},
    {"UPDATE rulings SET kind = 'accept', why = 'on second thoughts' WHERE id = 1", "rulings 1"},
    {"UPDATE sources SET source = '// rewritten' WHERE id = 2", "sources 2"},
};

static void whatever_is_removed_or_put_in_is_named(void **state)
{
    Store *store = filled();
    for (size_t i = 0; i < COUNT_OF(tamperings); i++) {
        begin_tampering(store);
        change(store, tamperings[i].statements);
        expect_named(store, tamperings[i].named, tamperings[i].statements);
        end_tampering(store);
    }
    Arena arena = {0};
    assert_int_equal(found_in(store, &arena).count, 0); /* every tampering was undone */
    store_close(store);
    arena_free(&arena);
}

static bool says(const Findings *findings, const char *words)
{
    char line[400];
    for (size_t i = 0; i < findings->count; i++) {
        const Finding *finding = &findings->items[i];
        snprintf(line, sizeof line, "%s: %s: expected %s, found %s", finding->place, finding->what, finding->expected,
                 finding->found);
        if (strstr(line, words) != NULL)
            return true;
    }
    return false;
}

static void what_is_wrong_with_a_link_is_said(void **state)
{
    static const struct {
        const char *statements, *words;
    } rows[] = {
        {"DELETE FROM chain WHERE link = 1", "link 1: the next link: expected link 1, found link 2"},
        {"UPDATE chain SET previous = hex(zeroblob(32)) WHERE link = 2", "link 2: hash of the link before: expected "},
        {"INSERT INTO rulings (time_utc, run, kind, why, person) VALUES ('t', 1, 'accept', 'so', 'ann')",
         "rulings 3: link: expected one link in the chain, found none"},
    };
    Store *store = filled();
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Arena arena = {0};
        begin_tampering(store);
        change(store, rows[i].statements);
        const Findings findings = found_in(store, &arena);
        if (!says(&findings, rows[i].words))
            fail_test("%s: no finding of %zu says: %s", rows[i].statements, findings.count, rows[i].words);
        end_tampering(store);
        arena_free(&arena);
    }
    store_close(store);
}

/* Not even the head helps against somebody who replaces it, too; a receipt does. */
static void a_receipt_shows_a_chain_that_was_made_anew(void **state)
{
    Arena arena = {0};
    Message why = {0};
    Findings findings = {.arena = &arena};
    Receipt genuine;
    Store *store = opened(STORE_WRITE);
    Run run = a_run("ann", 1), forged = a_run("ann", 9);
    must(store_add_run(store, &run, &genuine, &why), &why);
    must(chain_check_receipt(store, "result.json", &genuine, &findings, &why), &why);
    assert_int_equal(findings.count, 0);
    Receipt mistaken = genuine;
    mistaken.run++;
    must(chain_check_receipt(store, "result.json", &mistaken, &findings, &why), &why);
    assert_true(says(&findings, "result.json: run: expected the run of its link, found another row"));
    findings = (Findings){.arena = &arena};
    store_close(store);

    remove_folder(NULL);
    new_folder(NULL);
    store = opened(STORE_WRITE);
    added(store, forged);
    assert_int_equal(found_in(store, &arena).count, 0);
    must(chain_check_receipt(store, "result.json", &genuine, &findings, &why), &why);
    assert_int_equal(findings.count, 1);
    Receipt other = genuine;
    other.link = 7;
    must(chain_check_receipt(store, "result.json", &other, &findings, &why), &why);
    assert_string_equal(findings.items[1].found, "none");
    store_close(store);
    arena_free(&arena);
}

static void a_change_to_the_tables_themselves_is_named(void **state)
{
    static const struct {
        const char *statement, *place;
    } changes[] = {
        {"DROP TRIGGER runs_are_never_changed", "trigger runs_are_never_changed"},
        {"DROP TRIGGER links_are_never_deleted", "trigger links_are_never_deleted"},
        {"DROP TRIGGER rulings_are_never_deleted; CREATE TRIGGER rulings_are_never_deleted BEFORE DELETE ON rulings BEGIN"
         " SELECT 1; END",
         "trigger rulings_are_never_deleted"},
        {"DROP VIEW run_states; CREATE VIEW run_states AS SELECT id AS run, 'ranked' AS state FROM runs",
         "view run_states"},
        {"CREATE TRIGGER more AFTER INSERT ON runs BEGIN SELECT 1; END", "trigger more"},
        {"ALTER TABLE runs ADD COLUMN note TEXT", "table runs"},
        {"CREATE TABLE notes (note TEXT)", "table notes"},
        {"DROP INDEX runs_of_a_board", "index runs_of_a_board"},
    };
    Store *store = filled();
    for (size_t i = 0; i < COUNT_OF(changes); i++) {
        Arena arena = {0};
        Message why = {0};
        Findings findings = {.arena = &arena};
        change(store, "SAVEPOINT before");
        change(store, changes[i].statement);
        must(chain_check_schema(store, &findings, &why), &why);
        if (findings.count != 1 || strcmp(findings.items[0].place, changes[i].place) != 0)
            fail_test("%s: %zu findings, the first names %s", changes[i].statement, findings.count,
                      findings.count > 0 ? findings.items[0].place : "nothing");
        end_tampering(store);
        arena_free(&arena);
    }
    store_close(store);
}

/* The text that is hashed is part of the format: sha256sum must give the same. */
static void the_hash_is_that_of_the_documented_text(void **state)
{
    static const char expected[] = "convjudge chain 1\nlink 1\ntable sources\nrow 1\nprevious "
                                   "0000000000000000000000000000000000000000000000000000000000000000\n"
                                   "id integer 1\nsource_hash text 4 50ce\nsource text 10 // nothing\n";
    char hash[80];
    Message why = {0};
    Store *store = opened(STORE_WRITE);
    added(store, a_run("ann", 1));
    must(database_ask(store, "SELECT hash FROM chain WHERE link = 1", hash, sizeof hash, &why), &why);
    assert_string_equal(hash, hash_of_bytes(expected, strlen(expected)).hex);
    store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test(an_untouched_store_has_no_findings),      test(a_change_to_any_column_of_any_row_names_the_row),
        test(whatever_is_removed_or_put_in_is_named),  test(a_receipt_shows_a_chain_that_was_made_anew),
        test(what_is_wrong_with_a_link_is_said),       test(a_change_to_the_tables_themselves_is_named),
        test(the_hash_is_that_of_the_documented_text),
    };
    return cmocka_run_group_tests_name("chain", tests, NULL, NULL);
}
