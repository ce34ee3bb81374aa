/* Timed calls with new data, every output checked, here on the simulated GPU. */
#include "base/tests/unit.h"

#include "base/scratch.h"
#include "grader/judge/judge.h"
#include "grader/judge/measure.h"
#include "grader/problem/problem.h"
#include "grader/problem/submission.h"
#include "grader/tests/slow_source.h"
#include "harness/broker/gpu_session.h"
#include "harness/compile/tests/with_nvcc.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

enum { ELEMENTS = 700, TAPS = 17 };

static Toolkit toolkit;
static char scratch[256];
static Problem problem;
static Oracle *oracle;

static void check_status(Status status, const Message *why)
{
    if (status != STATUS_OK)
        fail_test("the judge failed: %s", why->text);
}

/* All that a sitting needs: two small cases of conv1d, timed as on a real GPU. */
typedef struct Bench {
    Measuring measuring;
    CallLimits limits;
    Testcase testcases[2];
    TimedCase cases[2];
    TimingSession sitting;
    Arena arena;
    Compiled compiled;
} Bench;

static Compiled compile(const char *path)
{
    static const char *const types[] = {"const float*", "const float*", "float*", "int", "int"};
    Submission submission;
    Compiled compiled;
    Message why;
    check_status(submission_read(path, &submission, &why), &why);
    const CompileJob job = {.file_name = submission.file_name,
                            .source = submission.source.data,
                            .source_bytes = submission.source.length,
                            .prototype = problem.signature,
                            .parameter_types = types,
                            .parameter_count = 5,
                            .compute = 90};
    check_status(compile_submission(&job, &toolkit, scratch, &compiled, &why), &why);
    submission_free(&submission);
    if (compiled.outcome != COMPILE_OK)
        fail_test("%s does not compile", path);
    return compiled;
}

static void bench_open(Bench *bench, const char *path)
{
    Message why = {0};
    *bench = (Bench){.limits = {.device_bytes = 64 << 20,
                                .host_bytes = 512 << 20,
                                .host_seconds = 20,
                                .device_seconds = 20,
                                .wall_seconds = 60,
                                .warp_instructions = 100000000}};
    for (int i = 0; i < 2; i++) {
        bench->testcases[i] = (Testcase){.name = "made up", .group = CASE_TIMED, .number = i + 1};
        bench->testcases[i].sizes.values[3] = ELEMENTS + i;
        bench->testcases[i].sizes.values[4] = TAPS;
        bench->testcases[i].sources[0] = bench->testcases[i].sources[1] = (CaseSource){
            .kind = SOURCE_UNIFORM, .a = -1, .b = 1};
        bench->cases[i].testcase = &bench->testcases[i];
    }
    bench->compiled = compile(path);
    bench->measuring = (Measuring){.problem = &problem, .limits = &bench->limits, .oracle = oracle};
    check_status(session_open("sim:h200", &bench->measuring.session, &why), &why);
    check_status(device_oracle_start(&problem, "sim:h200", 90, &bench->measuring.device_oracle, &why), &why);
    check_status(device_oracle_ready(bench->measuring.device_oracle, &why), &why);
}

static void bench_close(Bench *bench)
{
    for (int i = 0; i < 2; i++)
        text_free(&bench->cases[i].report.printed);
    device_oracle_stop(bench->measuring.device_oracle);
    session_close(bench->measuring.session);
    compiled_free(&bench->compiled);
    arena_free(&bench->arena);
}

static void sit_by(Bench *bench, const Anchor *anchor, const CallPlan *plan)
{
    Message why = {0};
    check_status(sitting_take(&bench->measuring, &bench->compiled, anchor, plan, bench->cases, 2, &bench->arena,
                              &bench->sitting, &why),
                 &why);
}

static void sit(Bench *bench, const Anchor *anchor)
{
    CallPlan plan = call_plan_of(&problem);
    plan.anchor_calls = problem.timed_calls; /* they are enough where nothing drifts, and quick with sanitizers */
    sit_by(bench, anchor, &plan);
}

