#include "grader/judge/judge.h"

#include "base/clock.h"
#include "base/sandbox.h"
#include "base/scratch.h"
#include "base/text.h"
#include "grader/check/constant_rule.h"
#include "grader/check/device_oracle.h"
#include "grader/check/predictability.h"
#include "grader/judge/call_plan.h"
#include "grader/judge/case_run.h"
#include "grader/judge/compilation.h"
#include "grader/judge/measure.h"
#include "grader/judge/opinion.h"
#include "grader/judge/wording.h"
#include "grader/problem/key_stream.h"
#include "grader/problem/testcase.h"
#include "harness/broker/broker.h"
#include "harness/broker/gpu_session.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ==== compiler warning ============================================================================================ */

/* A line such as `x.cu(12): warning #549-D: variable "sum" is used before its value is set`. */
static void tell_of_line(Result *result, const Submission *submission, const char *line, size_t length)
{
    static const char what[] = " is used before its value is set", name_is[] = ": variable \"";
    size_t name_length = strlen(submission->file_name);
    const char *end = memmem(line, length, what, strlen(what)), *name = memmem(line, length, name_is, strlen(name_is));
    if (end == NULL || name == NULL || name > end || length <= name_length || line[name_length] != '(' ||
        strncmp(line, submission->file_name, name_length) != 0)
        return;
    Text place = {0};
    name += strlen(name_is) - 1;
    wording_add_place(&place, submission, strtol(line + name_length + 1, NULL, 10));
    if (place.length > 0)
        result_warn(result, "the compiler warns that variable %.*s%s%s", (int)(end - name), name, what, place.data);
    text_free(&place);
}

void compiler_warning_tell(Result *result, const Submission *submission)
{
    const char *line = result->compiled.diagnostics.data;
    while (line != NULL && *line != '\0') {
        size_t length = strcspn(line, "\n");
        tell_of_line(result, submission, line, length);
        line += length + (line[length] == '\n');
    }
}

/* ==== clocked cases =============================================================================================== */

static size_t loads_of_hidden_cases(const Grading *judging)
{
    return judging_count(judging, CASE_HIDDEN) > 0;
}

/* Starts the oracle on the device, and opens the device of the hidden cases, which takes a while, if a case is timed and it was
 * not done before. The session must have the device: another context would disturb a sitting of somebody else. */
static Status clocked_cases_start_early(Grading *judging, Message *why)
{
    if (judging->device_oracle != NULL || judging_count(judging, CASE_TIMED) == 0)
        return STATUS_OK;
    session_open_ahead(judging->session, loads_of_hidden_cases(judging));
    const DeviceInfo *device = &judging->result->device;
    return device_oracle_start(judging->job->problem, device->handle,
                               10 * device->compute_major + device->compute_minor, &judging->device_oracle, why);
}

/* The blocks of the submission and both of the anchor. */
static size_t loads_of_sitting(const Grading *judging, bool has_anchor)
{
    return (size_t)judging->plan.blocks + (has_anchor ? 2 : 0);
}

/* Opens all devices that the sitting will need, if the session has the device. It takes a second, which costs nothing while the
 * compiler runs, before anything of the submission does: how long the hidden cases take must decide nothing of it, because its
 * length would show. A submission that fails has no use for them. */
static void clocked_cases_open_ahead(const Grading *judging)
{
    if (judging_count(judging, CASE_TIMED) > 0)
        session_open_ahead(judging->session,
                           loads_of_hidden_cases(judging) + loads_of_sitting(judging, judging->job->anchor != NULL));
}

