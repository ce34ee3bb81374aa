#include "service/store/tests/made_service.h"

#include "base/tests/patience.h"

#include "service/store/queue.h"
#include "service/store/work.h"

/* Requests of workers have no connection here: what the queue answers is seen in the store. */
static Queue *queue;

static int new_queue(void **state)
{
    passed_over_s = 0;
    if (new_service(state) != 0)
        return -1;
    return queue_start(&(QueueOptions){.state = folder, .lease_s = 10}, store, &queue, &why) == STATUS_OK ? 0 : -1;
}

static int remove_queue(void **state)
{
    queue_stop(queue);
    return remove_service(state);
}

static void restart(void)
{
    queue_stop(queue);
    must(queue_start(&(QueueOptions){.state = folder, .lease_s = 10}, store, &queue, &why));
}

static void ask_as(int64_t person, const char *worker, double most_s)
{
    EventStream *stream;
    const WorkClaim claim = {
        .worker = worker, .device = "sim-h200", .device_name = "x", .wait_s = 20, .most_s = most_s};
    must(queue_claim(queue, person, &claim, &stream, &why));
    queue_tick(queue);
}

static void ask(const char *worker)
{
    ask_as(0, worker, 0);
}

static bool lives(const char *worker, int64_t judging, int attempt)
{
    bool goes_on;
    const WorkProgress progress = {.id = {judging, attempt}, .worker = worker, .step = "hidden cases", .done = 2};
    must(queue_note_alive(queue, 0, &progress, &goes_on, &why));
    return goes_on;
}

static const char *outcome;

static Status finish_as(int64_t person, const WorkResult *result)
{
    JsonFile file;
    Text text = {0};
    cJSON *object = work_result_json(result);
    json_print(object, &text);
    cJSON_Delete(object);
    must(json_parse("request", text.data, text.length, &file, &why));
    text_free(&text);
    Status status = queue_finish(queue, person, &file, &outcome, &why);
    json_free(&file);
    return status;
}

static WorkResult end_of(const char *worker, int64_t judging, int attempt)
{
    QueuedJob job;
    must(judgings_read(store, judging, &arena, &job, &why));
    return (WorkResult){
        .id = {judging, attempt},
        .source_hash = job.source_hash,
        .revision = job.revision,
        .worker = worker,
        .device = "sim-h200",
        .device_name = "x",
        .outcome = "judged",
        .why = "",
        .result = arena_printf(&arena,
                               "{\"verdict\": \"Wrong Answer\", \"text\": \"no\", \"problem\": \"conv1d\","
                               " \"revision\": \"%s\", \"source_hash\": \"%s\", \"device\": \"sim-h200\","
                               " \"seconds\": {\"hidden\": 2}}",
                               job.revision, job.source_hash),
        .report = "Wrong Answer\n",
        .explain = ""};
}

/* What a worker tells of itself and of the time is left empty. */
static Run run_of(const WorkResult *result, const char *verdict)
{
    return (Run){.board = {"conv1d", result->revision, "sim-h200", 1},
                 .time_utc = "",
                 .person = "",
                 .device_name = "",
                 .driver = "",
                 .toolkit = "",
                 .judge = "",
                 .sandbox = "",
                 .verdict = verdict,
                 .rank_status = "ranked",
                 .source_hash = "",
                 .file_name = "",
                 .cases = "[]",
                 .sitting = "{}"};
}

static Status finish(const WorkResult *result)
{
    return finish_as(0, result);
}

static void fail_at(const char *worker, int64_t judging, int attempt)
{
    WorkResult result = end_of(worker, judging, attempt);
    result.outcome = "worker_failed";
    result.why = "no compiler";
    must(finish(&result));
    queue_tick(queue);
}

static const char *last_attempt(void)
{
    return asked(
        "SELECT outcome || ': ' || why FROM attempt WHERE outcome IS NOT NULL ORDER BY judging DESC, n DESC LIMIT 1");
}

static const char *state_of(int64_t judging)
{
    return asked(arena_printf(&arena, "SELECT state || attempt FROM judging WHERE id = %lld", (long long)judging));
}

static void pass(double seconds)
{
    passed_over_s += seconds;
    queue_tick(queue);
}

/* ---- giving ------------------------------------------------------------------------------------------------------ */

static void who_asks_gets_what_waits_and_who_waits_what_comes(void **state)
{
    handed_in(admitted("ada").id, "a");
    ask("w");
    assert_string_equal(state_of(1), "offered1");
    assert_true(lives("w", 1, 1));
    assert_string_equal(state_of(1), "running1");
    ask("v");
    handed_in(admitted("bob").id, "b");
    queue_wake(queue);
    queue_tick(queue);
    assert_string_equal(state_of(2), "offered1");
}

