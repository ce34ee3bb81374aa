#include "grader/judge/judge.h"

#include "base/clock.h"
#include "grader/check/foresight.h"
#include "grader/judge/case_run.h"
#include "grader/judge/clocked_cases.h"
#include "grader/judge/compilation.h"
#include "grader/judge/compiler_warning.h"
#include "grader/judge/constant_step.h"
#include "grader/judge/hidden_duration.h"
#include "grader/judge/loading.h"
#include "grader/judge/opinion_step.h"
#include "grader/judge/remaining_cases.h"
#include "grader/problem/key_stream.h"
#include "grader/problem/testcase_read.h"
#include "grader/timing/second_plan.h"
#include "harness/sandbox/sandbox.h"
#include "harness/sandbox/scratch.h"
#include "harness/session/session_open.h"

#include <stdio.h>
#include <string.h>

/* ---- opening ----------------------------------------------------------------------------------------------------- */

void judge_note_device(Progress *progress, const DeviceInfo *device)
{
    char outcome[sizeof device->passed_over + 40];
    if (device->passed_over[0] == '\0')
        return;
    snprintf(outcome, sizeof outcome, "simulated, with modelled times: %s", device->passed_over);
    progress_begin(progress, "device", 0);
    progress_end(progress, outcome);
}

/* Whoever has an nvcc expects its code and its times. */
static void note_compiler(Progress *progress, const Toolkit *toolkit)
{
    char outcome[sizeof toolkit->name + sizeof toolkit->passed_over + 2];
    if (toolkit->passed_over[0] == '\0')
        return;
    snprintf(outcome, sizeof outcome, "%s: %s", toolkit->name, toolkit->passed_over);
    progress_begin(progress, "compiler", 0);
    progress_end(progress, outcome);
}

static void note_sandbox(Progress *progress)
{
    char outcome[400];
    const bool is_full = strcmp(sandbox_level(), "full") == 0;
    if (is_full && !sandbox_allows_unconfined())
        return;
    snprintf(outcome, sizeof outcome, "%s: nothing is ranked", is_full ? "full, but --unconfined" : sandbox_level());
    progress_begin(progress, "sandbox", 0);
    progress_end(progress, outcome);
}

/* Before anything is judged, what will keep the result from being what its author expects. */
static void note_conditions(const Grading *judging)
{
    const JudgeJob *job = judging->job;
    if (job->second_sitting || job->is_opinion)
        return;
    judge_note_device(job->progress, &judging->result->device);
    note_compiler(job->progress, &judging->toolkit);
    note_sandbox(job->progress);
}

/* The cases that suit the device. */
static void list_cases(Grading *judging)
{
    const bool untimed = !judging->job->timed_only, hidden = untimed && !judging->job->samples_only;
    const bool timed = !judging->job->untimed_only && !judging->job->samples_only;
    const bool wanted[CASE_GROUPS] = {[CASE_SAMPLE] = untimed, [CASE_HIDDEN] = hidden, [CASE_TIMED] = timed};
    result_list_cases(judging->result, &judging->set, wanted, &judging->testcases);
    if (judging->job->only_timed_case != NULL)
        result_keep_case(judging->result, judging->testcases, judging->job->only_timed_case);
}

static Status choose_secret(Grading *judging, Message *why)
{
    const GeneratorKey *given = judging->job->secret;
    Status status = STATUS_OK;
    if (given != NULL)
        judging->secret = *given;
    else
        status = key_new(&judging->secret, why);
    key_hex(&judging->secret, judging->result->seed);
    return status;
}

static void choose_plan(Grading *judging)
{
    Result *result = judging->result;
    CallPlan first = call_plan_of(judging->job->problem);
    if (judging->job->one_block)
        first.blocks = 1;
    judging->plan = !judging->job->second_sitting
                        ? first
                        : second_plan_of(&first, &judging->secret, result->case_count, &result->arena);
    result->plan = judging->plan;
}

static Status read_cases(Grading *judging, Message *why)
{
    if (judging->job->cases == NULL)
        return testcases_read(judging->job->problem, &judging->set, why);
    judging->set = *judging->job->cases;
    return STATUS_OK;
}