Status clocked_cases_prepare(Grading *judging, Message *why)
{
    const DeviceInfo *device = &judging->result->device;
    const JudgeJob *job = judging->job;
    Message trouble;
    if (judging_count(judging, CASE_TIMED) == 0)
        return STATUS_OK;
    if (device_monitor_open(device->uuid, &judging->monitor, &trouble) != STATUS_OK) {
        judging->monitor = NULL;
        result_warn(judging->result, "the clock and the temperature of the GPU are unknown: %s", trouble.text);
    }
    const Submission *anchor = job->anchor == NULL ? NULL : job->anchor(job->context, device);
    if (anchor != NULL && compilation_for_device(judging, anchor, device, &judging->anchor, &trouble) == STATUS_OK &&
        judging->anchor.outcome == COMPILE_OK)
        judging->anchor_name = anchor->file_name;
    return clocked_cases_start_early(judging, why);
}

/* ---- the verdicts ------------------------------------------------------------------------------------------------ */

/* Two clocks that disagree grossly, or an output that was not there when both had stopped: a clock was forged. Where solve()
 * itself returned late, nobody knows, so nobody is accused, and the times do not count. */
static void compare_clocks(Grading *judging, CaseResult *item, double usual_taken_s)
{
    Result *result = judging->result;
    Text text = {0};
    bool is_forged = timing_clocks_disagree(item->samples, item->sample_count, result->device.clock_gap_s, &text);
    OutputTaken taken = is_forged || !(usual_taken_s > 0)
                            ? TAKEN_IN_TIME
                            : timing_taken_late(item->samples, item->sample_count, usual_taken_s, &text);
    if (is_forged || taken == TAKEN_LATE) {
        item->verdict = VERDICT_INTEGRITY_VIOLATION;
        item->text = arena_string(&result->arena, text.data);
    } else if (taken == TAKEN_AFTER_RETURN && result->unsteady[0] == '\0') {
        snprintf(result->unsteady, sizeof result->unsteady, "%s", text.data);
    }
    text_free(&text);
}

static void explain_fewer_calls(Grading *judging, CaseResult *item, const TimedCase *timed)
{
    if (timed->fewest_calls == 0)
        return;
    item->fewer_calls = arena_printf(&judging->result->arena,
                                     "%d instead of %d timed calls in a block, since more would take too much of the "
                                     "grading's budget of %g s (grading_device_seconds)",
                                     timed->fewest_calls, call_plan_enough(&judging->plan, INFINITY),
                                     judging->budget.seconds);
    result_warn(judging->result, "%s: %s", item->name, item->fewer_calls);
}

static void conclude_case(Grading *judging, CaseResult *item, const TimedCase *timed)
{
    const CaseOutput output = {.compared = timed->compared, .comparison = timed->comparison};
    item->input_bytes = timed->input_bytes;
    if (!timed->compared && !timed->failed) /* an earlier failure ended the run */
        return;
    const Judgement decided = case_judgement(judging, &output, &timed->report);
    case_conclude(judging, item, &timed->report, &output, &decided);
    if (item->verdict != VERDICT_ACCEPTED)
        return;
    item->samples = timed->samples;
    item->sample_count = timed->sample_count;
    item->warm_up = timed->warm_up;
    item->warm_up_count = timed->warm_up_count;
    case_warn_of_charge(judging, item);
    explain_fewer_calls(judging, item, timed);
    compare_clocks(judging, item, timed->usual_taken_s);
    if (item->verdict == VERDICT_ACCEPTED)
        result_time_case(item, &judging->result->device);
}

/* ---- the sitting ------------------------------------------------------------------------------------------------- */

static void copy_sitting(Result *result, const TimingSession *sitting, const Measuring *measuring)
{
    launches_settle(&measuring->launches, &result->device);
    result->anchor = sitting->anchor;
    result->blocks = sitting->blocks;
    result->block_count = sitting->block_count;
    result->seconds.check += measuring->check_s;
    result->seconds.wait += measuring->wait_s;
    if (sitting->anchor_failure[0] != '\0')
        result_warn(result, "%s", sitting->anchor_failure);
}