static void every_block_has_its_calls_and_every_output_is_checked(void **state)
{
    Bench bench;
    bench_open(&bench, "solutions/conv1d/accepted/naive.cu");
    sit(&bench, &(Anchor){0});
    assert_null(measure_failed(bench.cases, 2));
    assert_int_equal(bench.sitting.block_count, problem.blocks);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(bench.cases[i].sample_count, problem.blocks * problem.timed_calls);
        for (size_t k = 0; k < bench.cases[i].sample_count; k++) {
            assert_int_equal(bench.cases[i].samples[k].block, k / (size_t)problem.timed_calls);
            assert_true(bench.cases[i].samples[k].event_s > 0);
        }
        assert_true(bench.cases[i].compared);
        assert_int_equal(bench.cases[i].comparison.count, ELEMENTS + i - TAPS + 1);
        assert_int_equal(bench.cases[i].input_bytes, 4 * (ELEMENTS + i + TAPS));
    }
    assert_true(bench.measuring.check_s > 0);
    assert_true(measure_score_ms(bench.cases, 2, 0) > 0);
    bench_close(&bench);
}

static const SessionOps *plain;

/* As if the broker had timed an empty launch. */
static Status device_that_times_a_launch(Session *session, DeviceInfo *info, Message *why)
{
    Status status = plain->device(session, info, why);
    info->launch_s = 3e-6;
    return status;
}

static void an_anchor_on_a_device_that_does_not_drift_shows_none(void **state)
{
    Bench bench;
    bench_open(&bench, "solutions/conv1d/accepted/naive.cu");
    plain = bench.measuring.session->ops;
    SessionOps ops = *plain;
    ops.device = device_that_times_a_launch;
    bench.measuring.session->ops = &ops;
    Compiled anchor = compile("solutions/conv1d/accepted/shared_tile.cu");
    sit(&bench, &(Anchor){.name = "shared_tile.cu", .compiled = &anchor});
    assert_string_equal(bench.sitting.anchor.name, "shared_tile.cu");
    assert_true(bench.sitting.anchor.before_ms > 0);
    assert_true(bench.sitting.anchor.drift < 1e-9);
    assert_int_equal(bench.measuring.launches.count,
                     problem.blocks + 2); /* each block and each anchor has a new broker */
    compiled_free(&anchor);
    bench_close(&bench);
}

static void an_anchor_that_fails_is_no_fault_of_the_submission(void **state)
{
    Bench bench;
    bench_open(&bench, "solutions/conv1d/accepted/naive.cu");
    Compiled anchor = compile("solutions/conv1d/wrong_answer/flipped_filter.cu");
    sit(&bench, &(Anchor){.name = "flipped_filter.cu", .compiled = &anchor});
    assert_null(measure_failed(bench.cases, 2));
    assert_string_equal(bench.sitting.anchor.name, "");
    assert_non_null(strstr(bench.sitting.anchor_failure, "the anchor flipped_filter.cu failed"));
    compiled_free(&anchor);
    bench_close(&bench);
}

/* This submission is right for the first data that it gets, and wrong for all others. */
static void an_answer_kept_from_an_earlier_call_is_found_and_explained(void **state)
{
    Bench bench;
    bench_open(&bench, "solutions/conv1d/wrong_answer/remembers_the_first_filter.cu");
    sit(&bench, &(Anchor){0});
    const TimedCase *failed = measure_failed(bench.cases, 2);
    assert_ptr_equal(failed, &bench.cases[0]);
    assert_int_equal(failed->report.outcome, CALL_OK);
    assert_true(failed->compared);
    assert_true(failed->comparison.wrong > 0);
    assert_true(failed->sample_count < (size_t)problem.timed_calls);
    assert_int_equal(bench.sitting.block_count, 1);
    assert_false(bench.cases[1].compared);
    bench_close(&bench);
}

/* The oracle on the device has read the tolerance from the problem's folder. */
static void oracles_that_disagree_are_the_judges_fault(void **state)
{
    Bench bench;
    Message why;
    Oracle *lenient_oracle;
    Problem lenient = problem;
    const CallPlan plan = {.blocks = 1, .warm_up_calls = 1, .timed_calls = 1};
    lenient.tolerance = (Tolerance){.unit = 1, .sum_factor = 1e9};
    check_status(oracle_open(&lenient, &lenient_oracle, &why), &why);
    bench_open(&bench, "solutions/conv1d/wrong_answer/flipped_filter.cu");
    bench.measuring.oracle = lenient_oracle;
    assert_int_equal(sitting_take(&bench.measuring, &bench.compiled, &(Anchor){0}, &plan, bench.cases, 2, &bench.arena,
                                  &bench.sitting, &why),
                     STATUS_SYSTEM);
    assert_string_equal(why.text, "the oracle on the device refuses an output that the one on the CPU accepts");
    oracle_close(lenient_oracle);
    bench_close(&bench);
}

