#include "base/tests/refusal.h"

#include "service/store/spool.h"

#include "base/hash.h"
#include "base/text.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/test_spool.XXXXXX";
static const char *const spool = "spool";

static int enter_folder(void **state)
{
    return mkdtemp(folder) != NULL && chdir(folder) == 0 ? 0 : -1;
}

static int leave_folder(void **state)
{
    return chdir("/") == 0 && rmdir(folder) == 0 ? 0 : -1;
}

static int make_spool(void **state)
{
    Message why;
    return spool_make(spool, &why) == STATUS_OK ? 0 : -1;
}

static int remove_spool(void **state)
{
    return system("rm -r spool");
}

static bool exists(const char *path)
{
    return access(path, F_OK) == 0;
}

static void write_file(const char *path, const char *contents)
{
    Text text = {0};
    Message why;
    text_add(&text, contents);
    assert_int_equal(text_write_file(path, &text, &why), STATUS_OK);
    text_free(&text);
}

static SpoolJob job_of(int64_t judging, int attempt, double priority)
{
    static Digest digest;
    const char *source = "int \"x\";\n\t\\ Zo\xC3\xAB \x01";
    digest = hash_of_one(source, strlen(source));
    return (SpoolJob){
        .id = {judging, attempt},
        .mode = "rank",
        .problem = "conv1d",
        .revision = "abc",
        .source_hash = digest.hex,
        .source = source,
        .file_name = "x.cu",
        .person = "ada",
        .device = "sim-h200",
        .priority = priority,
        .time_limit_s = 600,
    };
}

static void offer(int64_t judging, int attempt, double priority)
{
    const SpoolJob job = job_of(judging, attempt, priority);
    Message why;
    assert_int_equal(spool_offer(spool, &job, &why), STATUS_OK);
}

static bool claim(SpoolId id, const char *worker)
{
    bool claimed;
    Message why;
    assert_int_equal(spool_claim(spool, id, worker, &claimed, &why), STATUS_OK);
    return claimed;
}

static SpoolDone done_of(SpoolId id, const char *worker)
{
    return (SpoolDone){.id = id,
                       .source_hash = "hash",
                       .revision = "abc",
                       .worker = worker,
                       .device = "sim-h200",
                       .device_name = "H200 (simulated)",
                       .outcome = "judged",
                       .why = "",
                       .result = "{}\n",
                       .report = "Accepted\n",
                       .explain = ""};
}

/* How many jobs lie ready; each id as 100 judging + attempt, in their order. */
static size_t ready_ids(int ids[8])
{
    Arena arena = {0};
    SpoolJob *jobs;
    size_t count;
    Message why;
    assert_int_equal(spool_list_ready(spool, &arena, &jobs, &count, &why), STATUS_OK);
    for (size_t i = 0; i < count && i < 8; i++)
        ids[i] = (int)(100 * jobs[i].id.judging + jobs[i].id.attempt);
    arena_free(&arena);
    return count;
}

static size_t claim_count(void)
{
    Arena arena = {0};
    SpoolClaim *claims;
    size_t count;
    Message why;
    assert_int_equal(spool_list_claims(spool, &arena, &claims, &count, &why), STATUS_OK);
    arena_free(&arena);
    return count;
}

/* ---- the folder -------------------------------------------------------------------------------------------------- */

static void a_spool_is_made_for_its_owner_alone(void **state)
{
    struct stat info;
    Message why;
    assert_int_equal(spool_make(spool, &why), STATUS_OK);
    assert_int_equal(spool_make(spool, &why), STATUS_OK);
    assert_int_equal(stat("spool/ready", &info), 0);
    assert_int_equal(info.st_mode & 0777, 0700);
}

static void a_spool_that_others_may_enter_is_refused(void **state)
{
    Message why;
    assert_int_equal(chmod("spool/done", 0750), 0);
    assert_int_equal(spool_make(spool, &why), STATUS_BAD_INPUT);
    assert_string_equal(why.text, "spool/done: others may enter this folder (mode 750), expected mode 700");
}

static void a_file_is_no_spool(void **state)
{
    Message why;
    write_file("spool/file", "");
    assert_int_equal(spool_make("spool/file", &why), STATUS_BAD_INPUT);
    assert_string_equal(why.text, "spool/file: expected a folder");
    assert_int_equal(spool_make("none/spool", &why), STATUS_SYSTEM);
    assert_string_equal(why.text, "none/spool: this folder cannot be made: No such file or directory");
    char longer[3000];
    memset(longer, 'x', sizeof longer);
    longer[sizeof longer - 1] = '\0';
    assert_int_equal(spool_make(longer, &why), STATUS_BAD_INPUT);
}

