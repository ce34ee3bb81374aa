#include "leaderboard/tests/made_store.h"

#include "base/json.h"
#include "grader/ranking/ranking.h"
#include "grader/ranking/review.h"
#include "grader/tests/made_up.h"

/* A case of a real GPU: three blocks of calls, each on two clocks. */
static CaseResult clocked_case(const char *name, double seconds)
{
    enum { BLOCKS = 3, CALLS = 5 };
    CaseResult item = made_up_timed_case(name, seconds);
    free(item.samples);
    item.samples = calloc(BLOCKS * CALLS, sizeof *item.samples);
    item.sample_count = BLOCKS * CALLS;
    for (int i = 0; i < BLOCKS * CALLS; i++)
        item.samples[i] = (CaseSample){.event_s = seconds * (1 + 0.003 * (i * 7 % 5)),
                                       .host_s = 6e-6 + seconds * (1 + 0.004 * (i * 3 % 5)),
                                       .block = i / CALLS,
                                       .charged_s = 2e-6 * (i / CALLS)};
    return item;
}

/* The same cases, a little slower, while the anchor drifted by more. */
static void add_second_sitting(Result *result)
{
    static CaseResult items[2];
    Result *second = result->second = calloc(1, sizeof *second);
    *second = made_up_result(items, COUNT_OF(items));
    second->device.modelled = false;
    second->device.clock_gap_s = 5.7e-6;
    second->anchor = (AnchorTimes){.name = "naive.cu", .before_ms = 2, .after_ms = 2.02};
    second->anchor.drift = timing_drift(2, 2.02);
    for (size_t i = 0; i < COUNT_OF(items); i++) {
        items[i] = clocked_case(result->cases[i].name, 1.002e-3 * result->cases[i].time.ms);
        result_time_case(&items[i], &second->device);
    }
    result_score(second);
}

/* A grading as it is recorded: on a simulated GPU one sample a case, on a real one many, and an anchor. */
static void record(Store *store, bool clocked)
{
    CaseResult items[] = {clocked ? clocked_case("long", 1e-3 / 3) : made_up_timed_case("long", 1e-3 / 3),
                          clocked ? clocked_case("wide", 7e-5) : made_up_timed_case("wide", 7e-5),
                          made_up_case(CASE_HIDDEN, "hidden 1", VERDICT_ACCEPTED)};
    Message why = {0};
    Result result = made_up_result(items, COUNT_OF(items));
    static const char source[] = "// mine";
    result.source = hash_of_one(source, strlen(source));
    if (clocked) {
        result.device.modelled = false;
        result.device.clock_gap_s = 5.5e-6;
        result.device.launch_s = 7.3e-6;
        result.device.launch_spread_s = 4e-8;
        result.device.usual_launch_s = 6.1e-6;
        result.anchor = (AnchorTimes){.name = "naive.cu", .before_ms = 2, .after_ms = 2.013};
        result.anchor.drift = timing_drift(2, 2.013);
    }
    for (size_t i = 0; i < 2; i++)
        result_time_case(&items[i], &result.device);
    result_score(&result);
    ranking_decide(&result, true);
    if (clocked)
        add_second_sitting(&result);
    must(ranking_record(store, source, &result, &why), &why);
    assert_int_not_equal(result.run, 0);
    forget_samples(items, 2);
    if (result.second != NULL)
        forget_samples(result.second->cases, 2);
    free(result.second);
}

static Findings audited(Store *store, Arena *arena, size_t *incomplete)
{
    Findings findings = {.arena = arena};
    AuditSummary summary;
    Message why = {0};
    must(audit_store(store, &findings, &summary, &why), &why);
    if (incomplete != NULL)
        *incomplete = summary.incomplete;
    return findings;
}

static void what_a_grading_records_follows_from_its_samples(void **state)
{
    Arena arena = {0};
    size_t incomplete;
    Store *store = opened(STORE_WRITE);
    record(store, false);
    record(store, true);
    Findings findings = audited(store, &arena, &incomplete);
    for (size_t i = 0; i < findings.count; i++)
        fail_test("%s: %s: expected %s, found %s", findings.items[i].place, findings.items[i].what,
                  findings.items[i].expected, findings.items[i].found);
    assert_int_equal(incomplete, 0);
    store_close(store);
    arena_free(&arena);
}