static void a_fault_ends_the_sitting(void **state)
{
    Bench bench;
    bench_open(&bench, "solutions/conv1d/run_time_error/out_of_bounds_read.cu");
    sit(&bench, &(Anchor){0});
    const TimedCase *failed = measure_failed(bench.cases, 2);
    assert_ptr_equal(failed, &bench.cases[0]);
    assert_int_equal(failed->report.outcome, CALL_RUN_TIME_ERROR);
    assert_int_equal(failed->sample_count, 0);
    bench_close(&bench);
}

static void an_output_from_the_host_ends_the_sitting(void **state)
{
    Bench bench;
    bench_open(&bench, "tests/attacks/host_result_through_a_buffer.cu");
    sit(&bench, &(Anchor){0});
    const TimedCase *failed = measure_failed(bench.cases, 2);
    assert_ptr_equal(failed, &bench.cases[0]);
    assert_int_equal(failed->report.output_origin, ORIGIN_HOST);
    assert_true(failed->compared && failed->comparison.wrong == 0);
    assert_int_equal(failed->sample_count, 0);
    assert_false(bench.cases[1].compared);
    bench_close(&bench);
}

static void the_cases_come_in_the_order_of_the_plan(void **state)
{
    Bench bench;
    CallPlan plan = call_plan_of(&problem);
    plan.order = (const size_t[]){1, 0};
    bench_open(&bench, "solutions/conv1d/run_time_error/out_of_bounds_read.cu");
    sit_by(&bench, &(Anchor){0}, &plan);
    assert_ptr_equal(measure_failed(bench.cases, 2), &bench.cases[1]);
    assert_false(bench.cases[0].failed);
    bench_close(&bench);
}

static void warm_up_calls_are_timed(void **state)
{
    Bench bench;
    bench_open(&bench, "solutions/conv1d/accepted/naive.cu");
    sit(&bench, &(Anchor){0});
    for (int i = 0; i < 2; i++) {
        const TimedCase *item = &bench.cases[i];
        assert_int_equal(item->warm_up_count, problem.blocks * problem.warm_up_calls);
        for (size_t k = 0; k < item->warm_up_count; k++) {
            assert_int_equal(item->warm_up[k].block, k / (size_t)problem.warm_up_calls);
            assert_true(item->warm_up[k].event_s > 0 && item->warm_up[k].busy_s > 0);
        }
        for (size_t k = 0; k < item->sample_count; k++)
            assert_true(item->samples[k].charged_s == 0);
    }
    bench_close(&bench);
}

/* The first call of a block, of whichever case it is, works for a quarter of a second. */
static void work_of_a_warm_up_call_is_spread_over_the_timed_calls_of_all_cases(void **state)
{
    Bench bench;
    CallPlan plan = call_plan_of(&problem);
    plan.blocks = 1; /* that work takes seconds with sanitizers */
    bench_open(&bench, "tests/attacks/work_in_the_first_call.cu");
    sit_by(&bench, &(Anchor){0}, &plan);
    assert_null(measure_failed(bench.cases, 2));
    const double excess_s = bench.cases[0].warm_up[0].busy_s - 0.05;
    assert_true(excess_s > 0.1);
    for (int i = 0; i < 2; i++) {
        const TimedCase *item = &bench.cases[i];
        for (size_t k = 0; k < item->sample_count; k++) {
            const double charged_s = item->samples[k].charged_s;
            assert_true(fabs(charged_s / (excess_s / (2 * problem.timed_calls)) - 1) < 1e-6);
            assert_true(item->samples[k].event_s < 0.001);
            assert_true(timing_of(item->samples, item->sample_count, 0).time_s > charged_s);
        }
    }
    bench_close(&bench);
}

static const char *slow_submission(void)
{
    static char path[sizeof scratch + 16];
    snprintf(path, sizeof path, "%s/slow.cu", scratch);
    FILE *file = fopen(path, "w");
    assert_true(file != NULL && fputs(slow_source, file) >= 0 && fclose(file) == 0);
    return path;
}