static Status take_sitting(Grading *judging, TimedCase *cases, size_t count, Message *why)
{
    Result *result = judging->result;
    TimingSession sitting = {0};
    const Anchor anchor = {.name = judging->anchor_name, .compiled = &judging->anchor};
    Measuring measuring = {
        .problem = judging->job->problem,
        .session = judging->session,
        .limits = &judging->limits,
        .budget = &judging->budget,
        .device_oracle = judging->device_oracle,
        .oracle = judging->oracle,
        .monitor = judging->monitor,
        .usual_clock_mhz = result->device.usual_clock_mhz,
        .progress = judging->job->progress,
    };
    launches_add(&measuring.launches, &result->device);
    session_open_ahead(judging->session, loads_of_sitting(judging, anchor.name != NULL)); /* those not open yet */
    Status status = device_oracle_ready(judging->device_oracle, why);
    THEN(status, sitting_take(&measuring, &result->compiled, &anchor, &judging->plan, cases, count, &result->arena,
                              &sitting, why));
    copy_sitting(result, &sitting, &measuring);
    return status;
}

/* The cases to be timed; `items` are the places of their results. */
static TimedCase *list_clocked_cases(Grading *judging, CaseResult ***items, size_t *count)
{
    Result *result = judging->result;
    TimedCase *cases = arena_array(&result->arena, result->case_count, sizeof *cases);
    *items = arena_array(&result->arena, result->case_count, sizeof **items);
    *count = 0;
    for (size_t i = 0; i < result->case_count; i++)
        if (result->cases[i].group == CASE_TIMED) {
            (*items)[*count] = &result->cases[i];
            cases[(*count)++].testcase = judging->testcases[i];
        }
    return cases;
}

Status clocked_cases_run(Grading *judging, Message *why)
{
    Result *result = judging->result;
    double start_s = now_s();
    size_t count;
    CaseResult **items;
    TimedCase *cases = list_clocked_cases(judging, &items, &count);
    if (judging->ended || count == 0)
        return STATUS_OK;
    Status status = take_sitting(judging, cases, count, why);
    for (size_t i = 0; i < count; i++) {
        if (status == STATUS_OK)
            conclude_case(judging, items[i], &cases[i]);
        text_free(&cases[i].report.printed);
    }
    if (status == STATUS_OK)
        judging_end_step(judging, CASE_TIMED);
    else
        progress_end(judging->job->progress, "failed");
    result_find_unsteady(result);
    result->seconds.open = session_open_seconds(judging->session);
    result->seconds.timed = now_s() - start_s;
    return status;
}

/* ==== loading ===================================================================================================== */

/* Gets the submission into a runner: at the beginning, and again where a new runner is wanted. */

/* Asks again for what is known of the device: more once it is open. */
static MUST_USE Status loading_learn_device(Grading *judging, Message *why)
{
    DeviceInfo *device = &judging->result->device;
    bool was_confined = device->unconfined[0] == '\0';
    TRY(session_device(judging->session, device, why));
    if (was_confined && device->unconfined[0] != '\0')
        result_warn(judging->result, "the broker ran with sandbox partial: %s", device->unconfined);
    return STATUS_OK;
}

/* Times of a modelled device whose code clang compiled are those of another device. */
static void loading_mark_times(Grading *judging)
{
    DeviceInfo *device = &judging->result->device;
    if (device->modelled)
        toolkit_mark_times(&judging->toolkit, device->id, sizeof device->id);
}

static CallLimits limits_of(const ProblemLimits *problem)
{
    return (CallLimits){
        .device_bytes = problem->device_bytes,
        .host_bytes = problem->host_bytes,
        .host_seconds = problem->host_seconds,
        .device_seconds = problem->device_seconds,
        .wall_seconds = problem->wall_seconds,
        .warp_instructions = problem->warp_instructions,
    };
}

/* While an object is loaded, only its constructors take time worth mentioning, but its arrays take memory, too. Of other
 * failures the session says where they were. */
static const char *place_before_solve(Verdict verdict, CallPhase phase)
{
    if (phase != PHASE_LOADING)
        return "";
    return verdict == VERDICT_TIME_LIMIT_EXCEEDED     ? "a constructor, before solve(): "
           : verdict == VERDICT_MEMORY_LIMIT_EXCEEDED ? "global variables or a constructor, before solve(): "
                                                      : "";
}