static void a_result_is_recorded_once(void **state)
{
    handed_in(admitted("ada").id, "a");
    ask("w");
    const WorkResult result = end_of("w", 1, 1);
    must(finish(&result));
    assert_string_equal(outcome, "recorded");
    assert_string_equal(state_of(1), "recorded1");
    must(finish(&result));
    assert_string_equal(outcome, "recorded");
    assert_string_equal(asked("SELECT verdict || ' ' || device_s || ' ' || count(*) FROM judging"),
                        "Wrong Answer 2.0 1");
}

static void a_pilot_gets_nothing_that_may_not_fit(void **state)
{
    handed_in(admitted("ada").id, "a");
    ask_as(0, "short", 1);
    assert_string_equal(state_of(1), "queued0");
    ask_as(0, "long", 1e6);
    assert_string_equal(state_of(1), "offered1");
}

static void a_source_that_is_lost_is_no_fault_of_its_author(void **state)
{
    handed_in(admitted("ada").id, "a");
    must(database_run(store, "DROP TRIGGER sources_are_never_deleted", &why));
    must(database_run(store, "DELETE FROM sources", &why));
    ask("w");
    assert_string_equal(last_attempt(), "worker_failed: the store has lost the source");
}

/* ---- leases ------------------------------------------------------------------------------------------------------ */

static void a_worker_that_lives_may_not_judge_for_ever(void **state)
{
    handed_in(admitted("ada").id, "a");
    ask("w");
    assert_true(lives("w", 1, 1));
    passed_over_s = 1e6;
    assert_true(lives("w", 1, 1));
    pass(1);
    assert_string_equal(last_attempt(), "lost: it took longer than all limits of the problem together");
    assert_false(lives("w", 1, 1));
}

static void a_worker_that_falls_silent_loses_its_job_and_its_late_result(void **state)
{
    handed_in(admitted("ada").id, "a");
    ask("w");
    assert_true(lives("w", 1, 1));
    pass(9);
    assert_string_equal(state_of(1), "running1");
    const WorkResult late = end_of("w", 1, 1);
    pass(2);
    assert_string_equal(last_attempt(), "lost: the worker has not shown a sign of life");
    ask("v");
    assert_string_equal(state_of(1), "offered2");
    must(finish(&late));
    assert_string_equal(outcome, "late");
    assert_string_equal(state_of(1), "offered2");
    assert_string_equal(asked("SELECT outcome FROM attempt WHERE n = 1"), "late");
}

static void a_job_that_its_worker_never_began_goes_back_without_a_failure(void **state)
{
    handed_in(admitted("ada").id, "a");
    ask("w");
    pass(11);
    assert_string_equal(last_attempt(), "given_back: the worker did not begin it");
    assert_string_equal(asked("SELECT state || failures FROM judging"), "queued0");
}

static void what_a_worker_had_when_it_asks_anew_is_lost(void **state)
{
    handed_in(admitted("ada").id, "a");
    ask("w");
    assert_true(lives("w", 1, 1));
    ask("w");
    assert_string_equal(last_attempt(), "worker_failed: the worker was restarted");
}

static void after_a_restart_of_the_server_a_worker_goes_on(void **state)
{
    handed_in(admitted("ada").id, "a");
    ask("w");
    assert_true(lives("w", 1, 1));
    restart();
    assert_true(lives("w", 1, 1));
    const WorkResult result = end_of("w", 1, 1);
    must(finish(&result));
    assert_string_equal(state_of(1), "recorded1");
}

static void that_a_server_took_its_workers_along_is_nobodys_failure(void **state)
{
    handed_in(admitted("ada").id, "a");
    ask("w");
    assert_true(lives("w", 1, 1));
    restart();
    ask("w");
    assert_string_equal(asked("SELECT outcome || failures FROM attempt JOIN judging ON id = judging WHERE n = 1"),
                        "given_back0");
    handed_in(admitted("bob").id, "b");
    restart();
    pass(11);
    assert_string_equal(asked("SELECT count(*) FROM judging WHERE state = 'queued'"), "2");
}

static void what_no_worker_can_have_goes_back_when_the_server_starts(void **state)
{
    int64_t attempt;
    handed_in(admitted("ada").id, "a");
    must(judgings_offer(store, 1, NULL, &attempt, &why));
    restart();
    assert_string_equal(last_attempt(), "given_back: no worker has it");
}

/* ---- failures ---------------------------------------------------------------------------------------------------- */

static void what_failed_at_a_worker_is_left_to_others_for_a_while(void **state)
{
    handed_in(admitted("ada").id, "a");
    ask("w");
    fail_at("w", 1, 1);
    ask("w");
    assert_string_equal(state_of(1), "queued1");
    ask("v");
    assert_string_equal(state_of(1), "offered2");
}

