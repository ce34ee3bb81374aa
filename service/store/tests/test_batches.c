#include "service/store/tests/made_service.h"

#include "leaderboard/rulings.h"
#include "service/store/batch_apply.h"
#include "service/store/batches.h"

/* ---- what is made up --------------------------------------------------------------------------------------------- */

static Run a_run(const char *person, const char *revision, double ms)
{
    return (Run){.board = {.problem = "conv1d", .revision = revision, .device = "sim-test", .epoch = 1},
                 .time_utc = "2026-01-31T12:00:00Z",
                 .person = person,
                 .device_name = "Test",
                 .driver = "none",
                 .toolkit = "13.0",
                 .judge = "1",
                 .sandbox = "full",
                 .verdict = "Accepted",
                 .rank_status = "ranked",
                 .time = {ms, 0.005},
                 .machine_code = person,
                 .source_hash = "50ce",
                 .source = "// nothing",
                 .file_name = "x.cu",
                 .sitting = "{}",
                 .cases = "[]"};
}

/* The next in the queue is judged with this run. */
static QueuedJob judged(const Run *run, const char *verdict)
{
    QueuedJob *queued;
    size_t count;
    int64_t attempt;
    RecordingOutcome outcome;
    must(judgings_in_state(store, "queued", 1, &arena, &queued, &count, &why));
    assert_int_equal(count, 1);
    must(judgings_offer(store, queued[0].id, "w", &attempt, &why));
    const Recording recording = {.judging = queued[0].id,
                                 .attempt = attempt,
                                 .verdict = verdict,
                                 .text = "",
                                 .device = "sim-test",
                                 .device_s = 3,
                                 .run = run,
                                 .result = "{}",
                                 .report = "fine\n"};
    must(judgings_record(store, &recording, &outcome, &why));
    assert_int_equal(outcome, RECORDED);
    return queued[0];
}

static QueuedJob judged_with_time(const char *person, const char *revision, double ms)
{
    const Run run = a_run(person, revision, ms);
    return judged(&run, "Accepted");
}

static BatchSkip *skips;
static size_t skip_count;

static BatchRequest a_request(void)
{
    return (BatchRequest){.problem = "conv1d", .revision = "r2", .reason = "new cases", .since_utc = ""};
}

static int64_t opened(BatchRequest request)
{
    int64_t id;
    must(batches_open(store, &request, "root", &arena, &id, &skips, &skip_count, &why));
    return id;
}

static void refused_to_open(BatchRequest request, const char *message)
{
    int64_t id;
    assert_int_equal(batches_open(store, &request, "root", &arena, &id, &skips, &skip_count, &why), STATUS_BAD_INPUT);
    assert_string_equal(why.text, message);
}

static Batch batch_of(int64_t id)
{
    Batch batch;
    must(batches_read(store, id, &arena, &batch, &why));
    return batch;
}

static void refused_to_apply(int64_t id, const char *message)
{
    assert_int_equal(batch_apply(store, id, "root", &why), STATUS_BAD_INPUT);
    assert_string_equal(why.text, message);
}

static size_t row_count;
static BatchRow *table_of(int64_t id)
{
    BatchRow *rows;
    must(batch_table(store, id, &arena, &rows, &row_count, &why));
    return rows;
}

/* ---- a batch ----------------------------------------------------------------------------------------------------- */

