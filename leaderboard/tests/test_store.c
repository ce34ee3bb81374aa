#include "leaderboard/tests/made_store.h"

#include "leaderboard/database.h"
#include "leaderboard/store.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Opening fails, and the message is the path followed by this text. */
static void refused(StoreMode mode, Status expected, const char *message)
{
    Store *store;
    Message why = {0};
    Status status = store_open(path, mode, &store, &why);
    if (status != expected || strstr(why.text, path) != why.text || strstr(why.text, message) == NULL)
        fail_test("status %d, \"%s\" does not say \"%s\"", status, why.text, message);
    assert_null(store);
}

static void write_file(const char *bytes, size_t count)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

static void ranked_runs_come_back_oldest_first(void **state)
{
    Arena arena = {0};
    StoredRun *runs;
    size_t count;
    Message why = {0};
    Store *store = opened(STORE_WRITE);
    Run elsewhere = a_run("elsewhere", 1);
    elsewhere.board.epoch = 2;
    const Run all[] = {a_run("ann", 0.1 + 0.2), a_run("wrong", 0), elsewhere, a_run("Zoë 学生", 2)};
    for (size_t i = 0; i < COUNT_OF(all); i++)
        must(store_add_run(store, &all[i], NULL, &why), &why);
    store_close(store);

    store = opened(STORE_READ);
    must(store_runs(store, &board, &arena, &runs, &count, &why), &why);
    assert_int_equal(count, 2);
    assert_string_equal(runs[0].person, "ann");
    assert_true(runs[0].time.ms == 0.1 + 0.2 && runs[0].time.uncertainty == 0.005);
    assert_string_equal(runs[1].person, "Zoë 学生");
    assert_string_equal(runs[1].machine_code, "c0de");

    Board *boards;
    must(store_boards(store, "conv1d", "r1", &arena, &boards, &count, &why), &why);
    assert_int_equal(count, 2);
    assert_string_equal(boards[0].device, "sim-test");
    assert_true(boards[0].epoch == 2 && !boards[0].is_older);
    assert_true(boards[1].epoch == 1 && boards[1].is_older);
    store_close(store);
    arena_free(&arena);
}

static void the_newest_time_of_a_reference_counts(void **state)
{
    Arena arena = {0};
    ReferenceTime *times;
    size_t count;
    Message why = {0};
    Store *store = opened(STORE_WRITE);
    const ReferenceTime all[] = {
        {.name = "tiled.cu", .source_hash = "s1", .time_utc = "t1", .time = {2, 0.01}},
        {.name = "naive.cu", .source_hash = "s2", .time_utc = "t2", .time = {9, 0.01}},
        {.name = "tiled.cu", .source_hash = "s3", .time_utc = "t3", .time = {1, 0.01}, .cases = "[{\"name\": 1}]"}};
    for (size_t i = 0; i < COUNT_OF(all); i++)
        must(store_add_reference(store, &board, &all[i], &why), &why);
    must(store_references(store, &board, &arena, &times, &count, &why), &why);
    assert_int_equal(count, 2);
    assert_string_equal(times[0].name, "naive.cu");
    assert_string_equal(times[1].source_hash, "s3");
    assert_true(times[1].time.ms == 1);
    assert_string_equal(times[0].cases, "[]");
    assert_string_equal(times[1].cases, "[{\"name\": 1}]");
    store_close(store);
    arena_free(&arena);
}

static void rows_are_never_changed_or_deleted(void **state)
{
    Message why = {0};
    Store *store = opened(STORE_WRITE);
    Run run = a_run("ann", 1);
    must(store_add_run(store, &run, NULL, &why), &why);
    store_close(store);
    assert_int_equal(sql("UPDATE runs SET score_ms = 0.5"), SQLITE_CONSTRAINT);
    assert_int_equal(sql("DELETE FROM runs"), SQLITE_CONSTRAINT);
}

static void a_missing_file_cannot_be_read(void **state)
{
    refused(STORE_READ, STATUS_NOT_FOUND, "no leaderboard yet");
}

