#include "base/tests/unit.h"

#include "service/store/work.h"

#include "base/hash.h"

#include <string.h>

static Arena arena;
static Message why;

static int forget_all(void **state)
{
    arena_free(&arena);
    return 0;
}

static void names_of_workers_are_plain(void **state)
{
    char longest[WORKER_NAME_BYTES + 2] = {0};
    memset(longest, 'a', WORKER_NAME_BYTES);
    assert_true(worker_name_is_valid("node3-cuda_1"));
    assert_true(worker_name_is_valid(longest));
    longest[WORKER_NAME_BYTES] = 'a';
    assert_false(worker_name_is_valid(longest));
    assert_false(worker_name_is_valid(""));
    assert_false(worker_name_is_valid("a.b"));
    assert_false(worker_name_is_valid("../x"));
}

/* What a reader on the other side gets; takes the object. */
static JsonFile sent(cJSON *object)
{
    JsonFile file;
    Text text = {0};
    json_print(object, &text);
    assert_int_equal(json_parse("message", text.data, text.length, &file, &why), STATUS_OK);
    text_free(&text);
    cJSON_Delete(object);
    return file;
}

static WorkJob made_job(void)
{
    static Digest hash;
    static const char source[] = "// Zo\xC3\xAB\n";
    hash = hash_of_one(source, strlen(source));
    return (WorkJob){.id = {7, 2},
                     .mode = "rank",
                     .problem = "conv1d",
                     .revision = "abc",
                     .source_hash = hash.hex,
                     .source = source,
                     .file_name = "x.cu",
                     .person = "ada",
                     .time_limit_s = 0.1 + 0.2};
}

static void a_job_arrives_as_it_was_sent(void **state)
{
    WorkJob job = made_job(), read;
    job.cases = "all";
    JsonFile file = sent(work_job_json(&job));
    assert_int_equal(work_read_job(&file, file.root, &arena, &read, &why), STATUS_OK);
    json_free(&file);
    assert_int_equal(read.id.judging, 7);
    assert_int_equal(read.id.attempt, 2);
    assert_string_equal(read.mode, "rank");
    assert_string_equal(read.source, job.source);
    assert_string_equal(read.source_hash, job.source_hash);
    assert_string_equal(read.person, "ada");
    assert_string_equal(read.cases, "all");
    assert_null(read.sizes);
    assert_null(read.edition);
    assert_true(read.time_limit_s == 0.1 + 0.2);
}

static void expect_refused_job(const WorkJob *job, const char *words)
{
    WorkJob read;
    JsonFile file = sent(work_job_json(job));
    assert_int_equal(work_read_job(&file, file.root, &arena, &read, &why), STATUS_BAD_INPUT);
    json_free(&file);
    if (strstr(why.text, words) == NULL)
        fail_test("%s", why.text);
}

static void a_job_that_cannot_be_is_refused(void **state)
{
    WorkJob job = made_job();
    job.mode = "score";
    expect_refused_job(&job, "expected \"rank\", \"test\" or \"try\"");
    job = made_job();
    job.sizes = "input_size=9";
    expect_refused_job(&job, "only with the mode \"try\"");
    job = made_job();
    job.cases = "some";
    expect_refused_job(&job, "expected \"all\"");
    job = made_job();
    job.edition = "../../home";
    expect_refused_job(&job, "expected 64 hexadecimal digits");
    job = made_job();
    job.source = "another";
    expect_refused_job(&job, "not the hash of \"source\"");
    job = made_job();
    job.time_limit_s = 0;
    expect_refused_job(&job, "expected more than 0");
}

static void what_a_worker_asks_and_says_arrives(void **state)
{
    const WorkClaim claim = {
        .worker = "w", .device = "h200", .device_name = "NVIDIA H200", .wait_s = 20, .most_s = 0.5};
    const WorkProgress progress = {.id = {3, 1}, .worker = "w", .step = "timed cases", .done = 1, .total = 3};
    WorkClaim read;
    WorkProgress told;
    JsonFile file = sent(work_claim_json(&claim));
    assert_int_equal(work_read_claim(&file, &arena, &read, &why), STATUS_OK);
    json_free(&file);
    assert_string_equal(read.device_name, "NVIDIA H200");
    assert_true(read.wait_s == 20 && read.most_s == 0.5);
    file = sent(work_progress_json(&progress));
    assert_int_equal(work_read_progress(&file, &arena, &told, &why), STATUS_OK);
    json_free(&file);
    assert_string_equal(told.step, "timed cases");
    assert_int_equal(told.id.judging, 3);
    assert_int_equal(told.total, 3);
}