static void end_before_solve(Grading *judging, Judgement decided, CallPhase phase)
{
    Text text = {0};
    text_printf(&text, "%s%s", place_before_solve(decided.verdict, phase), decided.text);
    judging_end(judging, decided.verdict, text.data);
    text_free(&text);
}

static void tell_of_queue(void *context, const char *holder, double waited_s)
{
    Grading *judging = context;
    if (!judging->queued)
        progress_begin(judging->job->progress, "queue", 0);
    judging->queued = true;
    progress_note(judging->job->progress, "the GPU is in use by %s (%.0f s)", holder, waited_s);
}

static Status load_object(Grading *judging, Message *why)
{
    CallReport report = {0};
    double start_s = now_s();
    session_on_wait(judging->session, tell_of_queue, judging);
    Status status = session_load(judging->session, &judging->result->compiled, &judging->limits, &report, why);
    if (judging->queued) {
        progress_end(judging->job->progress, status == STATUS_OK ? "the GPU is free" : "given up");
        judging->result->seconds.wait += now_s() - start_s;
    }
    judging->earlier = (EarlierInputs){0};
    judging->load = (CaseSample){.event_s = report.event_s, .host_s = report.host_s, .busy_s = report.busy_s};
    if (status == STATUS_OK && report.outcome != CALL_OK)
        end_before_solve(judging, judgement_of_call(&report, NULL, false), report.phase);
    text_free(&report.printed);
    return status;
}

/* Sees to it that nothing of an earlier call is left: neither memory of the host nor memory of the device. */
static MUST_USE Status loading_renew_runner(Grading *judging, Message *why)
{
    Status status = judging->is_fresh ? STATUS_OK : load_object(judging, why);
    judging->is_fresh = true;
    return status;
}

/* All sittings of a grading share one budget. */
static void begin_budget(Grading *judging)
{
    const ProblemLimits *limits = &judging->job->problem->limits;
    const CallBudget *spent = judging->job->spent;
    judging->budget = (CallBudget){.seconds = limits->grading_seconds,
                                   .warp_instructions = limits->grading_instructions};
    if (spent != NULL) {
        judging->budget.spent_s = spent->spent_s;
        judging->budget.spent_instructions = spent->spent_instructions;
    }
    if (!judging->session->traits.runs_c) /* a CPU baseline holds no device */
        session_set_budget(judging->session, &judging->budget);
}

/* Begins the budget of the grading and loads the submission, unless the judging has ended. A constructor that fails ends it. */
static MUST_USE Status loading_begin(Grading *judging, Message *why)
{
    judging->limits = limits_of(&judging->job->problem->limits);
    begin_budget(judging);
    if (judging->ended)
        return STATUS_OK;
    Status status = loading_renew_runner(judging, why);
    if (status == STATUS_OK && judging->job->profiles != NULL)
        status = session_profile(judging->session, &judging->profile, why);
    THEN(status, loading_learn_device(judging, why));
    if (status != STATUS_OK || judging->ended)
        return status;
    loading_mark_times(judging);
    return judging->session->traits.clock == SESSION_EVENTS ? clocked_cases_prepare(judging, why) : STATUS_OK;
}

/* ==== constant step =============================================================================================== */

/* The step that proves the rule "constant_filter" (grader/check/constant_rule.h). */

/* Compiles the submission again if what was compiled for the device at hand does not run on the simulated GPU. */
static Status compile_for_rule(const Grading *judging, Session *session, Compiled *again, Message *why)
{
    const DeviceInfo *own = &judging->result->device;
    DeviceInfo device;
    Status status = session_device(session, &device, why);
    bool same = device.compute_major == own->compute_major && device.compute_minor == own->compute_minor;
    if (status != STATUS_OK || same)
        return status;
    return compilation_for_device(judging, judging->job->submission, &device, again, why);
}

