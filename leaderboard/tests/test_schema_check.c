#include "leaderboard/schema.h"
#include "leaderboard/tests/made_store.h"

#include "leaderboard/database.h"

static void change(Store *store, const char *statements)
{
    Message why = {0};
    must(database_run(store, statements, &why), &why);
}

static void expect_found(Store *store, const char *after, size_t count, const char *place)
{
    Arena arena = {0};
    Message why = {0};
    Findings findings = {.arena = &arena};
    must(schema_check(store, &findings, &why), &why);
    if (findings.count != count || (count > 0 && strcmp(findings.items[0].place, place) != 0))
        fail_test("%s: %zu findings, the first names %s", after, findings.count,
                  findings.count > 0 ? findings.items[0].place : "nothing");
    arena_free(&arena);
}

static void a_change_to_the_tables_themselves_is_named(void **state)
{
    static const struct {
        const char *statement, *place;
    } changes[] = {
        {"DROP TRIGGER runs_are_never_changed", "trigger runs_are_never_changed"},
        {"DROP TRIGGER rulings_are_never_deleted; CREATE TRIGGER rulings_are_never_deleted BEFORE DELETE ON rulings BEGIN"
         " SELECT 1; END",
         "trigger rulings_are_never_deleted"},
        {"DROP VIEW run_states; CREATE VIEW run_states AS SELECT id AS run, 'ranked' AS state FROM runs",
         "view run_states"},
        {"CREATE TRIGGER more AFTER INSERT ON runs BEGIN SELECT 1; END", "trigger more"},
        {"ALTER TABLE runs ADD COLUMN note TEXT", "table runs"},
        {"CREATE TABLE notes (note TEXT)", "table notes"},
        {"DROP INDEX runs_of_a_board", "index runs_of_a_board"},
        {"DROP TRIGGER runs_fill_case_times", "trigger runs_fill_case_times"},
    };
    Store *store = opened(STORE_WRITE);
    expect_found(store, "untouched", 0, "");
    for (size_t i = 0; i < COUNT_OF(changes); i++) {
        change(store, "SAVEPOINT before");
        change(store, changes[i].statement);
        expect_found(store, changes[i].statement, 1, changes[i].place);
        change(store, "ROLLBACK TO before; RELEASE before");
    }
    store_close(store);
}

/* What version 4 had besides, and what it had not. */
static const char more_of_version_4[] = OF_VERSION_6
    "DROP TABLE case_times; DROP TRIGGER runs_fill_case_times; DROP VIEW recorded_case_times;"
    "CREATE TABLE chain (link INTEGER PRIMARY KEY, row_table TEXT NOT NULL);"
    "CREATE TRIGGER links_are_never_deleted BEFORE DELETE ON chain"
    " BEGIN SELECT RAISE(ABORT, 'links of the chain are never deleted'); END;"
    "INSERT INTO chain VALUES (1, 'sources'), (2, 'runs');"
    "CREATE TABLE appeals (id INTEGER PRIMARY KEY, run INTEGER NOT NULL);"
    "CREATE INDEX appeals_of_a_run ON appeals (run);"
    "INSERT INTO appeals VALUES (1, 1);"
    "PRAGMA user_version = 4";

static void a_database_of_version_4_loses_its_chain_alone(void **state)
{
    Store *store = opened(STORE_WRITE);
    added(store, a_run("ann", 1));
    change(store, more_of_version_4);
    store_close(store);
    store = opened(STORE_READ);
    expect_found(store, "upgraded", 0, "");
    store_close(store);
    assert_int_equal(number("PRAGMA user_version"), STORE_SCHEMA_VERSION);
    assert_int_equal(number("SELECT count(*) FROM runs WHERE person = 'ann'"), 1);
    assert_int_equal(number("SELECT count(*) FROM appeals"), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test(a_change_to_the_tables_themselves_is_named),
        test(a_database_of_version_4_loses_its_chain_alone),
    };
    return cmocka_run_group_tests_name("schema_check", tests, NULL, NULL);
}
