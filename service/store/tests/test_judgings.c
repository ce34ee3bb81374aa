#include "service/store/tests/made_service.h"

#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

/* What passes by all clocks, and what the time of the day jumps by alone. */
static int64_t passed_s, jumped_s;

int clock_gettime(clockid_t clock, struct timespec *now)
{
    const int result = (int)syscall(SYS_clock_gettime, clock, now);
    now->tv_sec += passed_s + (clock == CLOCK_REALTIME ? jumped_s : 0);
    return result;
}

time_t time(time_t *unused)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec;
}

/* The next judging of the queue, offered; its attempt is in *attempt. */
static int64_t offered(int64_t *attempt)
{
    QueuedJob *queued;
    size_t count;
    must(judgings_in_state(store, "queued", 1, &arena, &queued, &count, &why));
    assert_int_equal(count, 1);
    must(judgings_offer(store, queued[0].id, "w", attempt, &why));
    return queued[0].id;
}

static Run a_run(void)
{
    return (Run){.board = {.problem = "conv1d", .revision = "r1", .device = "sim-test", .epoch = 1},
                 .time_utc = "2026-01-31T12:00:00Z",
                 .person = "ada",
                 .device_name = "Test",
                 .driver = "none",
                 .toolkit = "13.0",
                 .judge = "1",
                 .sandbox = "full",
                 .verdict = "Accepted",
                 .rank_status = "ranked",
                 .time = {1.5, 0.005},
                 .machine_code = "c0de",
                 .source_hash = "50ce",
                 .source = "// nothing",
                 .file_name = "x.cu",
                 .sitting = "{}",
                 .cases = "[]"};
}

static RecordingOutcome recorded(int64_t judging, int64_t attempt, const Run *run)
{
    RecordingOutcome outcome;
    const Recording recording = {.judging = judging,
                                 .attempt = attempt,
                                 .verdict = "Accepted",
                                 .text = "",
                                 .device = "sim-test",
                                 .device_s = 3,
                                 .run = run,
                                 .result = "{}",
                                 .report = "fine\n"};
    must(judgings_record(store, &recording, &outcome, &why));
    return outcome;
}

static void a_key_gives_the_same_submission_again(void **state)
{
    const Person ada = admitted("ada"), bob = admitted("bob");
    const int64_t first = handed_in(ada.id, "k1");
    assert_int_equal(handed_in(ada.id, "k1"), first);
    assert_int_not_equal(handed_in(ada.id, "k2"), first);
    assert_int_not_equal(handed_in(bob.id, "k1"), first);
    assert_string_equal(asked("SELECT count(*) FROM judging"), "3");
    assert_string_equal(asked("SELECT count(*) FROM sources"), "1");
}

/* What a browser sends that has gone back to a form, changed it and sent it again. */
static void a_key_with_another_content_is_refused(void **state)
{
    static const struct {
        const char *problem, *mode, *sizes, *source_hash;
    } others[] = {{"conv2d", "rank", "", "50ce"},
                  {"conv1d", "test", "", "50ce"},
                  {"conv1d", "try", "input_size=7", "50ce"},
                  {"conv1d", "rank", "", "0742"}};
    const Person ada = admitted("ada");
    const int64_t first = handed_in(ada.id, "k1");
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        int64_t id = 0;
        bool is_new = true;
        const HandIn row = {.person = ada.id,
                            .key = "k1",
                            .problem = others[i].problem,
                            .revision = "r1",
                            .mode = others[i].mode,
                            .sizes = others[i].sizes,
                            .file_name = "x.cu",
                            .source = "// another",
                            .source_hash = others[i].source_hash};
        assert_int_equal(submissions_hand_in(store, &row, &rule, &id, &is_new, &why), STATUS_BAD_INPUT);
        assert_non_null(strstr(why.text, "key: submission 1 has it, with another source"));
        assert_true(id == first && !is_new);
    }
    assert_string_equal(asked("SELECT count(*) FROM submission"), "1");
}

