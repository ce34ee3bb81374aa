#include "leaderboard/tests/made_store.h"

#include "base/text.h"
#include "leaderboard/database.h"
#include "leaderboard/rulings.h"

/* The rank status of a run, what a teacher decides one after the other, and the state that follows. */
static const struct {
    const char *rank_status, *rulings, *state;
} rows[] = {
    {"ranked", "", "ranked"},
    {"ranked", "t", "retracted"},
    {"ranked", "ta", "ranked"},
    {"ranked", "tat", "retracted"},
    {"ranked", "j", "rejected"},
    {"quarantined: faster than the roofline", "", "quarantined"},
    {"quarantined: faster than the roofline", "a", "ranked"},
    {"quarantined: faster than the roofline", "j", "rejected"},
    {"quarantined: faster than the roofline", "aj", "rejected"},
    {"quarantined: faster than the roofline", "ja", "ranked"},
    {"quarantined: faster than the roofline", "at", "retracted"},
    {"not ranked: not accepted", "", "unranked"},
    {"not ranked: not accepted", "t", "unranked"},
};

static Status rule(Store *store, int64_t run, RulingKind kind, const char *reason, Message *why)
{
    const Ruling ruling = {run, kind, reason, "teacher", "2026-01-31T12:00:00Z"};
    return rulings_add(store, &ruling, why);
}

static RulingKind kind_of(char letter)
{
    return letter == 't' ? RULING_RETRACT : letter == 'a' ? RULING_ACCEPT : RULING_REJECT;
}

static void the_newest_ruling_decides(void **state)
{
    Message why = {0};
    Store *store = opened(STORE_WRITE);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Arena arena = {0};
        RecordedRun found;
        Ruling ruling;
        Run run = a_run("ann", 1);
        run.rank_status = rows[i].rank_status;
        int64_t id = added(store, run);
        for (const char *letter = rows[i].rulings; *letter != '\0'; letter++)
            must(rule(store, id, kind_of(*letter), "so", &why), &why);
        must(store_run(store, id, &arena, &found, &why), &why);
        if (strcmp(found.state, rows[i].state) != 0)
            fail_test("%s, %s: %s, expected %s", rows[i].rank_status, rows[i].rulings, found.state, rows[i].state);
        must(rulings_in_force(store, id, &arena, &ruling, &why), &why);
        size_t count = strlen(rows[i].rulings);
        if (count == 0)
            assert_int_equal(ruling.run, 0);
        else
            assert_true(ruling.run == id && ruling.kind == kind_of(rows[i].rulings[count - 1]));
        arena_free(&arena);
    }
    store_close(store);
}

static void only_runs_that_rank_are_on_the_board(void **state)
{
    Arena arena = {0};
    Message why = {0};
    StoredRun *runs;
    RecordedRun *waiting;
    size_t count;
    Store *store = opened(STORE_WRITE);
    Run fast = a_run("eve", 0.1);
    fast.rank_status = "quarantined: twice as fast as the roofline";
    int64_t first = added(store, a_run("ann", 1)), second = added(store, a_run("bob", 2)), third = added(store, fast);
    must(rule(store, second, RULING_RETRACT, "copied", &why), &why);
    must(store_runs(store, &board, &arena, &runs, &count, &why), &why);
    assert_true(count == 1 && runs[0].id == first);
    must(store_list_runs(store, "conv1d", "quarantined", &arena, &waiting, &count, &why), &why);
    assert_true(count == 1 && waiting[0].id == third && waiting[0].run.time.ms == 0.1);
    must(store_list_runs(store, "conv2d", NULL, &arena, &waiting, &count, &why), &why);
    assert_int_equal(count, 0);

    must(rule(store, third, RULING_ACCEPT, "I have read it", &why), &why);
    must(store_runs(store, &board, &arena, &runs, &count, &why), &why);
    assert_true(count == 2 && runs[1].id == third && strcmp(runs[1].person, "eve") == 0);
    must(store_list_runs(store, NULL, NULL, &arena, &waiting, &count, &why), &why);
    assert_int_equal(count, 3);
    store_close(store);
    arena_free(&arena);
}