static void a_spool_of_another_user_is_refused(void **state)
{
    Message why;
    if (geteuid() != 0)
        skip();
    assert_int_equal(chown("spool/beat", 1234, 1234), 0);
    assert_int_equal(spool_make(spool, &why), STATUS_BAD_INPUT);
    assert_string_equal(why.text, "spool/beat: this folder belongs to the user 1234, expected 0, who runs this");
}

static void names_of_workers_are_plain(void **state)
{
    char longest[SPOOL_WORKER_BYTES + 2];
    memset(longest, 'w', sizeof longest);
    longest[SPOOL_WORKER_BYTES + 1] = '\0';
    assert_false(spool_worker_is_valid(longest));
    assert_true(spool_worker_is_valid(longest + 1));
    assert_true(spool_worker_is_valid("gpu-node_3"));
    assert_false(spool_worker_is_valid(""));
    assert_false(spool_worker_is_valid("a.b"));
    assert_false(spool_worker_is_valid("../x"));
}

/* ---- jobs -------------------------------------------------------------------------------------------------------- */

static void a_job_is_read_as_it_was_offered(void **state)
{
    Arena arena = {0};
    Message why;
    SpoolJob *jobs, job = job_of(7, 2, 0.1 + 0.2);
    size_t count;
    job.mode = "try";
    job.sizes = "input_size=9";
    assert_int_equal(spool_offer(spool, &job, &why), STATUS_OK);
    assert_int_equal(spool_list_ready(spool, &arena, &jobs, &count, &why), STATUS_OK);
    assert_int_equal(count, 1);
    assert_int_equal(jobs[0].id.judging, 7);
    assert_int_equal(jobs[0].id.attempt, 2);
    assert_string_equal(jobs[0].mode, "try");
    assert_string_equal(jobs[0].problem, "conv1d");
    assert_string_equal(jobs[0].revision, "abc");
    assert_string_equal(jobs[0].source_hash, job.source_hash);
    assert_string_equal(jobs[0].source, job.source);
    assert_string_equal(jobs[0].file_name, "x.cu");
    assert_string_equal(jobs[0].person, "ada");
    assert_string_equal(jobs[0].sizes, "input_size=9");
    assert_string_equal(jobs[0].device, "sim-h200");
    assert_true(jobs[0].priority == 0.1 + 0.2);
    assert_true(jobs[0].time_limit_s == 600);
    assert_null(jobs[0].damage);
    arena_free(&arena);
}

static void the_lowest_priority_number_comes_first(void **state)
{
    int ids[8];
    offer(1, 1, 5);
    offer(3, 2, -1.5);
    offer(2, 1, 5);
    offer(2, 2, 5);
    offer(10, 1, 2);
    assert_int_equal(ready_ids(ids), 5);
    const int expected[] = {302, 1001, 101, 201, 202};
    assert_memory_equal(ids, expected, sizeof expected);
}

static void files_with_other_names_are_ignored(void **state)
{
    const char *names[] = {"x",
                           "1-1",
                           "1-1.jsonx",
                           "01-1.json",
                           "1-01.json",
                           "0-1.json",
                           "-1-1.json",
                           "1-0.json",
                           "1--1.json",
                           "1-1.json.tmp",
                           "99999999999999999999-1.json",
                           "1-9999999999.json",
                           " 1-1.json"};
    int ids[8];
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        char path[100];
        snprintf(path, sizeof path, "spool/ready/%s", names[i]);
        write_file(path, "{}");
    }
    write_file("spool/claimed/1-1.a b", "");
    assert_int_equal(ready_ids(ids), 0);
    assert_int_equal(claim_count(), 0);
}

static void an_offer_is_withdrawn_unless_it_is_taken(void **state)
{
    const SpoolId id = {4, 1}, other = {5, 1};
    bool withdrawn;
    Message why;
    offer(4, 1, 1);
    offer(5, 1, 1);
    assert_int_equal(spool_withdraw(spool, id, &withdrawn, &why), STATUS_OK);
    assert_true(withdrawn);
    assert_false(claim(id, "w"));
    assert_true(claim(other, "w"));
    assert_int_equal(spool_withdraw(spool, other, &withdrawn, &why), STATUS_OK);
    assert_false(withdrawn);
}