static void a_batch_changes_nothing_until_it_is_applied(void **state)
{
    const int64_t first = handed_in(admitted("ada").id, "k"), second = handed_in(admitted("bob").id, "k");
    judged_with_time("ada", "r1", 1);
    judged_with_time("bob", "r1", 2);
    const int64_t id = opened(a_request());
    refused_to_apply(id, "batch 2: 2 of 2 submissions are not judged yet");
    const QueuedJob shadow = judged_with_time("ada", "r2", 3);
    assert_int_equal(shadow.submission, first);
    assert_string_equal(shadow.revision, "r2");
    judged_with_time("bob", "r2", 2.001);
    assert_string_equal(asked("SELECT count(*) FROM runs"), "2");
    assert_true(stored(first).time.ms == 1);
    assert_string_equal(asked("SELECT count(*) FROM current_judging WHERE batch > 1"), "0");

    const BatchRow *rows = table_of(id);
    assert_int_equal(row_count, 2);
    assert_true(batch_row_time_differs(&rows[0]) && batch_row_changes(&rows[0]));
    assert_int_equal(rows[0].before.rank, 1);
    assert_int_equal(rows[0].after.rank, 2);
    assert_false(batch_row_time_differs(&rows[1]));
    assert_int_equal(rows[1].before.rank, 2);
    assert_int_equal(rows[1].after.rank, 1);

    must(batch_apply(store, id, "root", &why));
    assert_string_equal(batch_of(id).state, "applied");
    assert_string_equal(asked("SELECT group_concat(state, ' ') FROM (SELECT state FROM run_states ORDER BY run)"),
                        "retracted retracted ranked ranked");
    assert_string_equal(asked("SELECT why FROM rulings ORDER BY id LIMIT 1"), "replaced by run 3 (batch 2: new cases)");
    const StoredSubmission row = stored(second);
    assert_string_equal(row.rank_state, "ranked");
    assert_true(row.run == 4 && row.time.ms == 2.001);
    assert_string_equal(asked("SELECT action || ', ' || object FROM audit ORDER BY id DESC"), "rejudge apply, batch 2");
    refused_to_apply(id, "batch 2 was applied already");
    assert_int_equal(batches_drop(store, id, "root", &why), STATUS_BAD_INPUT);
}

static void a_run_that_waits_reads_back_as_it_was(void **state)
{
    Run run = a_run("ada", "r1", 0.1 + 0.2);
    handed_in(admitted("ada").id, "k");
    judged(&run, "Accepted");
    opened(a_request());
    run.time.uncertainty = 1.0 / 3;
    run.machine_code = NULL;
    run.rank_status = "not ranked: a \"quoted\"\nreason";
    judged(&run, "Wrong Answer");
    const BatchRow *rows = table_of(2);
    assert_true(rows[0].after.run->time.ms == 0.1 + 0.2 && rows[0].after.run->time.uncertainty == 1.0 / 3);
    assert_null(rows[0].after.run->machine_code);
    assert_string_equal(rows[0].after.run->rank_status, run.rank_status);
    assert_int_equal(rows[0].after.rank, 0);
    assert_true(batch_row_changes(&rows[0]));
}

static void a_dropped_batch_leaves_no_trace_on_the_boards(void **state)
{
    const int64_t first = handed_in(admitted("ada").id, "k");
    handed_in(admitted("bob").id, "k");
    judged_with_time("ada", "r1", 1);
    judged_with_time("bob", "r1", 2);
    const int64_t id = opened(a_request());
    judged_with_time("ada", "r2", 3);
    must(batches_drop(store, id, "root", &why));
    assert_string_equal(asked("SELECT count(*) FROM runs"), "2");
    assert_string_equal(asked("SELECT count(*) FROM rulings"), "0");
    assert_string_equal(asked("SELECT count(*) FROM judging WHERE state = 'queued'"), "0");
    assert_true(stored(first).time.ms == 1);
    refused_to_apply(id, "batch 2 was dropped already");
    assert_int_equal(opened(a_request()), 3);
}

static void fresh_hand_ins_come_first_and_are_judged_in_the_batch_too(void **state)
{
    handed_in(admitted("ada").id, "k");
    judged_with_time("ada", "r1", 1);
    const int64_t id = opened(a_request());
    const int64_t late = handed_in(admitted("bob").id, "k");
    assert_int_equal(batch_of(id).judgings, 2);
    QueuedJob next = judged_with_time("bob", "r1", 2);
    assert_int_equal(next.submission, late);
    assert_int_equal(next.batch, LIVE_BATCH);
    judged_with_time("ada", "r2", 1);
    next = judged_with_time("bob", "r2", 4);
    assert_int_equal(next.batch, id);
    assert_int_equal(next.submission, late);
    must(batch_apply(store, id, "root", &why));
    assert_true(stored(late).time.ms == 4);
    handed_in(admitted("bob").id, "k2");
    assert_string_equal(asked("SELECT count(*) FROM judging WHERE state = 'queued'"), "1");
}