static void a_ruling_needs_a_run_and_a_reason(void **state)
{
    Message why = {0};
    Store *store = opened(STORE_WRITE);
    int64_t wrong = added(store, a_run("ann", 0));
    assert_int_equal(rule(store, wrong, RULING_RETRACT, " \t", &why), STATUS_BAD_INPUT);
    assert_non_null(strstr(why.text, "the reason is empty"));
    assert_int_equal(rule(store, wrong + 1, RULING_RETRACT, "so", &why), STATUS_NOT_FOUND);
    assert_non_null(strstr(why.text, "there is no run 2"));
    assert_int_equal(rule(store, wrong, RULING_ACCEPT, "so", &why), STATUS_BAD_INPUT);
    assert_string_equal(why.text,
                        "run 1 is not ranked: not accepted; only a ranked or quarantined run can be accepted");
    store_close(store);
    assert_int_equal(sql("SELECT 1 / 0 FROM rulings"), SQLITE_OK);
}

static void rulings_are_never_changed_or_deleted(void **state)
{
    Message why = {0};
    Store *store = opened(STORE_WRITE);
    must(rule(store, added(store, a_run("ann", 1)), RULING_RETRACT, "so", &why), &why);
    store_close(store);
    assert_int_equal(sql("UPDATE rulings SET kind = 'accept'"), SQLITE_CONSTRAINT);
    assert_int_equal(sql("DELETE FROM rulings"), SQLITE_CONSTRAINT);
    assert_int_equal(sql("UPDATE sources SET source = ''"), SQLITE_CONSTRAINT);
    assert_int_equal(sql("DELETE FROM sources"), SQLITE_CONSTRAINT);
}

static void a_source_is_kept_once(void **state)
{
    Arena arena = {0};
    Message why = {0};
    RecordedRun found;
    Store *store = opened(STORE_WRITE);
    Run other = a_run("bob", 2);
    other.source_hash = "other";
    other.source = "// ein Kommentar über nichts";
    added(store, a_run("ann", 1));
    added(store, a_run("ann", 1));
    int64_t last = added(store, other);
    must(store_run(store, last, &arena, &found, &why), &why);
    assert_string_equal(found.run.source, other.source);
    assert_string_equal(found.run.file_name, "x.cu");
    store_close(store);
    arena_free(&arena);
    assert_int_equal(number("SELECT count(*) FROM sources"), 2);
}

/* ---- an older database ------------------------------------------------------------------------------------------- */

static void make_version_1(void)
{
    Text text = {0};
    Message why = {0};
    must(text_read_file("leaderboard/tests/schema_1.sql", 100000, &text, &why), &why);
    text_add(&text,
             "INSERT INTO runs VALUES (3, 't', 'ann', 'conv1d', 'r1', 'sim-test', 1, 'Test', 'none', '13.0', '1', "
             "'full', 'Accepted', 'ranked', 0.5, 0.005, 'c0de', '50ce', '[]');"
             "INSERT INTO runs VALUES (7, 't', 'bob', 'conv1d', 'r1', 'sim-test', 1, 'Test', 'none', '13.0', '1', "
             "'full', 'Wrong Answer', 'not ranked: not accepted', NULL, NULL, NULL, '50ce', '[]');"
             "INSERT INTO reference_times VALUES (1, 't', 'naive.cu', 'conv1d', 'r1', 'sim-test', 1, 2, 0.01, 's');");
    assert_int_equal(sql(text.data), SQLITE_OK);
    text_free(&text);
}