/* The session opens its device while everything else is read. */
static Status open_all(Grading *judging, Message *why)
{
    const JudgeJob *job = judging->job;
    Status status = session_open(job->device, &judging->session, why);
    if (status == STATUS_OK)
        status = read_cases(judging, why);
    if (status == STATUS_OK)
        status = oracle_open(job->problem, &judging->oracle, why);
    if (status == STATUS_OK)
        status = choose_secret(judging, why);
    if (status == STATUS_OK)
        status = scratch_new(judging->scratch, sizeof judging->scratch, why);
    if (status == STATUS_OK)
        status = loading_learn_device(judging, why);
    return status == STATUS_OK ? compilation_find_compiler(judging, why) : status;
}

/* Of the cases that are judged on this device. */
static Status check_foresight(const Grading *judging, Message *why)
{
    Status status = STATUS_OK;
    for (size_t i = 0; i < judging->result->case_count && status == STATUS_OK; i++)
        status = foresight_check(judging->job->problem, judging->testcases[i], judging->oracle, &judging->secret, why);
    return status;
}

static Status open_judging(Grading *judging, Message *why)
{
    double start_s = now_s();
    Result *result = judging->result;
    result_begin(result, judging->job->problem, judging->job->submission);
    Status status = open_all(judging, why);
    if (status != STATUS_OK)
        return status;
    result->on_cpu = judging->session->traits.runs_c;
    note_conditions(judging);
    loading_mark_times(judging);
    list_cases(judging);
    choose_plan(judging);
    status = check_foresight(judging, why);
    result->seconds.start = now_s() - start_s;
    return status;
}

/* The oracle on the device and the device of the hidden cases get ready as the broker does. */
static Status start_early(Grading *judging, Message *why)
{
    const SessionTraits *traits = &judging->session->traits;
    const bool can_start = traits->clock == SESSION_EVENTS && traits->has_device;
    return can_start ? clocked_cases_start_early(judging, why) : STATUS_OK;
}

static void open_devices(void *judging)
{
    clocked_cases_open_ahead(judging);
}

/* ---- groups of cases --------------------------------------------------------------------------------------------- */

/* What calls leave behind in the runner or on the device must not help a later group. A timed case is a block of its
 * own, so that it pays for all that it uses. */
static bool needs_fresh_runner(CaseGroup group, bool is_first)
{
    return is_first || group == CASE_TIMED;
}

/* Wrong answers let the rest of the samples run, so that a student sees all of them. Of cases whose data are secret only
 * one mistake may be told. */
static bool ends_the_run(const JudgeJob *job, const CaseResult *item)
{
    if (item->verdict != VERDICT_WRONG_ANSWER)
        return item->verdict != VERDICT_ACCEPTED;
    return item->group != CASE_SAMPLE && !job->beyond_samples;
}

static void keep_profile(const Grading *judging, size_t place)
{
    if (judging->profile != NULL && place < JOB_MAX_PROFILES)
        judging->job->profiles[place] = *judging->profile;
}

/* Nothing that the first call has left may help the second. */
static Status run_case(Grading *judging, const Testcase *testcase, CaseResult *item, Message *why)
{
    Status status = case_run(judging, testcase, item, why);
    if (status != STATUS_OK || !judging->wants_all_blocks)
        return status;
    judging->runs_all_blocks = true;
    status = loading_renew_runner(judging, why);
    return status == STATUS_OK && !judging->ended ? case_run(judging, testcase, item, why) : status;
}