static void a_worker_has_a_name_and_waits_for_a_while_only(void **state)
{
    WorkClaim claim = {.worker = "a b", .device = "", .device_name = ""}, read;
    JsonFile file = sent(work_claim_json(&claim));
    assert_int_equal(work_read_claim(&file, &arena, &read, &why), STATUS_BAD_INPUT);
    assert_non_null(strstr(why.text, "letters, digits"));
    json_free(&file);
    claim.worker = "w";
    claim.wait_s = WORK_MOST_WAIT_S + 1;
    file = sent(work_claim_json(&claim));
    assert_int_equal(work_read_claim(&file, &arena, &read, &why), STATUS_BAD_INPUT);
    assert_non_null(strstr(why.text, "expected a number from 0 to 60"));
    json_free(&file);
    claim.wait_s = 0;
    claim.most_s = -1;
    file = sent(work_claim_json(&claim));
    assert_int_equal(work_read_claim(&file, &arena, &read, &why), STATUS_BAD_INPUT);
    assert_non_null(strstr(why.text, "expected a number from 0 to 1"));
    json_free(&file);
}

static const Run run = {.board = {"conv1d", "abc", "sim-h200", 4},
                        .time_utc = "2026-01-31T12:00:00Z",
                        .person = "ada",
                        .device_name = "H200",
                        .driver = "none",
                        .toolkit = "nvcc",
                        .judge = "1",
                        .sandbox = "full",
                        .verdict = "Accepted",
                        .rank_status = "ranked",
                        .time = {0.051600000000000007, 1.0 / 3},
                        .source_hash = "hash",
                        .file_name = "x.cu",
                        .cases = "[]"};

static WorkResult made_result(void)
{
    return (WorkResult){.id = {12, 1},
                        .source_hash = "hash",
                        .revision = "abc",
                        .worker = "w",
                        .device = "sim-h200",
                        .device_name = "H200",
                        .outcome = "judged",
                        .why = "",
                        .result = "{}\n",
                        .report = "Zo\xC3\xAB \"quoted\"\n",
                        .explain = "",
                        .run = &run};
}

static void a_result_arrives_as_it_was_reported(void **state)
{
    const WorkResult result = made_result();
    WorkResult read;
    JsonFile file = sent(work_result_json(&result));
    assert_int_equal(work_read_result(&file, &arena, &read, &why), STATUS_OK);
    json_free(&file);
    assert_int_equal(read.id.judging, 12);
    assert_string_equal(read.worker, "w");
    assert_string_equal(read.report, result.report);
    assert_string_equal(read.run->board.problem, "conv1d");
    assert_int_equal(read.run->board.epoch, 4);
    assert_true(read.run->time.ms == run.time.ms && read.run->time.uncertainty == run.time.uncertainty);
    assert_null(read.run->machine_code);
    assert_null(read.run->source);
    assert_null(read.case_verdicts);
}

static void a_result_is_of_a_known_kind_and_nothing_more(void **state)
{
    WorkResult result = made_result(), read;
    result.outcome = "lost";
    JsonFile file = sent(work_result_json(&result));
    assert_int_equal(work_read_result(&file, &arena, &read, &why), STATUS_BAD_INPUT);
    assert_non_null(strstr(why.text, "expected \"judged\", \"worker_failed\" or \"given_back\""));
    json_free(&file);
    result.outcome = "judged";
    cJSON *object = work_result_json(&result);
    cJSON_AddStringToObject(object, "rank", "1");
    file = sent(object);
    assert_int_equal(work_read_result(&file, &arena, &read, &why), STATUS_BAD_INPUT);
    json_free(&file);
    object = work_result_json(&result);
    cJSON_DeleteItemFromObject(json_get(object, "run") == NULL ? object : cJSON_GetObjectItem(object, "run"),
                               "verdict");
    file = sent(object);
    assert_int_equal(work_read_result(&file, &arena, &read, &why), STATUS_BAD_INPUT);
    assert_non_null(strstr(why.text, "the key \"verdict\" is missing"));
    json_free(&file);
}

static void a_run_is_kept_by_itself(void **state)
{
    Run read;
    Text text = {0};
    work_write_run(&run, &text);
    assert_int_equal(work_parse_run("run", text.data, &arena, &read, &why), STATUS_OK);
    assert_string_equal(read.verdict, "Accepted");
    assert_true(read.time.ms == run.time.ms);
    text_free(&text);
    assert_int_equal(work_parse_run("run", "{", &arena, &read, &why), STATUS_BAD_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_workers_are_plain),
        cmocka_unit_test(a_job_arrives_as_it_was_sent),
        cmocka_unit_test(a_job_that_cannot_be_is_refused),
        cmocka_unit_test(what_a_worker_asks_and_says_arrives),
        cmocka_unit_test(a_worker_has_a_name_and_waits_for_a_while_only),
        cmocka_unit_test(a_result_arrives_as_it_was_reported),
        cmocka_unit_test(a_result_is_of_a_known_kind_and_nothing_more),
        cmocka_unit_test(a_run_is_kept_by_itself),
    };
    return cmocka_run_group_tests_name("work", tests, NULL, forget_all);
}