/* Version 2 only added a column. */
static void an_older_database_is_upgraded(void **state)
{
    static const StoreMode modes[] = {STORE_READ, STORE_WRITE, STORE_WRITE};
    for (size_t i = 0; i < COUNT_OF(modes); i++) {
        Arena arena = {0};
        Message why = {0};
        RecordedRun *runs;
        ReferenceTime *times;
        size_t count;
        make_version_1();
        if (i == 2)
            assert_int_equal(sql("ALTER TABLE reference_times ADD COLUMN cases TEXT NOT NULL DEFAULT '[]';"
                                 "PRAGMA user_version = 2"),
                             SQLITE_OK);
        Store *store = opened(modes[i]);
        must(store_list_runs(store, NULL, NULL, &arena, &runs, &count, &why), &why);
        assert_int_equal(count, 2);
        assert_true(runs[0].id == 3 && runs[0].run.time.ms == 0.5 && strcmp(runs[0].state, "ranked") == 0);
        assert_true(runs[1].id == 7 && runs[1].run.machine_code == NULL && strcmp(runs[1].state, "unranked") == 0);
        must(store_references(store, &board, &arena, &times, &count, &why), &why);
        assert_int_equal(count, 1);
        store_close(store);
        store_close(opened(STORE_WRITE));
        assert_int_equal(number("PRAGMA user_version"), STORE_SCHEMA_VERSION);
        arena_free(&arena);
        unlink(path);
    }
}

/* A database that cannot be upgraded stays as it was. */
static void an_upgrade_that_fails_changes_nothing(void **state)
{
    Store *store;
    Message why = {0};
    make_version_1();
    assert_int_equal(sql("CREATE TABLE rulings (x)"), SQLITE_OK);
    assert_int_not_equal(store_open(path, STORE_WRITE, &store, &why), STATUS_OK);
    assert_int_equal(number("PRAGMA user_version"), 1);
    assert_int_equal(number("SELECT count(*) FROM runs"), 2);
    assert_int_equal(sql("DELETE FROM runs"), SQLITE_CONSTRAINT);
}

/* The runs' statuses, their times of the case and what a teacher decides; then the best time among those that rank, and
 * among those that were accepted. */
static void the_best_time_of_a_case_is_of_a_run_that_counts(void **state)
{
    static const struct {
        const char *rank_status, *case_ms, *ruling;
        double best_ms, vetted_ms;
        int64_t run;
    } steps[] = {
        {"not ranked: not accepted", "null", "", 0, 0, 0},
        {"ranked", "3", "", 3, 0, 2},
        {"quarantined: faster than the roofline", "1", "", 3, 0, 2},
        {"ranked", "2.5", "", 2.5, 0, 4},
        {"ranked", "2.5", "a", 2.5, 2.5, 4},
        {"ranked", "2", "t", 2.5, 2.5, 4},
        {"quarantined: faster than the roofline", "1.5", "a", 1.5, 1.5, 7},
        {"ranked", "1.25", "at", 1.5, 1.5, 7},
    };
    Message why = {0};
    Store *store = opened(STORE_WRITE);
    for (size_t i = 0; i < COUNT_OF(steps); i++) {
        Arena arena = {0};
        Run run = a_run("ann", 1);
        double ms, vetted_ms;
        int64_t of = 0, vetted_of;
        run.rank_status = steps[i].rank_status;
        run.cases = arena_printf(&arena, "[{\"name\": \"small\"}, {\"name\": \"big\", \"time_ms\": %s}]",
                                 steps[i].case_ms);
        const int64_t id = added(store, run);
        for (const char *letter = steps[i].ruling; *letter != '\0'; letter++)
            must(rule(store, id, kind_of(*letter), "so", &why), &why);
        must(store_best_case_time(store, &board, "big", false, &ms, &of, &why), &why);
        must(store_best_case_time(store, &board, "big", true, &vetted_ms, &vetted_of, &why), &why);
        if (ms != steps[i].best_ms || vetted_ms != steps[i].vetted_ms || of != steps[i].run)
            fail_test("step %zu: %g of run %d, vetted %g", i, ms, (int)of, vetted_ms);
        must(store_best_case_time(store, &board, "small", false, &ms, &of, &why), &why);
        assert_true(ms == 0);
        arena_free(&arena);
    }
    store_close(store);
    assert_int_equal(sql("DELETE FROM case_times"), SQLITE_CONSTRAINT);
}