static void a_batch_does_not_wait_for_what_came_later_and_is_of_its_revision(void **state)
{
    BatchRequest request = a_request();
    request.revision = "r1";
    handed_in(admitted("ada").id, "k");
    judged_with_time("ada", "r1", 1);
    const int64_t id = opened(request);
    const int64_t late = handed_in(admitted("bob").id, "k");
    judged_with_time("bob", "r1", 2);
    must(database_run(store, "UPDATE submission SET received_utc = '2099-01-01T00:00:00Z' WHERE id = 2", &why));
    refused_to_apply(id, "batch 2: 1 of 2 submissions are not judged yet");
    judged_with_time("ada", "r1", 1.5);
    must(batch_apply(store, id, "root", &why));
    assert_string_equal(stored(late).rank_state, "ranked");
    assert_string_equal(stored(late).state, "recorded");
    assert_string_equal(asked("SELECT count(*) FROM judging WHERE state = 'queued'"), "0");
}

/* The editions that are still needed, in one line. */
static const char *needed_editions(void)
{
    static char line[300];
    const char **editions;
    size_t count;
    must(batches_editions(store, &arena, &editions, &count, &why));
    line[0] = '\0';
    for (size_t i = 0; i < count; i++)
        snprintf(line + strlen(line), sizeof line - strlen(line), "%s%s", i == 0 ? "" : " ", editions[i]);
    return line;
}

static void an_edition_is_needed_as_long_as_something_may_be_judged_by_it(void **state)
{
    int64_t attempt;
    bool held;
    BatchRequest request = a_request();
    request.edition = "e2";
    handed_in(admitted("ada").id, "k");
    must(judgings_renew(store, 1, "r1", "e1", &why));
    assert_string_equal(needed_editions(), "");
    must(judgings_offer(store, 1, "w", &attempt, &why));
    assert_string_equal(needed_editions(), "e1");
    must(judgings_count_by(store, "conv1d", "e1", "r1", &why));
    const int64_t id = opened(request);
    assert_string_equal(needed_editions(), "e1 e2");
    must(judgings_count_by(store, "conv1d", "e3", "r1", &why));
    assert_string_equal(needed_editions(), "e1 e2 e3");
    must(batches_drop(store, id, "root", &why));
    assert_string_equal(needed_editions(), "e1 e3"); /* the attempt goes on */
    must(judgings_fail(store, 1, attempt, "given_back", "", &held, &why));
    assert_string_equal(needed_editions(), "e3");
}

/* ---- what is skipped --------------------------------------------------------------------------------------------- */

static void what_cannot_be_judged_again_is_skipped_with_a_reason(void **state)
{
    bool done, is_new;
    int64_t other, practice;
    const int64_t person = admitted("ada").id, kept = handed_in(person, "k1"), withdrawn = handed_in(person, "k2");
    HandIn row = {.person = person,
                  .key = "k3",
                  .problem = "conv2d",
                  .revision = "r1",
                  .mode = "rank",
                  .sizes = "",
                  .file_name = "x.cu",
                  .source = "// nothing",
                  .source_hash = "50ce"};
    must(submissions_hand_in(store, &row, &rule, &other, &is_new, &why));
    row.key = "k4", row.problem = "conv1d", row.mode = "test";
    must(submissions_hand_in(store, &row, &rule, &practice, &is_new, &why));
    must(judgings_withdraw(store, withdrawn, &done, &why));

    opened(a_request());
    assert_int_equal(skip_count, 1);
    assert_int_equal(skips[0].submission, withdrawn);
    assert_string_equal(skips[0].why, "its author has withdrawn it");
    refused_to_open(a_request(), "batch 2 of problem conv1d is open; apply or drop it before another is begun");
    must(batches_drop(store, 2, "root", &why));

    const int64_t numbers[] = {kept, kept, withdrawn, other, practice, 99};
    BatchRequest request = a_request();
    request.submissions = numbers, request.submission_count = COUNT_OF(numbers);
    assert_int_equal(batch_of(opened(request)).judgings, 1);
    assert_int_equal(skip_count, 4);
    assert_string_equal(skips[1].why, "it is of another problem");
    assert_string_equal(skips[2].why, "it was not submitted for the ranking");
    assert_string_equal(skips[3].why, "no submission has this number");
    BatchSkip *kept_skips;
    size_t kept_count;
    must(batches_skips(store, 3, &arena, &kept_skips, &kept_count, &why)); /* by submission */
    assert_int_equal(kept_count, 4);
    assert_int_equal(kept_skips[0].submission, withdrawn);
    assert_int_equal(kept_skips[3].submission, 99);
    assert_string_equal(kept_skips[3].why, "no submission has this number");
    must(batches_drop(store, 3, "root", &why));

    request.since_utc = "2099-01-01T00:00:00Z", request.submission_count = 1;
    refused_to_open(request, "problem conv1d has nothing to judge again; submission 1: it was submitted earlier");
    request.submission_count = 0;
    refused_to_open(request, "problem conv1d has nothing to judge again");
    assert_string_equal(asked("SELECT count(*) FROM batch"), "3");
}

