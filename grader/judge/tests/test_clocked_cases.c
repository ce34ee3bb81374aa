/* A sitting as on a real GPU, here on the simulated one, whose modelled times stand for those of events. */
#include "base/tests/unit.h"

#include "base/scratch.h"
#include "grader/judge/compilation.h"
#include "grader/judge/judge.h"
#include "grader/problem/problem.h"
#include "grader/problem/submission.h"
#include "grader/tests/slow_source.h"
#include "harness/broker/gpu_session.h"
#include "harness/compile/tests/with_nvcc.h"

#include <stdlib.h>
#include <string.h>

static void check_status(Status status, const Message *why)
{
    if (status != STATUS_OK)
        fail_test("the judge failed: %s", why->text);
}

static void holds(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_test("\"%s\" is missing in: %s", part, text);
}

static Testcase testcase = {.name = "made up",
                            .group = CASE_TIMED,
                            .number = 1,
                            .sizes = {{[3] = 700, [4] = 17}},
                            .sources = {{.kind = SOURCE_UNIFORM, .a = -1, .b = 1}, {.kind = SOURCE_CONSTANT, .a = 1}}};

static void judging_open(Grading *judging, Message *why)
{
    static const bool wanted[CASE_GROUPS] = {[CASE_TIMED] = true};
    Result *result = judging->result;
    const JudgeJob *job = judging->job;
    result_begin(result, job->problem, job->submission);
    result_list_cases(result, &judging->set, wanted, &judging->testcases);
    check_status(session_open("sim:h200", &judging->session, why), why);
    check_status(session_device(judging->session, &result->device, why), why);
    check_status(oracle_open(job->problem, &judging->oracle, why), why);
    check_status(scratch_new(judging->scratch, sizeof judging->scratch, why), why);
    check_status(compilation_find_compiler(judging, why), why);
    check_status(compilation_run(judging, NULL, why), why);
    assert_int_equal(result->compiled.outcome, COMPILE_OK);
}

static void judging_close(Grading *judging)
{
    session_close(judging->session);
    device_oracle_stop(judging->device_oracle);
    oracle_close(judging->oracle);
    scratch_remove(judging->scratch);
    result_free(judging->result);
}

/* Half of the budget has room for 33 calls, or for 75 if 40 ms of each count. */
static void a_grading_without_a_monitor_and_with_fewer_calls_says_so(void **state)
{
    Problem problem;
    Message why = {0};
    Result result = {0};
    Progress progress = progress_new(stderr);
    const Submission submission = {.file_name = "slow.cu",
                                   .source = {.data = slow_source, .length = strlen(slow_source)}};
    const JudgeJob job = {.problem = &problem, .submission = &submission, .device = "sim:h200", .progress = &progress};
    Grading judging = {.job = &job,
                       .result = &result,
                       .set = {.cases = &testcase, .count = 1},
                       .plan = {.blocks = 1, .warm_up_calls = 2, .timed_calls = 400},
                       .budget = {.seconds = 6},
                       .limits = {.device_bytes = 64 << 20,
                                  .host_bytes = 512 << 20,
                                  .host_seconds = 20,
                                  .device_seconds = 20,
                                  .wall_seconds = 60,
                                  .warp_instructions = 100000000}};
    check_status(problem_read("conv1d", &problem, &why), &why);
    judging_open(&judging, &why);
    setenv("CONVJUDGE_NVML", "no-such-library.so.1", 1);
    check_status(clocked_cases_prepare(&judging, &why), &why);
    check_status(clocked_cases_run(&judging, &why), &why);
    assert_int_equal(result.cases[0].verdict, VERDICT_ACCEPTED);
    assert_int_equal(result.warning_count, 2);
    holds(result.warnings[0],
          "the clock and the temperature of the GPU are unknown: no management library (NVML) here");
    holds(result.warnings[1], "made up: ");
    holds(result.warnings[1], " instead of 400 timed calls in a block, since more would take too much of the grading's "
                              "budget of 6 s (grading_device_seconds)");
    judging_close(&judging);
    problem_free(&problem);
}

int main(int argc, char **argv)
{
    int exit_status;
    if (judge_part(argc, argv, &exit_status))
        return exit_status;
    if (!has_nvcc())
        return 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_grading_without_a_monitor_and_with_fewer_calls_says_so),
    };
    return cmocka_run_group_tests_name("clocked cases", tests, NULL, NULL);
}