static void a_database_of_version_7_gets_a_table_for_the_error_of_the_model(void **state)
{
    static const char is_7[] = "DROP VIEW run_states; DROP VIEW board_runs; DROP TABLE run_models;"
                               "CREATE VIEW board_runs AS SELECT id AS run, * FROM runs;"
                               "CREATE VIEW run_states AS SELECT id AS run, 'ranked' AS state FROM runs;"
                               "PRAGMA user_version = 7";
    Arena arena = {0};
    Message why = {0};
    StoredRun *runs;
    size_t count;
    Store *store = opened(STORE_WRITE);
    added(store, a_run("ann", 1));
    store_close(store);
    assert_int_equal(sql(is_7), SQLITE_OK);
    store = opened(STORE_WRITE);
    Run modelled = a_run("bob", 1);
    modelled.time = time_made(1, 0.005, "lsu 0.25, textures 0.3");
    added(store, modelled);
    must(store_runs(store, &board, &arena, &runs, &count, &why), &why);
    assert_int_equal(count, 2);
    assert_string_equal(runs[0].time.model, "");
    assert_string_equal(runs[1].time.model, "lsu 0.25, textures 0.3");
    arena_free(&arena);
    store_close(store);
    assert_int_equal(sql("UPDATE run_models SET model = ''"), SQLITE_CONSTRAINT);
    assert_int_equal(sql("DELETE FROM run_models"), SQLITE_CONSTRAINT);
}

static void a_database_of_version_6_gets_all_that_boards_need_into_an_index(void **state)
{
    Store *store = opened(STORE_WRITE);
    added(store, a_run("ann", 1));
    store_close(store);
    assert_int_equal(sql(OF_VERSION_6 "PRAGMA user_version = 6"), SQLITE_OK);
    store_close(opened(STORE_READ));
    assert_int_equal(number("PRAGMA user_version"), STORE_SCHEMA_VERSION);
    assert_int_equal(number("SELECT count(*) FROM pragma_index_info('runs_of_a_board')"), 10);
    assert_int_equal(number("SELECT count(*) FROM board_runs WHERE state = 'ranked'"), 1);
}

/* What the store keeps must be what all runs give when they are read anew. */
static void expect_kept(Store *store, const char *step)
{
    Arena arena = {0};
    Message why = {0};
    StoredRun *runs;
    Standings kept;
    size_t run_count, count;
    must(store_runs(store, &board, &arena, &runs, &run_count, &why), &why);
    must(store_standings(store, &board, &arena, &kept, &why), &why);
    const Standing *anew = standings_of(runs, run_count, &arena, &count);
    if (kept.count != count)
        fail_test("%s: %zu people, expected %zu", step, kept.count, count);
    for (size_t i = 0; i < count; i++) {
        const Standing *a = &kept.people[i], *b = &anew[i];
        Percentile place;
        if (strcmp(a->person, b->person) != 0 || a->rank != b->rank || a->run != b->run || a->time.ms != b->time.ms ||
            memcmp(&a->percentile, &b->percentile, sizeof a->percentile) != 0)
            fail_test("%s: number %zu: run %d of %s, expected run %d of %s", step, i, (int)a->run, a->person,
                      (int)b->run, b->person);
        must(store_place(store, &board, a->person, a->run, (MeasuredTime){.ms = 1e9}, &place, &why), &why);
        assert_memory_equal(&place, &b->percentile, sizeof place);
    }
    for (size_t i = 1; i < kept.best_count; i++)
        assert_true(time_is_faster(kept.best[i].time, kept.best[i - 1].time) && kept.best[i].id > kept.best[i - 1].id);
    arena_free(&arena);
}