static void what_its_author_withdraws_meanwhile_stays_withdrawn(void **state)
{
    bool done;
    const int64_t ada = admitted("ada").id, first = handed_in(ada, "k1"), second = handed_in(ada, "k2");
    judged_with_time("ada", "r1", 1);
    const int64_t id = opened(a_request());
    must(judgings_withdraw(store, first, &done, &why));
    assert_false(done);
    assert_int_equal(batch_of(id).waiting, 2);
    must(judgings_withdraw(store, second, &done, &why));
    assert_true(done);
    assert_int_equal(batch_of(id).cancelled, 1);
    judged_with_time("ada", "r2", 1);
    must(batch_apply(store, id, "root", &why));
    assert_string_equal(stored(second).state, "cancelled");
}

static void held_judgings_are_named(void **state)
{
    bool held;
    int64_t attempt;
    handed_in(admitted("ada").id, "k");
    judged_with_time("ada", "r1", 1);
    const int64_t id = opened(a_request());
    for (int i = 0; i < MOST_FAILURES; i++) {
        must(judgings_offer(store, 2, "w", &attempt, &why));
        must(judgings_fail(store, 2, attempt, "worker_failed", "no compiler", &held, &why));
    }
    assert_true(held);
    refused_to_apply(id, "batch 2: the judge failed at submissions that are held for a person to look at: 1");
    assert_int_equal(batch_apply(store, 7, "root", &why), STATUS_NOT_FOUND);
    assert_string_equal(why.text, "there is no batch 7");
}

/* ---- what counts afterwards -------------------------------------------------------------------------------------- */

static void what_a_teacher_decided_holds_after_a_rejudging(void **state)
{
    const int64_t first = handed_in(admitted("ada").id, "k"), second = handed_in(admitted("bob").id, "k");
    Run quarantined = a_run("bob", "r1", 2);
    quarantined.rank_status = "quarantined: too fast";
    judged_with_time("ada", "r1", 1);
    judged(&quarantined, "Accepted");
    const Ruling rejection = {1, RULING_REJECT, "copied", "turing", "2026-02-01T12:00:00Z"},
                 acceptance = {2, RULING_ACCEPT, "looked at it", "turing", "2026-02-01T12:00:00Z"};
    must(rulings_add(store, &rejection, &why));
    must(rulings_add(store, &acceptance, &why));
    const int64_t id = opened(a_request());
    judged_with_time("ada", "r2", 1);
    quarantined.board.revision = "r2";
    judged(&quarantined, "Accepted");
    const BatchRow *rows = table_of(id);
    assert_int_equal(rows[0].after.rank, 0);
    assert_int_equal(rows[1].after.rank, 1);
    must(batch_apply(store, id, "root", &why));
    assert_string_equal(stored(first).rank_state, "rejected");
    assert_string_equal(stored(second).rank_state, "ranked");
    assert_string_equal(asked("SELECT person || ': ' || why FROM rulings WHERE run = 3"), "turing: as run 1: copied");
    assert_string_equal(asked("SELECT state FROM run_states WHERE run = 1"), "rejected");
    assert_string_equal(asked("SELECT state FROM run_states WHERE run = 2"), "retracted");
}