static void what_was_never_handed_in_is_not_there(void **state)
{
    QueuedJob judging;
    assert_int_equal(judgings_read(store, 77, &arena, &judging, &why), STATUS_NOT_FOUND);
    assert_string_equal(why.text, "there is no judging 77");
}

static void a_recording_counts_once(void **state)
{
    const Run run = a_run();
    int64_t attempt;
    const int64_t id = handed_in(admitted("ada").id, "k"), judging = offered(&attempt);
    must(judgings_start(store, judging, attempt, &why));
    assert_string_equal(stored(id).state, "running");
    assert_int_equal(recorded(judging, attempt, &run), RECORDED);
    assert_int_equal(recorded(judging, attempt, &run), RECORDED_BEFORE);
    assert_string_equal(asked("SELECT count(*) FROM runs"), "1");
    const StoredSubmission row = stored(id);
    assert_string_equal(row.state, "recorded");
    assert_string_equal(row.verdict, "Accepted");
    assert_string_equal(row.rank_state, "ranked");
    assert_true(row.run > 0 && row.time.ms == 1.5);
    int64_t back;
    must(submissions_of_run(store, row.run, &back, &why));
    assert_int_equal(back, id);
    const char *report;
    must(judgings_document(store, judging, "report", &arena, &report, &why));
    assert_string_equal(report, "fine\n");
    must(judgings_document(store, judging, "explain", &arena, &report, &why));
    assert_null(report);
}

static void a_late_result_is_noted_and_never_ranks(void **state)
{
    const Run run = a_run();
    int64_t first, second;
    bool held;
    const int64_t id = handed_in(admitted("ada").id, "k"), judging = offered(&first);
    must(judgings_start(store, judging, first, &why));
    must(judgings_fail(store, judging, first, "lost", "no sign of life", &held, &why));
    assert_false(held);
    assert_int_equal(offered(&second), judging);
    assert_int_equal(second, first + 1);
    assert_int_equal(recorded(judging, first, &run), TOO_LATE);
    assert_string_equal(asked("SELECT count(*) FROM runs"), "0");
    assert_string_equal(asked("SELECT outcome FROM attempt WHERE n = 1"), "late");
    assert_string_equal(stored(id).state, "offered");
    assert_int_equal(recorded(judging, second, &run), RECORDED);
    assert_int_equal(recorded(judging, first, &run), TOO_LATE);
    assert_string_equal(asked("SELECT count(*) FROM runs"), "1");
}

static void the_second_failure_holds_a_judging_for_a_person(void **state)
{
    int64_t attempt;
    bool held, done;
    const int64_t id = handed_in(admitted("ada").id, "k"), judging = offered(&attempt);
    must(judgings_fail(store, judging, attempt, "given_back", "told to stop", &held, &why));
    assert_false(held);
    offered(&attempt);
    must(judgings_fail(store, judging, attempt, "worker_failed", "no compiler", &held, &why));
    assert_false(held);
    offered(&attempt);
    must(judgings_fail(store, judging, attempt - 1, "lost", "an old attempt", &held, &why));
    assert_string_equal(stored(id).state, "offered");
    must(judgings_fail(store, judging, attempt, "worker_failed", "no compiler", &held, &why));
    assert_true(held);
    assert_string_equal(stored(id).state, "held");
    must(judgings_release(store, judging, &done, &why));
    assert_true(done);
    assert_string_equal(stored(id).state, "queued");
}

static void only_what_waits_can_be_withdrawn(void **state)
{
    int64_t attempt;
    bool done;
    const int64_t person = admitted("ada").id, first = handed_in(person, "k1"), second = handed_in(person, "k2");
    offered(&attempt);
    must(judgings_withdraw(store, first, &done, &why));
    assert_false(done);
    must(judgings_withdraw(store, second, &done, &why));
    assert_true(done);
    assert_string_equal(stored(second).state, "cancelled");
}