static void boards_in_memory_are_those_of_the_store(void **state)
{
    char person[8], code[8];
    Message why = {0};
    Store *store = opened(STORE_WRITE);
    srand(5);
    for (int i = 1; i <= 120; i++) {
        snprintf(person, sizeof person, "p%d", rand() % 9);
        snprintf(code, sizeof code, "c%d", rand() % 3);
        Run run = a_run(person, 1 + rand() % 50 / 10.0);
        run.machine_code = code;
        if (i % 7 == 0)
            run.rank_status = "quarantined: too fast";
        if (i % 11 == 0) { /* what is undone was never there */
            must(database_begin(store, &why), &why);
            must(store_put_run(store, &run, NULL, &why), &why);
            expect_kept(store, "within a transaction");
            assert_int_equal(database_end(store, STATUS_SYSTEM, &why), STATUS_SYSTEM);
            expect_kept(store, "undone");
            continue;
        }
        const int64_t id = added(store, run);
        if (i % 5 == 0)
            must(rule(store, id - rand() % 3, kind_of("taj"[rand() % 3]), "so", &why), &why);
        expect_kept(store, "added");
    }
    store_close(store);
}

static int steps;

static int count_steps(void *unused)
{
    steps++;
    return 0;
}

static int steps_of_a_board(Store *store)
{
    Arena arena = {0};
    Message why = {0};
    Standings standings;
    Board *boards;
    size_t count;
    steps = 0;
    must(store_boards(store, board.problem, board.revision, &arena, &boards, &count, &why), &why);
    assert_true(count == 1 && boards[0].epoch == board.epoch && !boards[0].is_older);
    must(store_standings(store, &board, &arena, &standings, &why), &why);
    assert_int_equal(standings.count, 1000);
    arena_free(&arena);
    return steps;
}

static void a_board_with_a_long_history_costs_what_is_new(void **state)
{
    Store *store = opened(STORE_WRITE);
    added(store, a_run("p0", 1));
    assert_int_equal(sql("WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 5000)"
                         " INSERT INTO runs SELECT NULL, time_utc, 'p' || (i % 1000), problem, revision, device, epoch,"
                         " device_name, driver, toolkit, judge, sandbox, verdict, rank_status, i, uncertainty, i,"
                         " source_hash, file_name, sitting, cases FROM runs, n WHERE id = 1"),
                     SQLITE_OK);
    sqlite3_progress_handler(store->database, 1, count_steps, NULL);
    assert_true(steps_of_a_board(store) > 5000);
    added(store, a_run("p1", 1));
    const int again = steps_of_a_board(store);
    if (again > 1000)
        fail_test("%d steps for one new run", again);
    store_close(store);
}

static void a_database_of_version_5_gets_the_times_of_its_cases(void **state)
{
    static const char is_5[] = OF_VERSION_6
        "DROP TABLE case_times; DROP TRIGGER runs_fill_case_times; DROP VIEW recorded_case_times;"
        "PRAGMA user_version = 5";
    Run run = a_run("ann", 1);
    run.cases = "[{\"name\": \"big\", \"time_ms\": 3}]";
    Store *store = opened(STORE_WRITE);
    added(store, run);
    store_close(store);
    assert_int_equal(sql(is_5), SQLITE_OK);
    store_close(opened(STORE_READ));
    assert_int_equal(number("PRAGMA user_version"), STORE_SCHEMA_VERSION);
    assert_int_equal(number("SELECT time_ms FROM case_times WHERE name = 'big' AND run = 1"), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test(the_newest_ruling_decides),
        test(only_runs_that_rank_are_on_the_board),
        test(a_ruling_needs_a_run_and_a_reason),
        test(rulings_are_never_changed_or_deleted),
        test(a_source_is_kept_once),
        test(an_older_database_is_upgraded),
        test(an_upgrade_that_fails_changes_nothing),
        test(the_best_time_of_a_case_is_of_a_run_that_counts),
        test(a_database_of_version_7_gets_a_table_for_the_error_of_the_model),
        test(a_database_of_version_6_gets_all_that_boards_need_into_an_index),
        test(boards_in_memory_are_those_of_the_store),
        test(a_board_with_a_long_history_costs_what_is_new),
        test(a_database_of_version_5_gets_the_times_of_its_cases),
    };
    return cmocka_run_group_tests_name("rulings", tests, NULL, NULL);
}