static Status run_group(Grading *judging, CaseGroup group, const char *step, double *seconds, Message *why)
{
    Result *result = judging->result;
    Status status = STATUS_OK;
    bool failed = false, is_first = true;
    int total = judging_count(judging, group);
    const bool is_for_points = judging->ended && group != CASE_TIMED && remaining_cases_are_wanted(judging);
    if ((judging->ended && !is_for_points) || total == 0)
        return STATUS_OK;

    double start_s = now_s();
    progress_begin(judging->job->progress, step, group == CASE_HIDDEN ? 0 : total);
    for (size_t i = 0; i < result->case_count && !judging->ended && status == STATUS_OK; i++) {
        const size_t place = call_plan_case(&judging->plan, i);
        CaseResult *item = &result->cases[place];
        if (item->group != group || (failed && judging->testcases[place]->attempt_instructions > 0))
            continue; /* so large a case costs much, and would add nothing to what others have found */
        if (needs_fresh_runner(group, is_first) || judging->runner_is_spent)
            status = loading_renew_runner(judging, why);
        if (status != STATUS_OK || judging->ended)
            break;
        is_first = judging->is_fresh = false;
        status = run_case(judging, judging->testcases[place], item, why);
        keep_profile(judging, place);
        failed = failed || item->verdict != VERDICT_ACCEPTED;
        judging->ended = failed && ends_the_run(judging->job, item);
        if (group != CASE_HIDDEN)
            progress_advance(judging->job->progress);
    }
    judging->ended = judging->ended || (failed && !(group == CASE_SAMPLE && judging->job->beyond_samples));
    if (status == STATUS_OK && group != CASE_TIMED)
        status = remaining_cases_run(judging, group, why);
    bool hides_duration = group == CASE_HIDDEN && !judging->job->shows_durations && !judging->job->is_opinion;
    if (hides_duration)
        opinion_step_take(judging, start_s);
    *seconds = hides_duration ? hidden_duration_wait(start_s) : now_s() - start_s;
    if (is_for_points)
        progress_end(judging->job->progress, "for points alone");
    else
        judging_end_step(judging, group);
    return status;
}

static Status run_timed_cases(Grading *judging, Message *why)
{
    if (judging->session->traits.clock == SESSION_EVENTS)
        return clocked_cases_run(judging, why);
    return run_group(judging, CASE_TIMED, "timed cases", &judging->result->seconds.timed, why);
}

/* Equal machine code gets an equal verdict, so there is nothing to find out. */
static void skip_known_code(Grading *judging)
{
    const Digest *known = judging->job->same_as;
    if (known != NULL && strcmp(known->hex, judging->result->compiled.machine_code.hex) == 0)
        judging->ended = true;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static void conclude(const Grading *judging)
{
    Result *result = judging->result;
    const CaseResult *failed = result_failed_case(result);
    if (failed != NULL) {
        result->verdict = failed->verdict;
        result->text = failed->text;
        compiler_warning_tell(result, judging->job->submission);
    }
    if (result->verdict == VERDICT_ACCEPTED) {
        judging_tell_warning(judging);
        result_score(result);
    }
    if (judging->job->second_sitting)
        return; /* the verdict has been told */
    progress_begin(judging->job->progress, "verdict", 0);
    progress_end(judging->job->progress, verdict_name(result->verdict));
}

static void close_all(Grading *judging)
{
    if (judging->job->spent != NULL)
        *judging->job->spent = judging->budget;
    device_oracle_begin_stop(judging->device_oracle); /* giving a device back takes a tenth of a second */
    device_monitor_close(judging->monitor);
    session_close(judging->session);
    device_oracle_stop(judging->device_oracle);
    opinion_process_stop(&judging->opinion);
    compiled_free(&judging->anchor);
    oracle_close(judging->oracle);
    if (judging->job->cases == NULL)
        testcases_free(&judging->set);
    if (judging->scratch[0] != '\0')
        scratch_remove(judging->scratch);
}

Status judge_submission(const JudgeJob *job, Result *result, Message *why)
{
    Grading judging = {.job = job, .result = result};
    StepSeconds *seconds = &result->seconds;
    Status status = open_judging(&judging, why);
    if (status == STATUS_OK)
        status = start_early(&judging, why);
    if (status == STATUS_OK)
        status = compilation_run(&judging, open_devices, why);
    skip_known_code(&judging);
    if (status == STATUS_OK)
        opinion_step_begin(&judging, judge_submission);
    if (status == STATUS_OK)
        status = loading_begin(&judging, why);
    if (status == STATUS_OK)
        status = run_group(&judging, CASE_SAMPLE, job->cases == NULL ? "sample cases" : "the case", &seconds->sample,
                           why);
    if (status == STATUS_OK)
        status = run_group(&judging, CASE_HIDDEN, "hidden cases", &seconds->hidden, why);
    if (status == STATUS_OK)
        opinion_step_end(&judging);
    if (status == STATUS_OK)
        status = constant_step_run(&judging, why);
    if (status == STATUS_OK)
        status = run_timed_cases(&judging, why);
    if (status == STATUS_OK)
        remaining_cases_conclude(&judging);
    if (status == STATUS_OK)
        conclude(&judging); /* now, because giving the devices back takes a fifth of a second */
    close_all(&judging);
    if (status == STATUS_OK)
        opinion_step_retry(&judging, judge_submission);
    return status;
}