static Status check_rule(Grading *judging, ConstantRuleFinding *finding, Message *why)
{
    const Problem *problem = judging->job->problem;
    Session *session = NULL;
    Compiled again = {0};
    Status status = session_open(CONSTANT_RULE_DEVICE, &session, why);
    THEN(status, compile_for_rule(judging, session, &again, why));
    if (status == STATUS_OK)
        session_set_budget(session, &judging->budget);
    const Compiled *compiled = again.object_path == NULL ? &judging->result->compiled : &again;
    if (status == STATUS_OK && again.outcome != COMPILE_OK) {
        finding->kind = CONSTANT_RULE_UNPROVED;
        snprintf(finding->text, sizeof finding->text,
                 "a limit of the judge: the file compiles for this GPU, but not for the simulated GPU that must prove "
                 "that %s is read through constant memory",
                 problem->constant_filter);
    } else if (status == STATUS_OK) {
        status = constant_rule_check(problem, &judging->set, judging->oracle, session, compiled, &judging->limits,
                                     &judging->secret, finding, why);
    }
    session_close(session);
    compiled_free(&again);
    return status;
}

static void end_with(Grading *judging, Verdict verdict, const ConstantRuleFinding *finding)
{
    Text text = {0};
    text_add(&text, finding->text);
    wording_add_place(&text, judging->job->submission, finding->line);
    judging_end(judging, verdict, text.data);
    text_free(&text);
}

/* Ends the judging if the rule is broken, or cannot be proved. Does nothing for a problem without the rule, and for
 * plain C, which has no constant memory. */
static MUST_USE Status constant_step_run(Grading *judging, Message *why)
{
    static const Verdict verdicts[] = {[CONSTANT_RULE_KEPT] = VERDICT_ACCEPTED,
                                       [CONSTANT_RULE_BROKEN] = VERDICT_RULE_VIOLATION,
                                       [CONSTANT_RULE_UNPROVED] = VERDICT_JUDGE_ERROR};
    const JudgeJob *job = judging->job;
    ConstantRuleFinding finding = {0};
    if (judging->ended || job->timed_only || job->is_opinion || job->finds_failure ||
        job->problem->constant_filter == NULL || judging->session->traits.runs_c)
        return STATUS_OK;
    progress_begin(job->progress, "constant memory", 0);
    /* A problem must have a case that is small enough for the proof. A case of the author's own may be too large. */
    if (job->cases != NULL && constant_rule_case(job->problem, job->cases) == NULL) {
        progress_end(job->progress, "not looked at: this needs a smaller case");
        return STATUS_OK;
    }
    Status status = check_rule(judging, &finding, why);
    if (status != STATUS_OK) {
        progress_end(job->progress, "failed");
        return status;
    }
    const Verdict verdict = verdicts[finding.kind];
    progress_end(job->progress, verdict == VERDICT_ACCEPTED ? "read through it" : verdict_name(verdict));
    if (verdict != VERDICT_ACCEPTED)
        end_with(judging, verdict, &finding);
    return STATUS_OK;
}

/* ==== remaining cases ============================================================================================= */

/* The sample and hidden cases that the first failure leaves, for points (JudgeJob.all_cases).
 *
 * An author learns of one failure at most (docs/explanation/security.md). So these cases leave nothing in the result but their
 * verdicts in Result.all_cases, which no report and no result.json shows: no text, no finding, no warning, no counters. They share
 * the budget of the grading; where it is used up, the rest is Time Limit Exceeded. Whatever reaches a time limit twice is not run
 * again, since each such case costs as much as hundreds of others: the rest stays without a verdict. */

enum { MOST_TIME_LIMITS = 2 };

typedef struct VerdictSoFar { /* what a result says of the judging as a whole */
    Verdict verdict;
    const char *text;
    size_t warning_count;
    const char *note;
} VerdictSoFar;

static VerdictSoFar verdict_so_far(const Result *result)
{
    return (VerdictSoFar){result->verdict, result->text, result->warning_count, result->note};
}