/* Replaces the first `from` in a text. */
static const char *with(Arena *arena, const char *text, const char *from, const char *to)
{
    const char *at = strstr(text, from);
    if (at == NULL)
        fail_test("nothing like %s in %s", from, text);
    return arena_printf(arena, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
}

/* Replaces the number behind the first `key` of a JSON text by another that is 1 % larger. */
static const char *with_larger(Arena *arena, const char *text, const char *key)
{
    char quoted[60], number[60];
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    const char *at = strstr(text, quoted);
    if (at == NULL)
        fail_test("no %s in %s", key, text);
    at += strlen(quoted);
    char *end;
    double value = strtod(at, &end);
    snprintf(number, sizeof number, " %.17g", value * 1.01 + (value == 0));
    return arena_printf(arena, "%.*s%s%s", (int)(at - text), text, number, end);
}

/* What a forger changes in a row. */
static void forge(Run *run, const char *what, Arena *arena)
{
    if (strcmp(what, "score_ms") == 0)
        run->time.ms *= 0.99;
    else if (strcmp(what, "uncertainty") == 0)
        run->time.uncertainty *= 2;
    else if (strcmp(what, "rank_status") == 0)
        run->sandbox = "none: no namespaces";
    else if (strcmp(what, "verdict") == 0)
        run->cases = with(arena, run->cases, "Accepted", "Wrong Answer");
    else if (strncmp(what, "review ", 7) == 0) {
        const char *review = strstr(run->cases, "\"review\"");
        const size_t before = (size_t)(review - run->cases);
        run->cases = arena_printf(arena, "%.*s%s", (int)before, run->cases, with_larger(arena, review, what + 7));
    } else if (strncmp(what, "sitting ", 8) == 0)
        run->sitting = with_larger(arena, run->sitting, what + 8);
    else if (strcmp(what, "clock") == 0)
        run->cases = with(arena, run->cases, "\"clock\":\t\"events\"", "\"clock\":\t\"host\"");
    else
        run->cases = with_larger(arena, run->cases, what);
}

static void whatever_does_not_follow_is_named(void **state)
{
    static const char *const forgeries[] = {
        "score_ms",
        "uncertainty",
        "rank_status",
        "verdict",
        "time_ms",
        "min_ms",
        "p5_ms",
        "p95_ms",
        "variation",
        "clock",
        "gflops",
        "gbytes_per_s",
        "roofline",
        "event_ms",
        "sitting clock_gap_us",
        "sitting launch_us",
        "sitting usual_launch_us",
        "sitting after_ms",
        "sitting operations",
        "sitting bytes",
        "sitting copy_bytes_per_s",
        "review time_ms",
        "review uncertainty",
    };
    for (size_t i = 0; i < COUNT_OF(forgeries); i++) {
        Arena arena = {0};
        Message why = {0};
        RecordedRun genuine;
        Store *store = opened(STORE_WRITE);
        record(store, true);
        must(store_run(store, 1, &arena, &genuine, &why), &why);
        forge(&genuine.run, forgeries[i], &arena);
        added(store, genuine.run);
        Findings findings = audited(store, &arena, NULL);
        if (findings.count == 0 || strcmp(findings.items[0].place, "runs 2") != 0)
            fail_test("%s: %zu findings, the first names %s", forgeries[i], findings.count,
                      findings.count == 0 ? "nothing" : findings.items[0].place);
        store_close(store);
        arena_free(&arena);
        remove_folder(NULL);
        new_folder(NULL);
    }
}

static bool is_named(const Findings *findings, const char *place, const char *what, const char *expected)
{
    for (size_t i = 0; i < findings->count; i++) {
        const Finding *finding = &findings->items[i];
        if (strcmp(finding->place, place) == 0 && strcmp(finding->what, what) == 0 &&
            strcmp(finding->expected, expected) == 0)
            return true;
    }
    return false;
}

/* Something else than a grading has written these. */
static void a_row_that_no_grading_writes_is_named(void **state)
{
    Arena arena = {0};
    Message why = {0};
    RecordedRun genuine;
    Store *store = opened(STORE_WRITE);
    record(store, true);
    must(store_run(store, 1, &arena, &genuine, &why), &why);
    Run run = genuine.run;
    run.cases = "{}";
    added(store, run);
    run = genuine.run;
    run.verdict = "Splendid";
    added(store, run);
    const Findings findings = audited(store, &arena, NULL);
    assert_true(is_named(&findings, "runs 2", "cases and sitting", "what a grading writes"));
    assert_true(is_named(&findings, "runs 3", "verdict", "one of the verdicts"));
    store_close(store);
    arena_free(&arena);
}

static void a_source_that_is_not_what_its_hash_says_is_named(void **state)
{
    Arena arena = {0};
    Store *store = opened(STORE_WRITE);
    added(store, a_run("ann", 0)); /* its hash is made up */
    Findings findings = audited(store, &arena, NULL);
    assert_int_equal(findings.count, 1);
    assert_string_equal(findings.items[0].place, "sources 1");
    store_close(store);
    arena_free(&arena);
}

/* Rows of an older version hold no sitting, but a score must still follow from the times of the cases. */
static void an_older_row_is_held_to_what_it_has(void **state)
{
    Arena arena = {0};
    Message why = {0};
    RecordedRun genuine;
    size_t incomplete;
    Store *store = opened(STORE_WRITE);
    record(store, true);
    must(store_run(store, 1, &arena, &genuine, &why), &why);
    genuine.run.sitting = "{}";
    added(store, genuine.run);
    assert_int_equal(audited(store, &arena, &incomplete).count, 0);
    assert_int_equal(incomplete, 1);
    genuine.run.time.ms *= 0.99;
    added(store, genuine.run);
    Findings findings = audited(store, &arena, &incomplete);
    assert_true(findings.count == 1 && strcmp(findings.items[0].place, "runs 3") == 0);
    store_close(store);
    arena_free(&arena);
}

static void damaged_json_is_named(void **state)
{
    static const char *const damaged[] = {"", "[", "{}", "[1, \"x\", null]", "[{\"samples\": {\"a\": 1}}]"};
    for (size_t i = 0; i < COUNT_OF(damaged); i++) {
        Arena arena = {0};
        Message why = {0};
        RecordedRun genuine;
        Store *store = opened(STORE_WRITE);
        record(store, true);
        must(store_run(store, 1, &arena, &genuine, &why), &why);
        genuine.run.cases = damaged[i];
        added(store, genuine.run);
        Findings findings = audited(store, &arena, NULL);
        if (findings.count == 0 || strcmp(findings.items[0].place, "runs 2") != 0)
            fail_test("\"%s\" is not named", damaged[i]);
        store_close(store);
        arena_free(&arena);
        remove_folder(NULL);
        new_folder(NULL);
    }
}

static void times_of_cases_that_are_not_those_of_the_runs_are_named(void **state)
{
    Arena arena = {0};
    Message why = {0};
    Store *store = opened(STORE_WRITE);
    record(store, true);
    assert_int_equal(audited(store, &arena, NULL).count, 0);
    must(database_run(
             store,
             "INSERT INTO case_times SELECT problem, revision, device, epoch, name, time_ms / 2, run FROM case_times",
             &why),
         &why);
    Findings findings = audited(store, &arena, NULL);
    assert_true(findings.count == 1 && strcmp(findings.items[0].place, "case_times") == 0 &&
                strcmp(findings.items[0].what, "rows unlike those of the runs") == 0);
    store_close(store);
    arena_free(&arena);
}

static void reference_times_follow_from_their_samples(void **state)
{
    Arena arena = {0};
    Message why = {0};
    RecordedRun run;
    Store *store = opened(STORE_WRITE);
    record(store, true);
    must(store_run(store, 1, &arena, &run, &why), &why);
    ReferenceTime reference = {.name = "naive.cu",
                               .source_hash = "s",
                               .time_utc = "t",
                               .time = run.run.time,
                               .cases = run.run.cases,
                               .sitting = run.run.sitting};
    must(store_add_reference(store, &board, &reference, &why), &why);
    assert_int_equal(audited(store, &arena, NULL).count, 0);
    reference.time.ms *= 1.5;
    must(store_add_reference(store, &board, &reference, &why), &why);
    Findings findings = audited(store, &arena, NULL);
    assert_true(findings.count == 1 && strcmp(findings.items[0].place, "reference_times 2") == 0);
    store_close(store);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test(what_a_grading_records_follows_from_its_samples),
        test(whatever_does_not_follow_is_named),
        test(a_row_that_no_grading_writes_is_named),
        test(a_source_that_is_not_what_its_hash_says_is_named),
        test(an_older_row_is_held_to_what_it_has),
        test(damaged_json_is_named),
        test(times_of_cases_that_are_not_those_of_the_runs_are_named),
        test(reference_times_follow_from_their_samples),
    };
    return cmocka_run_group_tests_name("audit", tests, NULL, NULL);
}
