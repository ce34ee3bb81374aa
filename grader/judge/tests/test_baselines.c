#include "base/tests/unit.h"

#include "grader/judge/case_run.h"
#include "grader/judge/judge.h"
#include "grader/problem/problem.h"
#include "grader/ranking/ranking.h"
#include "grader/tests/home.h"

/* Baselines for the small problem of home.h: out = a + b where the mask is not zero, else a. */

#define SOLVE(body)                                                                                                    \
    "void solve(const float* a, const int* b, const unsigned char *mask, float* out, int rows, int cols)\n"            \
    "{\n" body "\n}\n"
#define EACH(statement) "for (int i = 0; i < rows * cols; i++)\n" statement
#define RIGHT EACH("out[i] = a[i] + (float)b[i] * (float)mask[i % cols];")

typedef struct Judged {
    Problem problem;
    Submission submission;
    Result result;
} Judged;

static void judge(Judged *judged, const char *source, const char *device)
{
    static char path[128];
    Message why;
    snprintf(path, sizeof path, "%s/baseline.c", home);
    home_write("baseline.c", source);
    if (problem_read("blend", &judged->problem, &why) != STATUS_OK ||
        submission_read(path, &judged->submission, &why) != STATUS_OK)
        fail_test("%s", why.text);
    const JudgeJob job = {.problem = &judged->problem, .submission = &judged->submission, .device = device};
    if (judge_submission(&job, &judged->result, &why) != STATUS_OK)
        fail_test("the judge failed: %s", why.text);
}

static void forget(Judged *judged)
{
    result_free(&judged->result);
    problem_free(&judged->problem);
    submission_free(&judged->submission);
}

static void a_right_baseline_is_accepted_timed_and_never_ranked(void **state)
{
    Judged judged;
    judge(&judged, SOLVE(RIGHT), "cpu");
    const Result *result = &judged.result;
    assert_int_equal(result->verdict, VERDICT_ACCEPTED);
    assert_int_equal(result->case_count, 4); /* the sample, two hidden, one timed */
    for (size_t i = 0; i < result->case_count; i++) {
        const CaseResult *item = &result->cases[i];
        bool timed = item->group == CASE_TIMED;
        assert_true(item->judged);
        assert_int_equal(item->verdict, VERDICT_ACCEPTED);
        assert_int_equal(item->sample_count, timed ? CASE_TRIALS : 0);
    }
    assert_true(result->score.ms > 0);
    assert_true(result->on_cpu && !result->device.modelled);
    ranking_decide(&judged.result, true);
    assert_string_equal(result->rank_status, "not ranked: a CPU baseline");
    forget(&judged);
}

static void what_is_wrong_with_a_baseline_is_its_verdict(void **state)
{
    static const struct Row {
        const char *source;
        Verdict verdict;
        const char *text;
    } rows[] = {
        {SOLVE(EACH("out[i] = a[i];")), VERDICT_WRONG_ANSWER, ""},
        {SOLVE(";"), VERDICT_WRONG_ANSWER, "never written"},
        {SOLVE("*(volatile int *)0 = 0;"), VERDICT_RUN_TIME_ERROR, "signal 11"},
        {SOLVE("((float *)a)[0] = 7;" RIGHT), VERDICT_RULE_VIOLATION, "input"},
        {SOLVE("this is no C"), VERDICT_COMPILE_ERROR, "refused"},
        {"__global__ void kernel(void) { }\n", VERDICT_COMPILE_ERROR, "refused"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Judged judged;
        judge(&judged, rows[i].source, "cpu");
        if (judged.result.verdict != rows[i].verdict || strstr(judged.result.text, rows[i].text) == NULL)
            fail_test("row %zu: %s, \"%s\"", i, verdict_name(judged.result.verdict), judged.result.text);
        assert_true(judged.result.score.ms == 0);
        forget(&judged);
    }
}

static void a_failure_in_a_hidden_case_shows_its_kind_only(void **state)
{
    Judged judged;
    judge(&judged, "#include <stdlib.h>\n" SOLVE("if (rows == 37) exit(cols);\n" RIGHT), "cpu");
    assert_int_equal(judged.result.verdict, VERDICT_RUN_TIME_ERROR);
    assert_string_equal(judged.result.text, mistake_words(MISTAKE_PROCESS_ENDED));
    forget(&judged);
}

static void baselines_are_read_in_order_of_their_names(void **state)
{
    Problem problem;
    References references;
    Message why;
    home_write("solutions/blend/cpu_baselines/2_b.c", SOLVE(RIGHT));
    home_write("solutions/blend/cpu_baselines/1_a.c", SOLVE(RIGHT));
    home_write("solutions/blend/cpu_baselines/notes.txt", "none");
    home_write("solutions/blend/cpu_baselines/kernel.cu", "none");
    assert_int_equal(problem_read("blend", &problem, &why), STATUS_OK);
    assert_int_equal(references_load_baselines(&problem, &references, &why), STATUS_OK);
    assert_int_equal(references.count, 2);
    assert_string_equal(references.solutions[0].time.name, "1_a.c");
    assert_string_equal(references.solutions[1].time.name, "2_b.c");
    references_free(&references);
    problem_free(&problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_right_baseline_is_accepted_timed_and_never_ranked),
        cmocka_unit_test(what_is_wrong_with_a_baseline_is_its_verdict),
        cmocka_unit_test(a_failure_in_a_hidden_case_shows_its_kind_only),
        cmocka_unit_test(baselines_are_read_in_order_of_their_names),
    };
    return cmocka_run_group_tests(tests, home_with_problem, home_remove);
}