static void restore(Result *result, const VerdictSoFar *told)
{
    result->verdict = told->verdict;
    result->text = told->text;
    result->warning_count = told->warning_count;
    result->note = told->note;
}

/* Whether a failure has left cases that are wanted. */
static bool remaining_cases_are_wanted(const Grading *judging)
{
    return judging->job->all_cases && result_failed_case(judging->result) != NULL;
}

/* A list of its own from the beginning, so that nothing has to be told apart later. */
static CaseVerdict *list_of(Grading *judging)
{
    Result *result = judging->result;
    if (result->all_cases == NULL)
        result->all_cases = arena_array(&result->arena, result->case_count, sizeof *result->all_cases);
    return result->all_cases;
}

/* The runner is new and has been called by nobody; false: not even a constructor ended well, and the verdict says how. */
static Status renew(Grading *judging, bool *is_loaded, Message *why)
{
    judging->is_fresh = judging->ended = judging->runner_is_spent = false;
    Status status = loading_renew_runner(judging, why);
    *is_loaded = !judging->ended;
    judging->is_fresh = false;
    return status;
}

/* The case takes its place among the others, from which its data follow, and leaves it as it was. */
static Status run_in_place(Grading *judging, size_t place, Verdict *verdict, Message *why)
{
    CaseResult *item = &judging->result->cases[place];
    const CaseResult before = *item;
    Status status = case_run(judging, judging->testcases[place], item, why);
    *verdict = item->verdict;
    *item = before;
    return status;
}

static Status run_one(Grading *judging, size_t place, bool *needs_runner, Message *why)
{
    bool is_loaded = true;
    Verdict verdict = VERDICT_ACCEPTED;
    Status status = *needs_runner ? renew(judging, &is_loaded, why) : STATUS_OK;
    if (status == STATUS_OK && is_loaded)
        status = run_in_place(judging, place, &verdict, why);
    else
        verdict = judging->result->verdict;
    *needs_runner = judging->runner_is_spent || (verdict != VERDICT_ACCEPTED && verdict != VERDICT_WRONG_ANSWER);
    list_of(judging)[place] = (CaseVerdict){.judged = true, .verdict = verdict};
    return status;
}

static bool hangs(Grading *judging)
{
    const Result *result = judging->result;
    int time_limits = 0;
    for (size_t i = 0; i < result->case_count; i++) {
        const CaseVerdict *later = &list_of(judging)[i];
        time_limits += result->cases[i].judged && result->cases[i].verdict == VERDICT_TIME_LIMIT_EXCEEDED;
        time_limits += later->judged && later->verdict == VERDICT_TIME_LIMIT_EXCEEDED;
    }
    return time_limits >= MOST_TIME_LIMITS;
}

/* Judges what is left of a group: the first of them with a new runner, and each that follows one whose runner was of no use. */
static MUST_USE Status remaining_cases_run(Grading *judging, CaseGroup group, Message *why)
{
    Result *result = judging->result;
    const VerdictSoFar told = verdict_so_far(result);
    bool needs_runner = true;
    Status status = STATUS_OK;
    if (!remaining_cases_are_wanted(judging))
        return STATUS_OK;
    for (size_t i = 0; i < result->case_count && status == STATUS_OK && !hangs(judging); i++)
        if (result->cases[i].group == group && !result->cases[i].judged)
            status = run_one(judging, i, &needs_runner, why);
    restore(result, &told);
    judging->ended = true;
    return status;
}

/* Fills in Result.all_cases, before the testcases are freed, which have the names. */
static void remaining_cases_conclude(Grading *judging)
{
    const Result *result = judging->result;
    if (!judging->job->all_cases)
        return;
    CaseVerdict *list = list_of(judging);
    for (size_t i = 0; i < result->case_count; i++) {
        list[i].name = arena_string(&judging->result->arena, judging->testcases[i]->name);
        if (!result->cases[i].judged)
            continue;
        list[i].judged = true;
        list[i].verdict = result->cases[i].verdict;
    }
}

/* ==== judge ======================================================================================================= */

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