static void a_job_is_claimed_once(void **state)
{
    const SpoolId id = {4, 1};
    offer(4, 1, 1);
    assert_true(claim(id, "w1"));
    assert_false(claim(id, "w2"));
    assert_true(exists("spool/claimed/4-1.w1"));
    /* The file system reports a failure of the first worker's rename, which it has carried out. */
    assert_true(claim(id, "w1"));
}

static void damaged_jobs_come_first_and_say_what_is_wrong(void **state)
{
    const struct {
        const char *from, *to, *damage;
    } rows[] = {
        {"{", "[", "not valid JSON"},
        {"\"mode\":\t\"rank\"", "\"mode\":\t\"judge\"", "mode: expected \"rank\", \"test\" or \"try\""},
        {"\"mode\":\t\"rank\"", "\"mode\":\t\"rank\", \"sizes\": \"n=1\"", "sizes: only with the mode \"try\""},
        {"\"mode\":\t\"rank\"", "\"mode\":\t\"rank\", \"cases\": \"some\"",
         "cases: expected \"all\", and not with the mode \"try\""},
        {"\"mode\":\t\"rank\"", "\"mode\":\t\"try\", \"cases\": \"all\"",
         "cases: expected \"all\", and not with the mode \"try\""},
        {"\"mode\":\t\"rank\"", "\"mode\":\t\"rank\", \"edition\": \"../x\"",
         "edition: expected 64 hexadecimal digits"},
        {"\"judging\":\t8", "\"judging\":\t9", "holds 9-1"},
        {"\"attempt\":\t1", "\"attempt\":\t3", "holds 8-3"},
        {"\"attempt\":\t1", "\"attempt\":\t1.5", "attempt: expected a whole number from 0 to 1000000000"},
        {"\"format\":\t1", "\"format\":\t2", "format: expected a whole number from 1 to 1"},
        {"int ", "long ", "source_hash: not the hash of \"source\""},
        {"\"time_limit_s\":\t6e+02", "\"time_limit_s\":\t0", "time_limit_s: expected more than 0"},
        {"\"person\"", "\"persons\"", "persons: unknown key"},
    };
    Text good = {0};
    Message why;
    offer(8, 1, 1);
    assert_int_equal(text_read_file("spool/ready/8-1.json", 10000, &good, &why), STATUS_OK);
    offer(1, 1, -5);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Arena arena = {0};
        Text text = {0};
        SpoolJob *jobs;
        size_t count;
        char *at = strstr(good.data, rows[i].from);
        if (at == NULL)
            fail_test("%s: not in %s", rows[i].from, good.data);
        text_append(&text, good.data, (size_t)(at - good.data));
        text_add(&text, rows[i].to);
        text_add(&text, at + strlen(rows[i].from));
        write_file("spool/ready/8-1.json", text.data);
        assert_int_equal(spool_list_ready(spool, &arena, &jobs, &count, &why), STATUS_OK);
        assert_int_equal(count, 2);
        assert_int_equal(jobs[0].id.judging, 8);
        assert_non_null(jobs[0].damage);
        if (strstr(jobs[0].damage, rows[i].damage) == NULL)
            fail_test("%s: expected %s", jobs[0].damage, rows[i].damage);
        text_free(&text);
        arena_free(&arena);
    }
    text_free(&good);
}

static void a_damaged_job_is_kept_for_a_person(void **state)
{
    const SpoolClaim taken = {.id = {8, 1}, .worker = "w"};
    Arena arena = {0};
    SpoolJob job;
    Message why;
    write_file("spool/ready/8-1.json", "{");
    assert_true(claim(taken.id, "w"));
    assert_int_equal(spool_read_claimed(spool, &taken, &arena, &job, &why), STATUS_OK);
    assert_non_null(job.damage);
    assert_int_equal(spool_set_aside(spool, &taken, &why), STATUS_OK);
    assert_int_equal(spool_set_aside(spool, &taken, &why), STATUS_OK); /* again, after a crash */
    spool_release(spool, &taken);
    assert_int_equal(claim_count(), 0);
    assert_true(exists("spool/damaged/8-1.w"));
    assert_int_equal(spool_set_aside(spool, &(SpoolClaim){.id = {9, 1}, .worker = "w"}, &why), STATUS_SYSTEM);
    assert_string_equal(why.text, "spool/claimed/9-1.w: cannot be moved aside: No such file or directory");
    assert_int_equal(spool_read_claimed(spool, &taken, &arena, &job, &why), STATUS_NOT_FOUND);
    arena_free(&arena);
}