static void a_file_that_is_no_database_is_refused(void **state)
{
    char text[5000];
    memset(text, 'x', sizeof text);
    write_file(text, sizeof text);
    refused(STORE_WRITE, STATUS_BAD_INPUT, "not a database");
    refused(STORE_READ, STATUS_BAD_INPUT, "not a database");
}

static void a_database_of_something_else_is_refused_and_left_alone(void **state)
{
    assert_int_equal(sql("CREATE TABLE songs (name TEXT)"), SQLITE_OK);
    refused(STORE_WRITE, STATUS_BAD_INPUT, "a database of another program");
    assert_int_equal(sql("DROP TABLE songs"), SQLITE_OK);
}

static void a_newer_schema_is_refused(void **state)
{
    store_close(opened(STORE_WRITE));
    assert_int_equal(sql("PRAGMA user_version = 9"), SQLITE_OK);
    refused(STORE_WRITE, STATUS_BAD_INPUT, "written by a newer ConvJudge: schema version 9");
}

static void damage(long at) /* three pages */
{
    FILE *file = fopen(path, "r+");
    fseek(file, at, SEEK_SET);
    for (int i = 0; i < 3 * 4096; i++)
        fputc(0x5A, file);
    fclose(file);
}

static void a_damaged_file_is_refused(void **state)
{
    Message why = {0};
    Store *store = opened(STORE_WRITE);
    for (int i = 0; i < 100; i++) {
        Run run = a_run("ann", 1);
        must(store_add_run(store, &run, NULL, &why), &why);
    }
    store_close(store);
    damage(4096);
    refused(STORE_WRITE, STATUS_BAD_INPUT, "the database is damaged: ");
}

static void a_large_file_is_checked_only_where_asked_for(void **state)
{
    enum { SOURCE_BYTES = 20 << 20 };
    Message why = {0};
    Arena arena = {0};
    char *source = arena_array(&arena, SOURCE_BYTES + 1, 1);
    memset(source, 'x', SOURCE_BYTES);
    Run run = a_run("ann", 1);
    run.source = source;
    Store *store = opened(STORE_WRITE);
    must(store_add_run(store, &run, NULL, &why), &why);
    must(store_check_pages(store, &why), &why);
    store_close(store);
    damage(SOURCE_BYTES / 2);
    store = opened(STORE_WRITE);
    assert_int_equal(store_check_pages(store, &why), STATUS_BAD_INPUT);
    assert_non_null(strstr(why.text, "the database is damaged: "));
    store_close(store);
    arena_free(&arena);
}

static void a_read_only_file_is_refused(void **state)
{
    store_close(opened(STORE_WRITE));
    chmod(path, 0444);
    refused(STORE_WRITE, STATUS_SYSTEM, "read-only, expected a file and a folder that can be written");
}

static void a_file_in_no_folder_is_refused(void **state)
{
    snprintf(path, sizeof path, "%s/nowhere/leaderboard.db", folder);
    refused(STORE_WRITE, STATUS_NOT_FOUND, "its folder does not exist");
}