static void a_slow_submission_gets_fewer_timed_calls(void **state)
{
    const CallPlan plan = {.blocks = 2, .warm_up_calls = 1, .timed_calls = 40};
    CallBudget budget = {.seconds = 12}; /* 1.5 s for each case of a block: 16 calls, or 37 if 40 ms of each count */
    Bench bench;
    bench_open(&bench, slow_submission());
    bench.measuring.budget = &budget;
    sit_by(&bench, &(Anchor){0}, &plan);
    assert_null(measure_failed(bench.cases, 2));
    assert_true(budget.spent_s > 1 && budget.spent_s < 12);
    for (int i = 0; i < 2; i++) {
        const TimedCase *item = &bench.cases[i];
        assert_in_range(item->fewest_calls, call_plan_least(&plan), plan.timed_calls - 1);
        assert_in_range(item->sample_count, 2 * item->fewest_calls, 2 * plan.timed_calls - 1);
    }
    bench_close(&bench);
}

static void a_submission_for_which_fifteen_calls_take_too_long_exceeds_the_time_limit(void **state)
{
    const CallPlan plan = {.blocks = 12, .warm_up_calls = 1, .timed_calls = 40};
    CallBudget budget = {
        .seconds =
            5}; /* 180 calls take 16 s, or 7 if 40 ms of each count; a warm-up call takes far less, on a busy machine too */
    Bench bench;
    bench_open(&bench, slow_submission());
    bench.measuring.budget = &budget;
    sit_by(&bench, &(Anchor){0}, &plan);
    const TimedCase *failed = measure_failed(bench.cases, 2);
    assert_ptr_equal(failed, &bench.cases[0]);
    assert_int_equal(failed->report.outcome, CALL_TIME_LIMIT);
    assert_int_equal(failed->sample_count, 0);
    assert_non_null(strstr(failed->report.text, "not even 15 timed calls in each of 12 blocks fit"));
    bench_close(&bench);
}

/* The calls of the anchor wait for longer than that in all, but they are the judge's. */
static void the_anchor_takes_nothing_of_the_budget(void **state)
{
    const CallPlan plan = {.blocks = 1, .warm_up_calls = 1, .timed_calls = 4, .anchor_calls = 15};
    CallBudget budget = {.seconds = 1.5};
    Bench bench;
    bench_open(&bench, "solutions/conv1d/accepted/naive.cu");
    Compiled anchor = compile(slow_submission());
    bench.measuring.budget = &budget;
    sit_by(&bench, &(Anchor){.name = "slow.cu", .compiled = &anchor}, &plan);
    assert_null(measure_failed(bench.cases, 2));
    assert_string_equal(bench.sitting.anchor_failure, "");
    assert_string_equal(bench.sitting.anchor.name, "slow.cu");
    compiled_free(&anchor);
    bench_close(&bench);
}

static int set_up(void **state)
{
    Message why = {0};
    if (toolkit_find(&toolkit, &why) == STATUS_OK && scratch_new(scratch, sizeof scratch, &why) == STATUS_OK &&
        problem_read("conv1d", &problem, &why) == STATUS_OK && oracle_open(&problem, &oracle, &why) == STATUS_OK) {
        problem.blocks = 2;
        problem.warm_up_calls = 1;
        problem.timed_calls = 4;
        return 0;
    }
    print_error("%s\n", why.text);
    return -1;
}

static int tear_down(void **state)
{
    oracle_close(oracle);
    problem_free(&problem);
    scratch_remove(scratch);
    return 0;
}

int main(int argc, char **argv)
{
    int exit_status;
    if (judge_part(argc, argv, &exit_status))
        return exit_status;
    if (!has_nvcc())
        return 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_block_has_its_calls_and_every_output_is_checked),
        cmocka_unit_test(an_anchor_on_a_device_that_does_not_drift_shows_none),
        cmocka_unit_test(an_anchor_that_fails_is_no_fault_of_the_submission),
        cmocka_unit_test(an_answer_kept_from_an_earlier_call_is_found_and_explained),
        cmocka_unit_test(oracles_that_disagree_are_the_judges_fault),
        cmocka_unit_test(a_fault_ends_the_sitting),
        cmocka_unit_test(an_output_from_the_host_ends_the_sitting),
        cmocka_unit_test(the_cases_come_in_the_order_of_the_plan),
        cmocka_unit_test(warm_up_calls_are_timed),
        cmocka_unit_test(a_slow_submission_gets_fewer_timed_calls),
        cmocka_unit_test(a_submission_for_which_fifteen_calls_take_too_long_exceeds_the_time_limit),
        cmocka_unit_test(the_anchor_takes_nothing_of_the_budget),
        cmocka_unit_test(work_of_a_warm_up_call_is_spread_over_the_timed_calls_of_all_cases),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