static void where_there_are_no_others_it_is_tried_again(void **state)
{
    handed_in(admitted("ada").id, "a");
    ask("w");
    fail_at("w", 1, 1);
    ask("w");
    assert_string_equal(state_of(1), "queued1");
    pass(4);
    assert_string_equal(state_of(1), "offered2");
}

static void the_second_failure_is_held_for_a_person(void **state)
{
    handed_in(admitted("ada").id, "a");
    ask("w");
    fail_at("w", 1, 1);
    ask("v");
    fail_at("v", 1, 2);
    assert_string_equal(state_of(1), "held2");
}

static void a_worker_that_fails_at_two_submissions_gets_no_more_work(void **state)
{
    handed_in(admitted("ada").id, "a");
    handed_in(admitted("bob").id, "b");
    ask("w");
    fail_at("w", 1, 1);
    ask("w");
    fail_at("w", 2, 1);
    assert_string_equal(asked("SELECT worker FROM drained"), "w");
    pass(4);
    ask("w");
    assert_string_equal(asked("SELECT count(*) FROM judging WHERE state = 'queued'"), "2");
    must(worker_undrain(store, "w", &why));
    pass(1);
    assert_string_equal(asked("SELECT count(*) FROM judging WHERE state = 'queued'"), "1");
}

static void expect_refused(WorkResult result, const char *words)
{
    const int attempt = result.id.attempt;
    assert_int_equal(finish(&result), STATUS_BAD_INPUT);
    if (strstr(why.text, words) == NULL)
        fail_test("%s", why.text);
    const char *said = asked(arena_printf(&arena, "SELECT outcome || why FROM attempt WHERE n = %d", attempt));
    if (strstr(said, words) == NULL)
        fail_test("%s", said);
    must(database_run(store, "UPDATE judging SET state = 'queued', failures = 0; DELETE FROM drained", &why));
    pass(4);
    ask("w");
}

static void a_result_that_cannot_be_is_a_failure_of_the_worker(void **state)
{
    int attempt = 0;
    handed_in(admitted("ada").id, "a");
    ask("w");
    WorkResult result = end_of("w", 1, ++attempt);
    result.source_hash = "another";
    expect_refused(result, "the result is of another source");
    result = end_of("w", 1, ++attempt);
    result.revision = "another";
    expect_refused(result, "the problem has another revision where the worker is");
    result = end_of("w", 1, ++attempt);
    result.result = "{";
    expect_refused(result, "not valid JSON");
    result = end_of("w", 1, ++attempt);
    result.result = "{\"verdict\": \"Perfect\"}";
    expect_refused(result, "expected a verdict, found Perfect");
    result = end_of("w", 1, ++attempt);
    result.result = "{\"verdict\": \"Accepted\", \"problem\": \"conv2d\"}";
    expect_refused(result, "\"problem\": expected conv1d, found conv2d");
    result = end_of("w", 1, ++attempt);
    result.explain = "<html>";
    expect_refused(result, "not valid JSON");
    result = end_of("w", 1, ++attempt);
    Run run = run_of(&result, "Accepted");
    result.run = &run;
    expect_refused(result, "the run is of another problem, revision, device or verdict than the result");
    run.verdict = "Wrong Answer";
    run.time.ms = -1;
    result.id.attempt = ++attempt;
    expect_refused(result, "the run has a time or an uncertainty below 0");
    run.time = time_made(0, 0, "lsu");
    result.id.attempt = ++attempt;
    expect_refused(result, "the run's model_terms are no list such as \"lsu 0.293, textures 0.322\"");
    run.time = (MeasuredTime){0};
    run.cases = "{}";
    result.id.attempt = ++attempt;
    expect_refused(result, "the run's cases are no list");
    run.cases = "[]";
    run.sitting = "none";
    result.id.attempt = ++attempt;
    expect_refused(result, "the run's sitting:1: not valid JSON");
    result = end_of("w", 1, ++attempt);
    result.case_verdicts = "none";
    expect_refused(result, "the verdicts of all cases:1: not valid JSON");
    result = end_of("w", 1, ++attempt);
    result.outcome = "excellent";
    expect_refused(result, "expected \"judged\"");
    assert_string_equal(asked("SELECT count(*) FROM runs"), "0");
}

static Text heard;

static void hear(void *context, const QueueNews *news)
{
    text_printf(&heard, "%s: %lld of %s, %s, %s: %s\n", news->event, (long long)news->submission, news->person,
                news->problem, news->mode, news->what);
}