static void a_locked_file_is_refused_after_the_wait(void **state)
{
    store_close(opened(STORE_WRITE));
    setenv("CONVJUDGE_DB_TIMEOUT_MS", "50", 1);
    sqlite3 *holder;
    sqlite3_open(path, &holder);
    assert_int_equal(sqlite3_exec(holder, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    refused(STORE_WRITE, STATUS_BUSY, "locked by another process for more than 0.05 s");
    sqlite3_close(holder);
}

/* ---- many writers, killed at any moment -------------------------------------------------------------------------- */

enum { WRITERS = 16, ROUNDS = 3 };

/* Adds rows as fast as it can and acknowledges each by writing its number to `acknowledged`. */
static void write_until_killed(int writer, int acknowledged)
{
    Store *store;
    Message why;
    char person[32];
    if (store_open(path, STORE_WRITE, &store, &why) != STATUS_OK)
        _exit(3);
    for (int row = 1;; row++) {
        snprintf(person, sizeof person, "%d.%d", writer, row);
        Run run = a_run(person, 1);
        if (store_add_run(store, &run, NULL, &why) != STATUS_OK || write(acknowledged, &row, sizeof row) != sizeof row)
            _exit(4);
    }
}

/* Checks that every acknowledged row of a writer is there. Rows are numbered, so counting them is enough. */
static void all_acknowledged_rows_are_there(const StoredRun *runs, size_t count, int writer, int last)
{
    int found = 0;
    for (size_t i = 0; i < count; i++) {
        int of, row;
        assert_int_equal(sscanf(runs[i].person, "%d.%d", &of, &row), 2);
        found += of == writer && row <= last;
    }
    if (found != last)
        fail_test("writer %d: %d rows acknowledged, %d found", writer, last, found);
}

static void wait_for_an_acknowledgement(int pipes[WRITERS][2])
{
    struct pollfd readable[WRITERS];
    for (int i = 0; i < WRITERS; i++)
        readable[i] = (struct pollfd){.fd = pipes[i][0], .events = POLLIN};
    assert_true(poll(readable, WRITERS, -1) > 0);
}

static void nothing_acknowledged_is_lost_when_sixteen_writers_are_killed(void **state)
{
    Arena arena = {0};
    Message why = {0};
    int first_row_of_round = 0;
    for (int round = 0; round < ROUNDS; round++) {
        pid_t children[WRITERS];
        int pipes[WRITERS][2], last[WRITERS] = {0};
        for (int i = 0; i < WRITERS; i++) {
            assert_int_equal(pipe(pipes[i]), 0);
            children[i] = fork();
            if (children[i] == 0)
                write_until_killed(first_row_of_round + i, pipes[i][1]);
            close(pipes[i][1]);
        }
        wait_for_an_acknowledgement(pipes); /* on a busy machine the first row may take longer than all the kills */
        for (int i = 0; i < WRITERS; i++) { /* one after the other, while the others go on */
            nanosleep(&(struct timespec){.tv_nsec = 1000000 + rand() % 40000000}, NULL);
            kill(children[i], SIGKILL);
        }
        for (int i = 0; i < WRITERS; i++) {
            int status, row;
            waitpid(children[i], &status, 0);
            assert_true(WIFSIGNALED(status));
            while (read(pipes[i][0], &row, sizeof row) == sizeof row)
                last[i] = row;
            close(pipes[i][0]);
        }
        StoredRun *runs;
        size_t count;
        Store *store = opened(STORE_WRITE); /* also checks the integrity of the file */
        must(store_runs(store, &board, &arena, &runs, &count, &why), &why);
        int acknowledged = 0;
        for (int i = 0; i < WRITERS; i++) {
            all_acknowledged_rows_are_there(runs, count, first_row_of_round + i, last[i]);
            acknowledged += last[i];
        }
        assert_true(acknowledged > 0);
        store_close(store);
        first_row_of_round += WRITERS;
    }
    arena_free(&arena);
}

static void sixteen_writers_at_once_all_succeed(void **state)
{
    enum { ROWS = 25 };
    pid_t children[WRITERS];
    for (int i = 0; i < WRITERS; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            Store *store;
            Message why;
            if (store_open(path, STORE_WRITE, &store, &why) != STATUS_OK)
                _exit(3);
            for (int row = 0; row < ROWS; row++) {
                Run run = a_run("x", 1);
                if (store_add_run(store, &run, NULL, &why) != STATUS_OK)
                    _exit(4);
            }
            _exit(0);
        }
    }
    for (int i = 0; i < WRITERS; i++) {
        int status;
        waitpid(children[i], &status, 0);
        assert_int_equal(status, 0);
    }
    Arena arena = {0};
    StoredRun *runs;
    size_t count;
    Message why = {0};
    Store *store = opened(STORE_READ);
    must(store_runs(store, &board, &arena, &runs, &count, &why), &why);
    assert_int_equal(count, WRITERS * ROWS);
    store_close(store);
    arena_free(&arena);
}

static void one_value_is_asked_for_in_a_line(void **state)
{
    Arena arena = {0};
    Message why = {0};
    int64_t number = 7;
    const char *text = "unset";
    Store *store = opened(STORE_WRITE);
    added(store, a_run("ann", 1));
    must(database_int(store, &number, &why, "SELECT id FROM runs WHERE person = ?1", "t", "bob"), &why);
    must(database_string(store, &arena, &text, &why, "SELECT max(person) FROM runs WHERE id > ?1", "i", (int64_t)1),
         &why);
    assert_true(number == 7 && strcmp(text, "unset") == 0); /* there is no such row, or no value in it */
    must(database_int(store, &number, &why, "SELECT id FROM runs WHERE person = ?1", "t", "ann"), &why);
    must(database_string(store, &arena, &text, &why, "SELECT person FROM runs WHERE id = ?1", "i", number), &why);
    assert_true(number == 1 && strcmp(text, "ann") == 0);
    assert_int_not_equal(database_int(store, &number, &why, "SELECT nothing FROM runs", ""), STATUS_OK);
    store_close(store);
    arena_free(&arena);
}

static void later_times_of_the_same_source_are_found(void **state)
{
    Arena arena = {0};
    StoredRun *again;
    size_t count;
    Message why = {0};
    Store *store = opened(STORE_WRITE);
    Run other_source = a_run("ann", 3), other_board = a_run("ann", 4);
    other_source.source_hash = "other";
    other_board.board.epoch = 2;
    const int64_t first = added(store, a_run("ann", 1)), second = added(store, a_run("ann", 2));
    added(store, a_run("bob", 1));
    added(store, a_run("ann", 0));
    added(store, other_source);
    added(store, other_board);
    must(store_times_again(store, first, &arena, &again, &count, &why), &why);
    assert_true(count == 1 && again[0].id == second && again[0].time.ms == 2);
    must(store_times_again(store, second, &arena, &again, &count, &why), &why);
    assert_int_equal(count, 0);
    store_close(store);
    arena_free(&arena);
}

/* ---- reference times as a file ----------------------------------------------------------------------------------- */

static void reference_times_travel_in_a_file(void **state)
{
    Arena arena = {0};
    ReferenceTime *times;
    size_t count;
    Message why = {0};
    char file[256];
    snprintf(file, sizeof file, "%s/sim.json", folder);
    const Board other = {.problem = "conv2d", .revision = "r9", .device = "sim-test", .epoch = 1};
    static const char cases[] = "[{\"name\": \"hidden 1\"}, {\"name\": \"long\", \"time_ms\": 0.125, "
                                "\"uncertainty\": 0.01, \"model_terms\": \"lsu 0.25\", \"samples\": []}]";
    const ReferenceTime one[] = {
        {.name = "naive.cu", .source_hash = "s", .time_utc = "t", .time = {1.0 / 3, 0.005}, .cases = cases}};
    const ReferenceTime two[] = {{.name = "tiled.cu", .source_hash = "s", .time_utc = "t", .time = {0.1, 0.005}},
                                 {.name = "best.cu", .source_hash = "s", .time_utc = "t", .time = {0.2, 0.005}}};
    must(references_write(file, &board, two, 2, &why), &why);
    must(references_write(file, &other, one, 1, &why), &why);
    must(references_write(file, &board, two, 2, &why), &why);

    must(references_read(file, &board, &arena, &times, &count, &why), &why);
    assert_int_equal(count, 2);
    assert_string_equal(times[1].name, "best.cu");
    must(references_read(file, &other, &arena, &times, &count, &why), &why);
    assert_int_equal(count, 1);
    assert_true(times[0].time.ms == 1.0 / 3);
    assert_string_equal(times[0].time.model, "lsu 0.25"); /* the mean of its cases' */

    CaseTime *case_times;
    size_t case_count;
    must(case_times_read(file, times[0].cases, &arena, &case_times, &case_count, &why), &why);
    assert_int_equal(case_count, 1);
    assert_true(case_times_find(case_times, case_count, "long")->ms == 0.125);
    assert_true(case_times_find(case_times, case_count, "long")->uncertainty == 0.01);
    assert_null(case_times_find(case_times, case_count, "hidden 1"));

    Board newer = board;
    newer.epoch = 2;
    must(references_read(file, &newer, &arena, &times, &count, &why), &why);
    assert_int_equal(count, 0);
    must(references_write(file, &newer, one, 1, &why), &why);
    must(references_read(file, &other, &arena, &times, &count, &why), &why);
    assert_int_equal(count, 0);
    arena_free(&arena);
}

static void a_broken_file_of_reference_times_is_refused_with_its_line(void **state)
{
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"{\n\"schema\": 2, \"device\": \"sim-test\", \"epoch\": 1, \"problems\": []}", ":2: schema"},
        {"{\"schema\": 1,\n\"device\": \"h100\", \"epoch\": 1, \"problems\": []}", ":2: device: expected \"sim-test\""},
        {"{\"schema\": 1, \"device\": \"sim-test\", \"epoch\": 1, \"problems\": [],\n\"x\": 1}", ":2: x: unknown key"},
        {"{\"schema\": 1, \"device\": \"sim-test\", \"epoch\": 1, \"problems\": [{\"problem\": \"a\","
         "\"revision\": \"b\", \"references\": [{\"name\": \"n\", \"source_hash\": \"s\", \"time_utc\": \"t\","
         "\n\"score_ms\": -1,"
         " \"uncertainty\": 0}]}]}",
         ":2: score_ms"},
        {"{\"schema\": 1, \"device\": \"sim-test\", \"epoch\": 1, \"problems\": [{\"problem\": \"a\","
         "\"revision\": \"b\", \"references\": [{\"name\": \"n\", \"source_hash\": \"s\", \"time_utc\": \"t\","
         "\"score_ms\": 1, \"uncertainty\": 0, \"cases\": [{\"name\": \"long\",\n\"time_ms\": 0,"
         " \"uncertainty\": 0}]}]}]}",
         ":2: time_ms"},
        {"{\"schema\": 1, \"device\": \"sim-test\", \"epoch\": 1, \"problems\": [{\"problem\": \"a\","
         "\"revision\": \"b\", \"references\": [{\"name\": \"n\", \"source_hash\": \"s\", \"time_utc\": \"t\","
         "\"score_ms\": 1, \"uncertainty\": 0, \"cases\": [{\"name\": \"long\", \"time_ms\": 1,"
         " \"uncertainty\": 0,\n\"model_terms\": \"lsu\"}]}]}]}",
         ":2: model_terms: expected terms of a model, \"lsu 0.293, textures 0.322\""},
    };
    Arena arena = {0};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        ReferenceTime *times;
        size_t count;
        Message why = {0};
        write_file(rows[i].text, strlen(rows[i].text));
        assert_int_equal(references_read(path, &board, &arena, &times, &count, &why), STATUS_BAD_INPUT);
        if (strstr(why.text, rows[i].message) == NULL)
            fail_test("\"%s\" does not say \"%s\"", why.text, rows[i].message);
    }
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test(ranked_runs_come_back_oldest_first),
        test(the_newest_time_of_a_reference_counts),
        test(rows_are_never_changed_or_deleted),
        test(a_missing_file_cannot_be_read),
        test(a_file_that_is_no_database_is_refused),
        test(a_database_of_something_else_is_refused_and_left_alone),
        test(a_newer_schema_is_refused),
        test(a_damaged_file_is_refused),
        test(a_large_file_is_checked_only_where_asked_for),
        test(a_read_only_file_is_refused),
        test(a_file_in_no_folder_is_refused),
        test(a_locked_file_is_refused_after_the_wait),
        test(sixteen_writers_at_once_all_succeed),
        test(later_times_of_the_same_source_are_found),
        test(one_value_is_asked_for_in_a_line),
        test(nothing_acknowledged_is_lost_when_sixteen_writers_are_killed),
        test(reference_times_travel_in_a_file),
        test(a_broken_file_of_reference_times_is_refused_with_its_line),
    };
    return cmocka_run_group_tests_name("store", tests, NULL, NULL);
}