/* ---- claims ------------------------------------------------------------------------------------------------------ */

static void a_beat_is_seen_with_its_claim(void **state)
{
    SpoolClaim beat = {.id = {4, 2}, .worker = "w", .count = 17, .step = "timed cases", .done = 1, .total = 3};
    Arena arena = {0};
    SpoolClaim *claims;
    size_t count;
    Message why;
    offer(4, 2, 1);
    assert_true(claim(beat.id, "w"));
    assert_int_equal(spool_list_claims(spool, &arena, &claims, &count, &why), STATUS_OK);
    assert_int_equal(claims[0].count, 0);
    assert_string_equal(claims[0].step, "");
    assert_int_equal(spool_beat(spool, &beat, &why), STATUS_OK);
    assert_int_equal(spool_list_claims(spool, &arena, &claims, &count, &why), STATUS_OK);
    assert_int_equal(count, 1);
    assert_int_equal(claims[0].id.judging, 4);
    assert_int_equal(claims[0].id.attempt, 2);
    assert_string_equal(claims[0].worker, "w");
    assert_int_equal(claims[0].count, 17);
    assert_string_equal(claims[0].step, "timed cases");
    assert_int_equal(claims[0].done, 1);
    assert_int_equal(claims[0].total, 3);
    write_file("spool/beat/4-2.w", "{\"count\": 18,");
    assert_int_equal(spool_list_claims(spool, &arena, &claims, &count, &why), STATUS_OK);
    assert_int_equal(claims[0].count, 0);
    arena_free(&arena);
}

static void a_worker_sees_that_its_claim_is_forgotten(void **state)
{
    const SpoolClaim taken = {.id = {4, 1}, .worker = "w", .step = ""};
    Message why;
    offer(4, 1, 1);
    assert_true(claim(taken.id, "w"));
    assert_int_equal(spool_beat(spool, &taken, &why), STATUS_OK);
    assert_true(spool_is_claimed(spool, &taken));
    assert_int_equal(spool_forget(spool, taken.id, &why), STATUS_OK);
    assert_false(spool_is_claimed(spool, &taken));
    assert_false(exists("spool/beat/4-1.w"));
    assert_int_equal(spool_forget(spool, taken.id, &why), STATUS_OK);
}

static void only_the_files_of_one_attempt_are_forgotten(void **state)
{
    const SpoolId other = {4, 2};
    Message why;
    int ids[8];
    offer(4, 1, 1);
    offer(4, 2, 1);
    offer(5, 1, 1);
    assert_true(claim(other, "w"));
    assert_int_equal(spool_forget(spool, (SpoolId){4, 1}, &why), STATUS_OK);
    assert_int_equal(ready_ids(ids), 1);
    assert_int_equal(ids[0], 501);
    assert_int_equal(claim_count(), 1);
}

static void a_worker_can_be_held(void **state)
{
    Message why;
    assert_false(spool_is_held(spool, "w"));
    assert_int_equal(spool_hold(spool, "w", true, &why), STATUS_OK);
    assert_int_equal(spool_hold(spool, "w", true, &why), STATUS_OK);
    assert_true(spool_is_held(spool, "w"));
    assert_false(spool_is_held(spool, "w2"));
    assert_int_equal(spool_hold(spool, "w", false, &why), STATUS_OK);
    assert_int_equal(spool_hold(spool, "w", false, &why), STATUS_OK);
    assert_false(spool_is_held(spool, "w"));
}

/* ---- ends -------------------------------------------------------------------------------------------------------- */