static void webhooks_learn_what_is_judged_ranks_and_is_held(void **state)
{
    queue_stop(queue);
    must(queue_start(&(QueueOptions){.state = folder, .lease_s = 10, .tell = hear}, store, &queue, &why));
    handed_in(admitted("ada").id, "a");
    ask("w");
    WorkResult result = end_of("w", 1, 1);
    const Run run = run_of(&result, "Wrong Answer");
    result.run = &run;
    must(finish(&result));
    must(finish(&result)); /* again, since the answer was lost: no news */
    handed_in(admitted("bob").id, "b");
    ask("w");
    fail_at("w", 2, 1);
    ask("v");
    fail_at("v", 2, 2);
    assert_string_equal(heard.data, "judged: 1 of ada, conv1d, rank: Wrong Answer\n"
                                    "board: 1 of ada, conv1d, rank: Wrong Answer\n"
                                    "held: 2 of bob, conv1d, rank: no compiler\n");
    text_free(&heard);
}

/* ---- who speaks -------------------------------------------------------------------------------------------------- */

static void nobody_speaks_for_the_attempt_of_another(void **state)
{
    bool goes_on;
    EventStream *stream;
    handed_in(admitted("ada").id, "a");
    ask_as(5, "w", 0);
    const WorkProgress progress = {.id = {1, 1}, .worker = "w", .step = ""};
    must(queue_note_alive(queue, 6, &progress, &goes_on, &why));
    assert_false(goes_on);
    WorkResult result = end_of("w", 1, 1);
    assert_int_equal(finish_as(6, &result), STATUS_NOT_FOUND);
    assert_string_equal(why.text, "the worker w belongs to another account");
    result.worker = "v";
    assert_int_equal(finish_as(6, &result), STATUS_NOT_FOUND);
    assert_string_equal(why.text, "attempt 1-1 was not given to v");
    const WorkClaim claim = {.worker = "w", .device = "", .device_name = ""};
    assert_int_equal(queue_claim(queue, 6, &claim, &stream, &why), STATUS_BUSY);
    assert_string_equal(why.text, "another worker is called w, expected another name");
    assert_string_equal(state_of(1), "offered1");
    must(queue_note_alive(queue, 5, &progress, &goes_on, &why));
    assert_true(goes_on);
}

/* ---- what others see --------------------------------------------------------------------------------------------- */

static void workers_are_seen_while_they_are_there(void **state)
{
    IdleWorker *idle;
    QueueProgress progress;
    size_t count;
    ask("w");
    queue_idle_workers(queue, &arena, &idle, &count);
    assert_int_equal(count, 1);
    assert_string_equal(idle[0].device, "sim-h200");
    handed_in(admitted("ada").id, "a");
    queue_wake(queue);
    queue_tick(queue);
    assert_true(lives("w", 1, 1));
    assert_true(queue_progress(queue, 1, &progress));
    assert_string_equal(progress.step, "hidden cases");
    queue_idle_workers(queue, &arena, &idle, &count);
    assert_int_equal(count, 0);
    assert_false(queue_lacks_workers(queue));
    pass(11);
    pass(11);
    assert_true(queue_lacks_workers(queue));
}

#define test_of_queue(function) cmocka_unit_test_setup_teardown(function, new_queue, remove_queue)

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_of_queue(who_asks_gets_what_waits_and_who_waits_what_comes),
        test_of_queue(a_result_is_recorded_once),
        test_of_queue(a_pilot_gets_nothing_that_may_not_fit),
        test_of_queue(a_source_that_is_lost_is_no_fault_of_its_author),
        test_of_queue(a_worker_that_lives_may_not_judge_for_ever),
        test_of_queue(a_worker_that_falls_silent_loses_its_job_and_its_late_result),
        test_of_queue(a_job_that_its_worker_never_began_goes_back_without_a_failure),
        test_of_queue(what_a_worker_had_when_it_asks_anew_is_lost),
        test_of_queue(after_a_restart_of_the_server_a_worker_goes_on),
        test_of_queue(that_a_server_took_its_workers_along_is_nobodys_failure),
        test_of_queue(what_no_worker_can_have_goes_back_when_the_server_starts),
        test_of_queue(what_failed_at_a_worker_is_left_to_others_for_a_while),
        test_of_queue(where_there_are_no_others_it_is_tried_again),
        test_of_queue(the_second_failure_is_held_for_a_person),
        test_of_queue(a_worker_that_fails_at_two_submissions_gets_no_more_work),
        test_of_queue(a_result_that_cannot_be_is_a_failure_of_the_worker),
        test_of_queue(webhooks_learn_what_is_judged_ranks_and_is_held),
        test_of_queue(nobody_speaks_for_the_attempt_of_another),
        test_of_queue(workers_are_seen_while_they_are_there),
    };
    return cmocka_run_group_tests_name("queue", tests, NULL, NULL);
}