static void what_was_not_judged_before_is_not_judged_afterwards(void **state)
{
    RecordingOutcome outcome;
    int64_t attempt;
    const int64_t late = handed_in(admitted("ada").id, "k");
    must(judgings_offer(store, 1, "w", &attempt, &why));
    const int64_t id = opened(a_request());
    judged_with_time("ada", "r2", 2);
    must(batch_apply(store, id, "root", &why));
    const Run run = a_run("ada", "r1", 1);
    const Recording recording = {.judging = 1, .attempt = attempt, .verdict = "Accepted", .text = "", .run = &run};
    must(judgings_record(store, &recording, &outcome, &why));
    assert_int_equal(outcome, TOO_LATE);
    assert_true(stored(late).time.ms == 2);
    assert_string_equal(asked("SELECT count(*) FROM runs"), "1");
}

static void applying_is_all_or_nothing(void **state)
{
    handed_in(admitted("ada").id, "k");
    handed_in(admitted("bob").id, "k");
    judged_with_time("ada", "r1", 1);
    judged_with_time("bob", "r1", 2);
    const int64_t id = opened(a_request());
    judged_with_time("ada", "r2", 1);
    judged_with_time("bob", "r2", 2);
    must(database_run(store,
                      "CREATE TRIGGER trouble BEFORE INSERT ON rulings WHEN NEW.run = 2"
                      " BEGIN SELECT RAISE(ABORT, 'trouble'); END",
                      &why));
    assert_int_not_equal(batch_apply(store, id, "root", &why), STATUS_OK);
    assert_string_equal(asked("SELECT count(*) FROM runs"), "2");
    assert_string_equal(asked("SELECT count(*) FROM rulings"), "0");
    assert_string_equal(batch_of(id).state, "open");
    must(database_run(store, "DROP TRIGGER trouble", &why));
    must(batch_apply(store, id, "root", &why));
}

static void a_second_rejudging_replaces_the_runs_of_the_first(void **state)
{
    const int64_t id = handed_in(admitted("ada").id, "k");
    judged_with_time("ada", "r1", 1);
    for (int i = 0; i < 2; i++) {
        const int64_t batch = opened(a_request());
        judged_with_time("ada", "r2", 2 + i);
        must(batch_apply(store, batch, "root", &why));
    }
    assert_true(stored(id).time.ms == 3);
    assert_string_equal(asked("SELECT group_concat(state, ' ') FROM (SELECT state FROM run_states ORDER BY run)"),
                        "retracted retracted ranked");
    const BatchRow *rows = table_of(2);
    assert_int_equal(rows[0].before.run_id, 1);
    assert_int_equal(rows[0].before.rank, 0);
    Batch *batches;
    size_t count;
    must(batches_list(store, &arena, &batches, &count, &why));
    assert_int_equal(count, 2);
    assert_int_equal(batches[0].id, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test(a_batch_changes_nothing_until_it_is_applied),
        test(a_run_that_waits_reads_back_as_it_was),
        test(a_dropped_batch_leaves_no_trace_on_the_boards),
        test(fresh_hand_ins_come_first_and_are_judged_in_the_batch_too),
        test(a_batch_does_not_wait_for_what_came_later_and_is_of_its_revision),
        test(an_edition_is_needed_as_long_as_something_may_be_judged_by_it),
        test(what_cannot_be_judged_again_is_skipped_with_a_reason),
        test(what_its_author_withdraws_meanwhile_stays_withdrawn),
        test(held_judgings_are_named),
        test(what_a_teacher_decided_holds_after_a_rejudging),
        test(what_was_not_judged_before_is_not_judged_afterwards),
        test(applying_is_all_or_nothing),
        test(a_second_rejudging_replaces_the_runs_of_the_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
