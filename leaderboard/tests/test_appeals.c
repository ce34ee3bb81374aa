#include "leaderboard/tests/made_store.h"

#include "leaderboard/appeals.h"
#include "leaderboard/schema_check.h"

static const double rounds[] = {1.01, 1.02, 0};

static AppealedTime a_time(int64_t run, const char *person)
{
    return (AppealedTime){.run = run,
                          .person = person,
                          .first = {1, 0.005},
                          .rounds_ms = rounds,
                          .round_count = COUNT_OF(rounds),
                          .verdict = "Wrong Answer",
                          .again = {1.015, 0.01},
                          .agrees = true,
                          .first_rank = 1,
                          .again_rank = 2};
}

static Appeal an_appeal(int64_t run, AppealedTime *times, size_t count)
{
    return (Appeal){.run = run,
                    .time_utc = "2026-01-31T12:00:00Z",
                    .person = "grace",
                    .why = "a \"quoted\" doubt",
                    .driver = "none",
                    .toolkit = "13.0",
                    .judge = "1",
                    .sandbox = "full",
                    .rank = 3,
                    .times = times,
                    .count = count};
}

static void an_appeal_is_read_back_as_it_was_written(void **state)
{
    Arena arena = {0};
    Message why = {0};
    Appeal *found;
    size_t count;
    int64_t id = 0;
    Store *store = opened(STORE_WRITE);
    const int64_t ann = added(store, a_run("ann", 1)), bob = added(store, a_run("bob", 2));
    AppealedTime times[] = {a_time(ann, "ann"), a_time(bob, "bob")};
    const Appeal appeal = an_appeal(bob, times, COUNT_OF(times));
    must(appeals_add(store, &appeal, &id, &why), &why);
    must(appeals_of_run(store, bob, &arena, &found, &count, &why), &why);
    assert_int_equal(count, 1);
    assert_int_equal(found->id, id);
    assert_string_equal(found->why, appeal.why);
    assert_true(found->rank == 3 && found->rank_again == 0);
    assert_int_equal(found->count, 2);
    const AppealedTime *own = appeal_own_time(found);
    assert_true(own->run == bob && own->agrees && own->again.ms == 1.015 && own->first.uncertainty == 0.005);
    assert_true(own->round_count == 3 && own->rounds_ms[1] == 1.02 && own->rounds_ms[2] == 0);
    assert_true(own->first_rank == 1 && own->again_rank == 2);
    assert_string_equal(own->verdict, "Wrong Answer");
    must(appeals_of_run(store, ann, &arena, &found, &count, &why), &why);
    assert_int_equal(count, 0);
    must(appeals_of_board(store, &board, &arena, &found, &count, &why), &why);
    assert_int_equal(count, 1);
    const Board other = {"conv1d", "r2", "sim-test", 1};
    must(appeals_of_board(store, &other, &arena, &found, &count, &why), &why);
    assert_int_equal(count, 0);
    arena_free(&arena);
    store_close(store);
}

static void an_appeal_needs_its_run_and_the_time_of_it(void **state)
{
    Message why = {0};
    Store *store = opened(STORE_WRITE);
    const int64_t ann = added(store, a_run("ann", 1));
    AppealedTime times[] = {a_time(ann + 1, "bob")};
    Appeal appeal = an_appeal(ann + 1, times, 1);
    assert_int_equal(appeals_add(store, &appeal, NULL, &why), STATUS_NOT_FOUND);
    appeal.run = ann;
    assert_int_equal(appeals_add(store, &appeal, NULL, &why), STATUS_BAD_INPUT);
    assert_non_null(strstr(why.text, "lacks its own time"));
    assert_int_equal(number("SELECT count(*) FROM appeals"), 0);
    store_close(store);
}

static void appeals_are_never_changed_or_deleted(void **state)
{
    Message why = {0};
    Store *store = opened(STORE_WRITE);
    AppealedTime times[] = {a_time(added(store, a_run("ann", 1)), "ann")};
    const Appeal appeal = an_appeal(times[0].run, times, 1);
    must(appeals_add(store, &appeal, NULL, &why), &why);
    store_close(store);
    assert_int_equal(sql("UPDATE appeals SET why = ''"), SQLITE_CONSTRAINT);
    assert_int_equal(sql("DELETE FROM appeals"), SQLITE_CONSTRAINT);
}

/* Such rows can only be put in by hand. */
static void rows_that_nobody_wrote_are_refused(void **state)
{
    static const char *const times[] = {
        "{", "[{}]", "[]",
        "[{\"run\":1,\"person\":\"a\",\"first_ms\":1,\"first_uncertainty\":0,\"first_rank\":1,\"rounds_ms\":[\"x\"],"
        "\"verdict\":\"Accepted\",\"agrees\":true}]",
        "[{\"run\":1,\"person\":\"a\",\"first_ms\":-1,\"first_uncertainty\":0,\"first_rank\":1,\"rounds_ms\":[],"
        "\"verdict\":\"Accepted\",\"agrees\":true}]"};
    static const char *const words[] = {"appeals 1", "missing", "expected the time of run 1",
                                        "rounds_ms: expected times in milliseconds", "first_ms"};
    for (size_t i = 0; i < COUNT_OF(times); i++) {
        Arena arena = {0};
        Message why = {0};
        Appeal *found;
        size_t count;
        char statement[600];
        Store *store = opened(STORE_WRITE);
        added(store, a_run("ann", 1));
        store_close(store);
        snprintf(statement, sizeof statement, "INSERT INTO appeals VALUES (1,'t',1,'p','','','','','',NULL,NULL,'%s')",
                 times[i]);
        assert_int_equal(sql(statement), SQLITE_OK);
        store = opened(STORE_READ);
        assert_int_equal(appeals_of_run(store, 1, &arena, &found, &count, &why), STATUS_BAD_INPUT);
        if (strstr(why.text, words[i]) == NULL)
            fail_test("%s: expected a word of: %s", why.text, words[i]);
        store_close(store);
        arena_free(&arena);
        unlink(path);
    }
}

static void a_database_of_version_3_gets_appeals(void **state)
{
    Arena arena = {0};
    Message why = {0};
    Findings findings = {.arena = &arena};
    Store *store = opened(STORE_WRITE);
    added(store, a_run("ann", 1));
    store_close(store);
    assert_int_equal(sql("DROP TABLE appeals; CREATE TABLE chain (link INTEGER PRIMARY KEY); PRAGMA user_version = 3"),
                     SQLITE_OK);
    store = opened(STORE_READ);
    must(schema_check(store, &findings, &why), &why);
    assert_int_equal(findings.count, 0);
    store_close(store);
    assert_int_equal(number("PRAGMA user_version"), STORE_SCHEMA_VERSION);
    assert_int_equal(number("SELECT count(*) FROM runs"), 1);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test(an_appeal_is_read_back_as_it_was_written), test(an_appeal_needs_its_run_and_the_time_of_it),
        test(appeals_are_never_changed_or_deleted),     test(rows_that_nobody_wrote_are_refused),
        test(a_database_of_version_3_gets_appeals),
    };
    return cmocka_run_group_tests_name("appeals", tests, NULL, NULL);
}