static void who_hands_in_often_is_put_behind_others(void **state)
{
    const Person ada = admitted("ada"), bob = admitted("bob");
    int64_t of_ada[3];
    static const char *const keys[] = {"k1", "k2", "k3"};
    for (int i = 0; i < 3; i++)
        of_ada[i] = handed_in(ada.id, keys[i]);
    const int64_t of_bob = handed_in(bob.id, "k");
    QueuedJob *queued;
    size_t count;
    must(judgings_in_state(store, "queued", 10, &arena, &queued, &count, &why));
    assert_int_equal(count, 4);
    assert_int_equal(queued[0].submission, of_ada[0]);
    assert_int_equal(queued[1].submission, of_bob);
    assert_int_equal(queued[2].submission, of_ada[1]);
    assert_int_equal(queued[3].submission, of_ada[2]);
    assert_true(queued[2].position - queued[0].position >= 60);
    QueueOutlook outlook;
    must(judgings_outlook(store, queued[3].position, &outlook, &why));
    assert_int_equal(outlook.ahead, 3);
}

/* Six days are what a clock with a wrong time zone or month is off by, and what closes an assignment. */
static void a_clock_that_jumps_once_makes_nobody_late_for_good(void **state)
{
    enum { DAYS_6 = 6 * 24 * 3600 };
    const Person ada = admitted("ada"), bob = admitted("bob");
    ClockWatch watch = {0};
    char alarm[200];
    must(clock_watch_look(&watch, store, &why));
    handed_in(ada.id, "k1");
    passed_s = 1000; /* time that passes is no jump */
    must(clock_watch_look(&watch, store, &why));
    assert_false(clock_watch_alarm(&watch, alarm, sizeof alarm));
    jumped_s = DAYS_6;
    must(clock_watch_look(&watch, store, &why));
    assert_true(clock_watch_alarm(&watch, alarm, sizeof alarm));
    assert_string_equal(
        alarm, "the clock has jumped by +518400 s: submissions after 1 have the time of the clock as it is now");
    handed_in(bob.id, "k1");
    jumped_s = 0;
    const int64_t later = handed_in(bob.id, "k2");
    assert_true(stored(later).handed_in_s < (int64_t)time(NULL) + 5);
    must(clock_watch_look(&watch, store, &why));
    assert_true(clock_watch_alarm(&watch, alarm, sizeof alarm));
    assert_string_equal(alarm, "submissions 2 to 2 have a time of receipt in the future");
    assert_string_equal(asked("SELECT group_concat(object, '; ') FROM audit WHERE action = 'clock jump'"),
                        "+518400 s after submission 1; -518400 s after submission 3");

    assert_int_equal(submissions_correct_receipts(store, 2, 2, 7, "root", "so", &why), STATUS_BAD_INPUT);
    assert_int_equal(submissions_correct_receipts(store, 8, 9, 7, "root", "so", &why), STATUS_BAD_INPUT);
    must(submissions_correct_receipts(store, 2, 2, -DAYS_6, "root", "the clock was wrong", &why));
    clock_watch_trust(&watch);
    must(clock_watch_look(&watch, store, &why));
    assert_false(clock_watch_alarm(&watch, alarm, sizeof alarm));
    assert_string_equal(asked("SELECT max(received_s) - min(received_s) < 1005 AND count(DISTINCT received_utc) < 5"
                              " FROM submission"),
                        "1");
    passed_s = 0;
}