static void an_end_is_read_as_it_was_reported(void **state)
{
    const Run run = {.board = {"conv1d", "abc", "sim-h200", 4},
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
    SpoolDone done = done_of((SpoolId){12, 1}, "w"), read;
    Arena arena = {0};
    SpoolId *ids;
    size_t count;
    Message why;
    done.run = &run;
    done.report = "Zo\xC3\xAB \"quoted\"\n";
    offer(12, 1, 1);
    assert_true(claim(done.id, "w"));
    assert_false(spool_is_done(spool, done.id));
    assert_int_equal(spool_finish(spool, &done, &why), STATUS_OK);
    assert_true(spool_is_done(spool, done.id));
    assert_int_equal(claim_count(), 1); /* until the head has recorded the end */
    assert_int_equal(spool_list_done(spool, &arena, &ids, &count, &why), STATUS_OK);
    assert_int_equal(count, 1);
    assert_int_equal(spool_read_done(spool, ids[0], &arena, &read, &why), STATUS_OK);
    assert_int_equal(read.id.judging, 12);
    assert_string_equal(read.worker, "w");
    assert_string_equal(read.outcome, "judged");
    assert_string_equal(read.report, done.report);
    assert_string_equal(read.result, "{}\n");
    assert_string_equal(read.run->board.problem, "conv1d");
    assert_int_equal(read.run->board.epoch, 4);
    assert_string_equal(read.run->rank_status, "ranked");
    assert_true(read.run->time.ms == run.time.ms && read.run->time.uncertainty == run.time.uncertainty);
    assert_null(read.run->machine_code);
    assert_null(read.run->sitting);
    assert_null(read.run->source);
    assert_string_equal(read.run->cases, "[]");
    assert_int_equal(spool_forget(spool, done.id, &why), STATUS_OK);
    assert_int_equal(claim_count(), 0);
    assert_int_equal(spool_read_done(spool, done.id, &arena, &read, &why), STATUS_NOT_FOUND);
    arena_free(&arena);
}

static void a_changed_end_is_moved_aside(void **state)
{
    const SpoolDone done = done_of((SpoolId){12, 1}, "w");
    Text text = {0};
    Arena arena = {0};
    SpoolDone read;
    Message why;
    assert_int_equal(spool_finish(spool, &done, &why), STATUS_OK);
    assert_int_equal(text_read_file("spool/done/12-1.json", 10000, &text, &why), STATUS_OK);
    memcpy(strstr(text.data, "Accepted"), "accepted", 8);
    write_file("spool/done/12-1.json", text.data);
    assert_int_equal(spool_read_done(spool, done.id, &arena, &read, &why), STATUS_BAD_INPUT);
    assert_string_equal(why.text, "spool/done/12-1.json: the checksum does not fit the contents");
    assert_true(exists("spool/damaged/12-1.json"));
    assert_false(spool_is_done(spool, done.id));
    write_file("spool/done/12-1.json", "{}");
    assert_int_equal(spool_read_done(spool, done.id, &arena, &read, &why), STATUS_BAD_INPUT);
    text_free(&text);
    arena_free(&arena);
}

static void an_end_is_of_a_known_kind_and_of_its_own_attempt(void **state)
{
    SpoolDone done = done_of((SpoolId){12, 1}, "w"), read;
    Arena arena = {0};
    Message why;
    done.outcome = "lost";
    assert_int_equal(spool_finish(spool, &done, &why), STATUS_OK);
    assert_int_equal(spool_read_done(spool, done.id, &arena, &read, &why), STATUS_BAD_INPUT);
    assert_non_null(strstr(why.text, "outcome: expected \"judged\", \"worker_failed\" or \"given_back\""));
    done.outcome = "judged";
    assert_int_equal(spool_finish(spool, &done, &why), STATUS_OK);
    assert_int_equal(rename("spool/done/12-1.json", "spool/done/13-1.json"), 0);
    assert_int_equal(spool_read_done(spool, (SpoolId){13, 1}, &arena, &read, &why), STATUS_BAD_INPUT);
    assert_string_equal(why.text, "spool/done/13-1.json: holds 12-1");
    arena_free(&arena);
}

static void what_killed_writers_left_is_swept(void **state)
{
    const char *gone[] = {"spool/ready/.4-1.json", "spool/done/.5-1.json", "spool/beat/.5-1.w", "spool/beat/5-1.w"};
    const char *kept[] = {"spool/done/.6-1.json", "spool/beat/.6-1.w", "spool/beat/6-1.w", "spool/ready/x"};
    Message why;
    offer(6, 1, 1);
    assert_true(claim((SpoolId){6, 1}, "w"));
    for (size_t i = 0; i < COUNT_OF(gone); i++)
        write_file(gone[i], "{");
    for (size_t i = 0; i < COUNT_OF(kept); i++)
        write_file(kept[i], "{");
    assert_int_equal(spool_sweep(spool, &why), STATUS_OK);
    for (size_t i = 0; i < COUNT_OF(gone); i++)
        assert_false(exists(gone[i]));
    for (size_t i = 0; i < COUNT_OF(kept); i++)
        assert_true(exists(kept[i]));
}

static void a_missing_spool_is_an_error_of_the_system(void **state)
{
    const SpoolJob job = job_of(1, 1, 1);
    Arena arena = {0};
    SpoolJob *jobs;
    SpoolClaim *claims;
    size_t count;
    bool flag;
    Message why;
    assert_int_equal(spool_offer("none", &job, &why), STATUS_SYSTEM);
    assert_string_equal(why.text, "none/ready/.1-1.json: cannot be written: No such file or directory");
    assert_int_equal(spool_list_ready("none", &arena, &jobs, &count, &why), STATUS_SYSTEM);
    assert_string_equal(why.text, "none/ready: cannot be read: No such file or directory");
    assert_int_equal(spool_list_claims("none", &arena, &claims, &count, &why), STATUS_SYSTEM);
    assert_int_equal(spool_hold("none", "w", true, &why), STATUS_SYSTEM);
    assert_string_equal(why.text, "none/hold/w: cannot be made: No such file or directory");
    assert_int_equal(spool_sweep("none", &why), STATUS_SYSTEM);
    assert_int_equal(mkdir("spool/ready/2-1.json", 0700) | mkdir("spool/claimed/3-1.w", 0700), 0);
    assert_int_equal(spool_withdraw(spool, (SpoolId){2, 1}, &flag, &why), STATUS_SYSTEM);
    assert_string_equal(why.text, "spool/ready/2-1.json: cannot be removed: Is a directory");
    assert_int_equal(spool_forget(spool, (SpoolId){3, 1}, &why), STATUS_SYSTEM);
    assert_string_equal(why.text, "spool/claimed/3-1.w: cannot be removed: Is a directory");
    arena_free(&arena);
}

#define IN_SPOOL(test) cmocka_unit_test_setup_teardown(test, make_spool, remove_spool)

/* ---- idle workers ------------------------------------------------------------------------------------------------ */

static void show_idle(const char *worker, int64_t count, bool is_held)
{
    SpoolIdle idle = {.count = count, .device = "h200", .device_name = "NVIDIA H200", .is_held = is_held};
    Message why;
    strcpy(idle.worker, worker);
    assert_int_equal(spool_show_idle(spool, &idle, &why), STATUS_OK);
}

static void idle_workers_are_listed_until_they_are_forgotten(void **state)
{
    Arena arena = {0};
    SpoolIdle *idle;
    size_t count;
    Message why;
    show_idle("node1-cuda-0", 1, false);
    show_idle("node1-cuda-0", 2, true);
    assert_int_equal(spool_list_idle(spool, &arena, &idle, &count, &why), STATUS_OK);
    assert_int_equal(count, 1);
    assert_string_equal(idle[0].worker, "node1-cuda-0");
    assert_int_equal(idle[0].count, 2);
    assert_string_equal(idle[0].device, "h200");
    assert_string_equal(idle[0].device_name, "NVIDIA H200");
    assert_true(idle[0].is_held);
    write_file("spool/idle/.node1-cuda-0", "{");
    assert_int_equal(spool_forget_idle(spool, "node1-cuda-0", &why), STATUS_OK);
    assert_int_equal(spool_forget_idle(spool, "node1-cuda-0", &why), STATUS_OK);
    assert_false(exists("spool/idle/node1-cuda-0") || exists("spool/idle/.node1-cuda-0"));
    arena_free(&arena);
}

static void a_damaged_file_of_an_idle_worker_shows_its_name_alone(void **state)
{
    Arena arena = {0};
    SpoolIdle *idle;
    size_t count;
    Message why;
    write_file("spool/idle/w", "{\"count\": 3, \"device\": 1}");
    write_file("spool/idle/not a worker", "{}");
    assert_int_equal(spool_list_idle(spool, &arena, &idle, &count, &why), STATUS_OK);
    assert_int_equal(count, 1);
    assert_string_equal(idle[0].worker, "w");
    assert_int_equal(idle[0].count, 0);
    assert_string_equal(idle[0].device, "");
    arena_free(&arena);
}

static void unfinished_files_of_idle_workers_are_swept(void **state)
{
    Message why;
    show_idle("w", 1, false);
    write_file("spool/idle/.w", "{");
    assert_int_equal(spool_sweep(spool, &why), STATUS_OK);
    assert_true(exists("spool/idle/w"));
    assert_false(exists("spool/idle/.w"));
}

/* ---- what the system refuses -------------------------------------------------------------------------------------- */

static void a_spool_that_leads_nowhere_is_named(void **state)
{
    Message why;
    assert_int_equal(symlink("nowhere", "lost"), 0);
    assert_int_equal(spool_make("lost", &why), STATUS_SYSTEM);
    assert_string_equal(why.text, "lost: cannot be inspected: No such file or directory");
    assert_int_equal(unlink("lost"), 0);
}

static void a_job_that_cannot_be_taken_is_named(void **state)
{
    Message why;
    bool claimed;
    offer(7, 1, 1);
    assert_int_equal(rmdir("spool/claimed"), 0);
    write_file("spool/claimed", "");
    assert_int_equal(spool_claim(spool, (SpoolId){7, 1}, "w", &claimed, &why), STATUS_SYSTEM);
    assert_string_equal(why.text, "spool/ready/7-1.json: cannot be taken: Not a directory");
}

static void a_job_that_cannot_get_its_name_is_named(void **state)
{
    const SpoolJob job = job_of(7, 1, 1);
    Message why;
    assert_int_equal(mkdir("spool/ready/7-1.json", 0700), 0);
    assert_int_equal(spool_offer(spool, &job, &why), STATUS_SYSTEM);
    assert_string_equal(why.text, "spool/ready/.7-1.json: cannot be renamed: Is a directory");
    assert_false(exists("spool/ready/.7-1.json"));
}

/* A file is synced before it gets its name, and its folder afterwards. */
static Status offer_in_a_folder_without_sync(Message *why)
{
    const SpoolJob job = job_of(7, 1, 1);
    refuse_call_with(SYS_openat, 2, O_RDONLY | O_DIRECTORY | O_CLOEXEC, EIO);
    return spool_offer(spool, &job, why);
}

static void a_folder_that_cannot_be_synced_is_named(void **state)
{
    assert_string_equal(said_by_child(offer_in_a_folder_without_sync),
                        "spool/ready: cannot be synced: Input/output error");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_SPOOL(a_spool_is_made_for_its_owner_alone),
        IN_SPOOL(a_spool_that_others_may_enter_is_refused),
        IN_SPOOL(a_file_is_no_spool),
        IN_SPOOL(a_spool_of_another_user_is_refused),
        cmocka_unit_test(names_of_workers_are_plain),
        IN_SPOOL(a_job_is_read_as_it_was_offered),
        IN_SPOOL(the_lowest_priority_number_comes_first),
        IN_SPOOL(files_with_other_names_are_ignored),
        IN_SPOOL(an_offer_is_withdrawn_unless_it_is_taken),
        IN_SPOOL(a_job_is_claimed_once),
        IN_SPOOL(damaged_jobs_come_first_and_say_what_is_wrong),
        IN_SPOOL(a_damaged_job_is_kept_for_a_person),
        IN_SPOOL(a_beat_is_seen_with_its_claim),
        IN_SPOOL(a_worker_sees_that_its_claim_is_forgotten),
        IN_SPOOL(only_the_files_of_one_attempt_are_forgotten),
        IN_SPOOL(a_worker_can_be_held),
        IN_SPOOL(an_end_is_read_as_it_was_reported),
        IN_SPOOL(a_changed_end_is_moved_aside),
        IN_SPOOL(an_end_is_of_a_known_kind_and_of_its_own_attempt),
        IN_SPOOL(what_killed_writers_left_is_swept),
        IN_SPOOL(a_missing_spool_is_an_error_of_the_system),
        IN_SPOOL(idle_workers_are_listed_until_they_are_forgotten),
        IN_SPOOL(a_damaged_file_of_an_idle_worker_shows_its_name_alone),
        IN_SPOOL(unfinished_files_of_idle_workers_are_swept),
        IN_SPOOL(a_spool_that_leads_nowhere_is_named),
        IN_SPOOL(a_job_that_cannot_be_taken_is_named),
        IN_SPOOL(a_job_that_cannot_get_its_name_is_named),
        IN_SPOOL(a_folder_that_cannot_be_synced_is_named),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