/* A user who has an nvcc expects its code and its times. */
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
    TRY(session_open(job->device, &judging->session, why));
    TRY(read_cases(judging, why));
    TRY(oracle_open(job->problem, &judging->oracle, why));
    TRY(choose_secret(judging, why));
    TRY(testcases_draw(job->problem, &judging->set, &judging->secret, why));
    TRY(scratch_new(judging->scratch, sizeof judging->scratch, why));
    TRY(loading_learn_device(judging, why));
    return compilation_find_compiler(judging, why);
}

/* The cases that are judged on this device. */
static Status check_predictability(const Grading *judging, Message *why)
{
    for (size_t i = 0; i < judging->result->case_count; i++)
        TRY(predictability_check(judging->job->problem, judging->testcases[i], judging->oracle, &judging->secret, why));
    return STATUS_OK;
}

static Status open_judging(Grading *judging, Message *why)
{
    double start_s = now_s();
    Result *result = judging->result;
    result_begin(result, judging->job->problem, judging->job->submission);
    TRY(open_all(judging, why));
    result->on_cpu = judging->session->traits.runs_c;
    note_conditions(judging);
    loading_mark_times(judging);
    list_cases(judging);
    choose_plan(judging);
    Status status = check_predictability(judging, why);
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
static bool needs_fresh_runner(const Grading *judging, CaseGroup group, bool is_first)
{
    return is_first || group == CASE_TIMED || judging->job->finds_failure || judging->runner_is_spent;
}

/* Wrong answers let the rest of the samples run, so that a student sees all of them. Of cases whose data are secret only
 * one mistake may be told. */
static bool ends_the_run(const JudgeJob *job, const CaseResult *item)
{
    if (item->verdict != VERDICT_WRONG_ANSWER || job->finds_failure)
        return item->verdict != VERDICT_ACCEPTED;
    return item->group != CASE_SAMPLE && !job->beyond_samples;
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
        if (needs_fresh_runner(judging, group, is_first))
            status = loading_renew_runner(judging, why);
        if (status != STATUS_OK || judging->ended)
            break;
        is_first = judging->is_fresh = false;
        status = run_case(judging, judging->testcases[place], item, why);
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
        progress_end(judging->job->progress, "remaining cases, for partial points");
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
    THEN(status, start_early(&judging, why));
    THEN(status, compilation_run(&judging, open_devices, why));
    skip_known_code(&judging);
    if (status == STATUS_OK)
        opinion_step_begin(&judging, judge_submission);
    THEN(status, loading_begin(&judging, why));
    THEN(status,
         run_group(&judging, CASE_SAMPLE, job->cases == NULL ? "sample cases" : "the case", &seconds->sample, why));
    THEN(status, run_group(&judging, CASE_HIDDEN, "hidden cases", &seconds->hidden, why));
    if (status == STATUS_OK)
        opinion_step_end(&judging);
    THEN(status, constant_step_run(&judging, why));
    THEN(status, run_timed_cases(&judging, why));
    if (status == STATUS_OK)
        remaining_cases_conclude(&judging);
    if (status == STATUS_OK)
        conclude(&judging); /* now, because giving the devices back takes a fifth of a second */
    close_all(&judging);
    if (status == STATUS_OK)
        opinion_step_retry(&judging, judge_submission);
    return status;
}

Status judge_timed(const Problem *problem, const Submission *submission, const char *device, bool one_block,
                   Result *result, Message *why)
{
    const JudgeJob job = {
        .problem = problem, .submission = submission, .device = device, .timed_only = true, .one_block = one_block};
    return judge_submission(&job, result, why);
}

bool judge_part(int argc, char **argv, int *exit_status)
{
    static const struct {
        const char *name;
        int (*main)(int argc, char **argv);
    } parts[] = {{"broker", broker_main}, {"oracle", oracle_main}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (argc > 1 && strcmp(argv[1], parts[i].name) == 0) {
            *exit_status = parts[i].main(argc - 1, argv + 1);
            return true;
        }
    return false;
}