static void a_worker_that_fails_twice_in_a_row_is_known(void **state)
{
    const Person ada = admitted("ada");
    const Run run = a_run();
    bool fails, held;
    int64_t attempt;
    for (int i = 0; i < 3; i++) {
        char key[8];
        snprintf(key, sizeof key, "k%d", i);
        handed_in(ada.id, key);
    }
    int64_t judging = offered(&attempt);
    must(judgings_start(store, judging, attempt, &why));
    must(judgings_fail(store, judging, attempt, "worker_failed", "x", &held, &why));
    must(worker_fails(store, "w", &fails, &why));
    assert_false(fails);
    must(judgings_offer(store, judging + 1, "w", &attempt, &why));
    must(judgings_start(store, judging + 1, attempt, &why));
    must(judgings_fail(store, judging + 1, attempt, "lost", "y", &held, &why));
    must(worker_fails(store, "w", &fails, &why));
    assert_true(fails);
    must(worker_fails(store, "other", &fails, &why));
    assert_false(fails);
    must(judgings_offer(store, judging + 2, "w", &attempt, &why));
    must(judgings_start(store, judging + 2, attempt, &why));
    assert_int_equal(recorded(judging + 2, attempt, &run), RECORDED);
    must(database_run(store, "UPDATE attempt SET ended_utc = '9999' WHERE outcome = 'judged'", &why));
    must(worker_fails(store, "w", &fails, &why));
    assert_false(fails);
}

static void a_drained_worker_is_listed_with_its_reason(void **state)
{
    Drained *drained;
    size_t count;
    must(worker_drain(store, "w", "failed twice", &why));
    must(worker_drain(store, "w", "again", &why));
    must(workers_drained(store, &arena, &drained, &count, &why));
    assert_int_equal(count, 1);
    assert_string_equal(drained[0].why, "failed twice");
    must(worker_undrain(store, "w", &why));
    must(workers_drained(store, &arena, &drained, &count, &why));
    assert_int_equal(count, 0);
}

static void a_try_is_forgotten_after_a_day(void **state)
{
    const int64_t person = admitted("ada").id;
    const HandIn row = {.person = person,
                        .key = "t",
                        .problem = "conv1d",
                        .revision = "r1",
                        .mode = "try",
                        .sizes = "",
                        .file_name = "x.cu",
                        .source = "// a try",
                        .source_hash = "7247"};
    int64_t id, attempt;
    bool is_new;
    const char *source;
    must(submissions_hand_in(store, &row, &rule, &id, &is_new, &why));
    must(submissions_source(store, "7247", &arena, &source, &why));
    assert_string_equal(source, "// a try");
    assert_string_equal(asked("SELECT count(*) FROM sources"), "0");
    const int64_t judging = offered(&attempt);
    must(submissions_forget_tries(store, INT64_MAX, &why));
    assert_string_equal(stored(id).state, "offered");
    assert_int_equal(recorded(judging, attempt, NULL), RECORDED);
    const int64_t kept = handed_in(person, "k");
    must(submissions_forget_tries(store, 5, &why));
    assert_string_equal(stored(id).state, "recorded");
    must(submissions_forget_tries(store, INT64_MAX, &why));
    StoredSubmission gone;
    assert_int_equal(submissions_read(store, id, &arena, &gone, &why), STATUS_NOT_FOUND);
    assert_string_equal(
        asked("SELECT (SELECT count(*) FROM document) + (SELECT count(*) FROM attempt) + (SELECT count(*)"
              " FROM try_source)"),
        "0");
    assert_string_equal(stored(kept).state, "queued");
}

static void a_copy_is_whole(void **state)
{
    char path[128];
    Store *copy;
    handed_in(admitted("ada").id, "k");
    snprintf(path, sizeof path, "%s/copy.db", folder);
    must(service_store_backup(store, path, &why));
    assert_int_equal(service_store_backup(store, path, &why), STATUS_BAD_INPUT);
    assert_non_null(strstr(why.text, "exists already, expected the name of a new file"));
    must(store_open(path, STORE_READ, &copy, &why));
    StoredSubmission row;
    must(submissions_read(copy, 1, &arena, &row, &why));
    assert_string_equal(row.person, "ada");
    store_close(copy);
}

static void a_state_has_one_server(void **state)
{
    Store *second;
    assert_int_equal(service_store_open(folder, &second, &why), STATUS_BUSY);
    assert_non_null(strstr(why.text, "another process, `convjudge serve` or `convjudge grade-class`, uses this state"));
    assert_null(second);
}

/* As a worker does whose server was killed. */
static void who_holds_a_state_for_a_moment_longer_is_waited_for(void **state)
{
    int pipe_ends[2], ended;
    char held, other[80];
    Store *first, *second;
    snprintf(other, sizeof other, "%s/other", folder);
    assert_int_equal(pipe(pipe_ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        const struct timespec moment = {.tv_nsec = 300000000};
        held = service_store_open(other, &first, &why) == STATUS_OK;
        if (write(pipe_ends[1], &held, 1) == 1)
            nanosleep(&moment, NULL);
        _exit(0);
    }
    assert_int_equal(read(pipe_ends[0], &held, 1), 1);
    assert_int_equal(held, 1);
    must(service_store_open(other, &second, &why));
    store_close(second);
    assert_int_equal(waitpid(child, &ended, 0), child);
    close(pipe_ends[0]);
    close(pipe_ends[1]);
}

static void what_another_system_knew_is_kept(void **state)
{
    int64_t id;
    bool is_new;
    const HandIn row = {.person = admitted("ada").id,
                        .key = "k1",
                        .problem = "conv1d",
                        .revision = "r1",
                        .mode = "rank",
                        .sizes = "",
                        .file_name = "x.cu",
                        .source = "// nothing",
                        .source_hash = "50ce",
                        .origin = "Ada_17_assignsubmission_file_/x.cu",
                        .origin_received_s = 1700000000,
                        .origin_marked_late = true};
    must(submissions_hand_in(store, &row, &rule, &id, &is_new, &why));
    const StoredSubmission taken = stored(id), here = stored(handed_in(admitted("bob").id, "k2"));
    assert_string_equal(taken.origin, "Ada_17_assignsubmission_file_/x.cu");
    assert_int_equal(taken.origin_received_s, 1700000000);
    assert_true(taken.origin_marked_late);
    assert_string_equal(here.origin, "");
    assert_int_equal(here.origin_received_s, 0);
    assert_false(here.origin_marked_late);
}

/* ---- a long list of what has ended ------------------------------------------------------------------------------- */

static int count_scanned(unsigned kind, void *count, void *statement, void *ns)
{
    *(int *)count += sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_FULLSCAN_STEP, 1);
    return 0;
}

/* The head asks several times a second. */
static void what_has_ended_is_not_looked_through_for_what_waits(void **state)
{
    QueuedJob *judgings;
    size_t count;
    int64_t waiting;
    int scanned = 0;
    const int64_t person = admitted("ada").id;
    for (int i = 0; i < 20; i++) {
        char key[16];
        snprintf(key, sizeof key, "k%d", i);
        handed_in(person, key);
    }
    must(database_run(store, "UPDATE judging SET state = 'recorded' WHERE id <= 18", &why));
    sqlite3_trace_v2(store->database, SQLITE_TRACE_PROFILE, count_scanned, &scanned);
    must(judgings_in_state(store, "queued", 10, &arena, &judgings, &count, &why));
    must(judgings_waiting(store, &waiting, &why));
    sqlite3_trace_v2(store->database, 0, NULL, NULL);
    assert_int_equal(count, 2);
    assert_int_equal(waiting, 2);
    assert_in_range(scanned, 0, 17);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test(a_key_gives_the_same_submission_again),
        test(a_key_with_another_content_is_refused),
        test(what_another_system_knew_is_kept),
        test(what_was_never_handed_in_is_not_there),
        test(a_recording_counts_once),
        test(a_late_result_is_noted_and_never_ranks),
        test(the_second_failure_holds_a_judging_for_a_person),
        test(only_what_waits_can_be_withdrawn),
        test(who_hands_in_often_is_put_behind_others),
        test(a_clock_that_jumps_once_makes_nobody_late_for_good),
        test(a_worker_that_fails_twice_in_a_row_is_known),
        test(a_drained_worker_is_listed_with_its_reason),
        test(a_try_is_forgotten_after_a_day),
        test(a_copy_is_whole),
        test(a_state_has_one_server),
        test(who_holds_a_state_for_a_moment_longer_is_waited_for),
        test(what_has_ended_is_not_looked_through_for_what_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
