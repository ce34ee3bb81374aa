#include "grader/judge/judge.h"

#include "base/clock.h"
#include "grader/check/call.h"
#include "grader/judge/cpu_judge.h"
#include "grader/judge/judgement.h"
#include "grader/check/constant_rule.h"
#include "grader/device_oracle/device_oracle.h"
#include "grader/oracle/oracle.h"
#include "grader/judge/uninitialised_rerun.h"
#include "grader/timing/sitting.h"
#include "grader/result/wording.h"
#include "harness/sandbox/process.h"
#include "harness/compile/toolkit.h"

#include <stdio.h>
#include <string.h>

typedef struct Judge {
    const JudgeJob *job;
    Result *result;
    Session *session;
    Toolkit toolkit;
    char scratch[256];
    CallLimits limits;
    Oracle *oracle;
    DeviceOracle *device_oracle; /* NULL: nothing is timed by a clock */
    DeviceMonitor *monitor;      /* NULL: the state of the device is unknown */
    Compiled anchor;
    const char *anchor_name; /* NULL: none */
    TestcaseSet set;
    const Testcase **testcases;      /* of result->cases, one by one */
    const ExecutionProfile *profile; /* the session's; NULL: none is wanted */
    uint64_t secret;                 /* seed of this run's data */
    bool findings_told;
    bool queued; /* somebody else had the device */
    bool ended;  /* the verdict is final */
} Judge;

/* ---- one case ---------------------------------------------------------------------------------------------------- */

static Status compare_output(const Judge *judge, const Call *call, CaseResult *item, Message *why)
{
    item->compared = true;
    return call_compare(call, judge->oracle, &item->comparison, why);
}

/* A sentence that may be shown. */
static const char *showable(Judge *judge, bool is_hidden, const char *message)
{
    Text text = {0};
    wording_add(&text, judge->job->submission, is_hidden, message);
    const char *copy = arena_copy(&judge->result->arena, text.data == NULL ? "" : text.data, text.length);
    text_free(&text);
    return copy;
}

/* Of hidden cases one finding is told at most: which lines have some is the submission's choice, and could carry data
 * out. */
static void limit_findings(const Judge *judge, const CaseResult *item, DeviceFindings *findings)
{
    if (item->group == CASE_HIDDEN && judge->findings_told)
        *findings = (DeviceFindings){0};
    else if (item->group == CASE_HIDDEN)
        findings->more = 0;
}

/* The name of a call comes from the submission's process, and could carry hidden data out. */
static void hide_name_of_missing_call(const CaseResult *item, CallReport *report)
{
    if (item->group == CASE_HIDDEN && report->not_provided[0] != '\0')
        snprintf(report->not_provided, sizeof report->not_provided, "a CUDA call that solve() makes");
}

/* A wrong output is explained by its text. Where the output is right, threads beside the data have read parts of a tile
 * that nobody loaded, as many do, and thrown the result away. */
static bool is_warning(const CaseResult *item, const DeviceFinding *finding)
{
    return item->verdict != VERDICT_WRONG_ANSWER && (!finding->is_unwritten || finding->is_global);
}

/* Of the first call that has any; the others mostly have the same. */
static void warn_of_findings(Judge *judge, const CaseResult *item, const DeviceFindings *findings)
{
    bool is_hidden = item->group == CASE_HIDDEN;
    if (judge->findings_told)
        return;
    judge->findings_told = item->verdict == VERDICT_WRONG_ANSWER && findings->count > 0;
    for (uint32_t i = 0; i < findings->count && !(is_hidden && judge->findings_told); i++)
        if (is_warning(item, &findings->items[i])) {
            result_warn(judge->result, "%s", showable(judge, is_hidden, findings->items[i].text));
            judge->findings_told = true;
        }
    if (findings->more > 0)
        result_warn(judge->result, "and %u more findings of this kind", findings->more);
}

static void warn_of_what_was_overlooked(Judge *judge, const CaseResult *item, const CallReport *call)
{
    if (call->first_error != 0)
        result_warn(judge->result, "a CUDA call failed, though the output was right: %s",
                    showable(judge, item->group == CASE_HIDDEN, call->first_error_text));
    if (call->pending_at_return)
        result_warn(judge->result, "solve() returned before its kernels had finished; add cudaDeviceSynchronize()");
}

static void keep_sample(Judge *judge, CaseResult *item, const CallReport *call)
{
    item->samples = arena_array(&judge->result->arena, 1, sizeof *item->samples);
    item->samples[item->sample_count++] = (CaseSample){.event_s = call->event_s, .host_s = call->host_s};
    result_time_case(item, &judge->result->device);
}

static Judgement judge_first_call(const Judge *judge, const CaseResult *item, const CallReport *call)
{
    return judgement_of_call(call, item->compared ? &item->comparison : NULL,
                             judge->job->problem->kernel_must_write_output);
}

/* Puts what one call showed into the case's result. */
static void conclude_case(Judge *judge, CaseResult *item, const CallReport *call, const Judgement *decided)
{
    item->judged = true;
    item->verdict = decided->verdict;
    item->text = showable(judge, item->group == CASE_HIDDEN, decided->text);
    item->statistics = call->statistics;
    if (item->group == CASE_SAMPLE && call->printed.length > 0) {
        item->printed = arena_copy(&judge->result->arena, call->printed.data, call->printed.length);
        item->printed_lost = call->printed_lost;
    }
    warn_of_findings(judge, item, &call->findings);
    if (item->verdict != VERDICT_ACCEPTED)
        return;
    warn_of_what_was_overlooked(judge, item, call);
}

static Status judge_case(Judge *judge, const Testcase *testcase, CaseResult *item, Message *why)
{
    Call call;
    CallReport report = {0};
    Status status = call_prepare(judge->job->problem, testcase, judge->session, &call, why);
    if (status == STATUS_OK) {
        call_fill(&call, judge->secret);
        item->input_bytes = call_input_bytes(&call);
        session_watch(judge->session, !case_is_timed(item->group));
        session_time(judge->session, case_is_timed(item->group));
        status = session_call(judge->session, call.arguments, judge->job->problem->parameter_count, true, &report, why);
    }
    if (status == STATUS_OK && report.outcome == CALL_OK)
        status = compare_output(judge, &call, item, why);
    const bool uses_undefined = judgement_needs_rerun(&report);
    limit_findings(judge, item, &report.findings);
    hide_name_of_missing_call(item, &report);
    Judgement decided = judge_first_call(judge, item, &report);
    if (status == STATUS_OK && decided.verdict == VERDICT_ACCEPTED && uses_undefined)
        status = uninitialised_rerun_try(&call, judge->session, judge->oracle, &report, item, &decided, why);
    if (status == STATUS_OK)
        conclude_case(judge, item, &report, &decided);
    if (status == STATUS_OK && case_is_timed(item->group) && item->verdict == VERDICT_ACCEPTED)
        keep_sample(judge, item, &report);
    text_free(&report.printed);
    return status;
}

/* ---- groups of cases --------------------------------------------------------------------------------------------- */

typedef struct GroupCount {
    int cases, judged, accepted;
} GroupCount;

static GroupCount count_group(const Result *result, CaseGroup group)
{
    GroupCount count = {0};
    for (size_t i = 0; i < result->case_count; i++) {
        const CaseResult *item = &result->cases[i];
        if (item->group != group)
            continue;
        count.cases++;
        count.judged += item->judged;
        count.accepted += item->judged && item->verdict == VERDICT_ACCEPTED;
    }
    return count;
}

static void end_step(const Judge *judge, CaseGroup group)
{
    GroupCount count = count_group(judge->result, group);
    const CaseResult *failed = result_failed_case(judge->result);
    char text[200];
    if (failed == NULL)
        snprintf(text, sizeof text, "%d of %d accepted", count.accepted, count.cases);
    else
        snprintf(text, sizeof text, "%d of %d accepted, %s: %s", count.accepted, count.cases, failed->name,
                 verdict_name(failed->verdict));
    progress_end(judge->job->progress, text);
}

static Status judge_group(Judge *judge, CaseGroup group, const char *step, double *seconds, Message *why)
{
    Result *result = judge->result;
    Status status = STATUS_OK;
    bool failed = false;
    int total = count_group(result, group).cases;
    if (judge->ended || total == 0)
        return STATUS_OK;

    double start_s = now_s();
    progress_begin(judge->job->progress, step, total);
    for (size_t i = 0; i < result->case_count && !judge->ended && status == STATUS_OK; i++) {
        CaseResult *item = &result->cases[i];
        if (item->group != group)
            continue;
        status = judge_case(judge, judge->testcases[i], item, why);
        failed = failed || item->verdict != VERDICT_ACCEPTED;
        judge->ended = failed && item->verdict != VERDICT_WRONG_ANSWER && item->verdict != VERDICT_ACCEPTED;
        progress_advance(judge->job->progress);
    }
    judge->ended = judge->ended || (failed && !(group == CASE_SAMPLE && judge->job->beyond_samples));
    end_step(judge, group);
    *seconds = now_s() - start_s;
    return status;
}

/* ---- timed cases, by a clock ------------------------------------------------------------------------------------- */

/* Two clocks that tell different stories: one of them was forged. */
static void compare_clocks(Judge *judge, CaseResult *item)
{
    Text text = {0};
    if (timing_clocks_disagree(item->samples, item->sample_count, judge->result->device.clock_gap_s, &text)) {
        item->verdict = VERDICT_INTEGRITY_VIOLATION;
        item->text = arena_string(&judge->result->arena, text.data);
    }
    text_free(&text);
}

static void conclude_timed_case(Judge *judge, CaseResult *item, const CaseCalls *calls)
{
    item->compared = calls->compared;
    item->comparison = calls->comparison;
    item->input_bytes = calls->input_bytes;
    if (!calls->compared && !calls->failed) /* an earlier failure ended the run */
        return;
    const Judgement decided = judge_first_call(judge, item, &calls->report);
    conclude_case(judge, item, &calls->report, &decided);
    if (item->verdict != VERDICT_ACCEPTED)
        return;
    item->samples = calls->samples;
    item->sample_count = calls->sample_count;
    compare_clocks(judge, item);
    if (item->verdict == VERDICT_ACCEPTED)
        result_time_case(item, &judge->result->device);
}

static void take_over_sitting(Result *result, const Sitting *sitting, const Measuring *measuring)
{
    result->anchor = sitting->anchor;
    result->blocks = sitting->blocks;
    result->block_count = sitting->block_count;
    result->seconds.check += measuring->check_s;
    result->seconds.wait += measuring->wait_s;
    if (sitting->anchor_failure[0] != '\0')
        result_warn(result, "%s", sitting->anchor_failure);
}

static Status take_sitting(Judge *judge, CaseCalls *calls, size_t count, Message *why)
{
    Sitting sitting = {0};
    const Anchor anchor = {.name = judge->anchor_name, .compiled = &judge->anchor};
    Measuring measuring = {
        .problem = judge->job->problem,
        .session = judge->session,
        .limits = &judge->limits,
        .device_oracle = judge->device_oracle,
        .oracle = judge->oracle,
        .monitor = judge->monitor,
        .usual_clock_mhz = judge->result->device.usual_clock_mhz,
        .progress = judge->job->progress,
        .secret = judge->secret,
    };
    Status status = device_oracle_ready(judge->device_oracle, why);
    if (status == STATUS_OK)
        status = sitting_take(&measuring, &judge->result->compiled, &anchor, calls, count, &judge->result->arena,
                              &sitting, why);
    take_over_sitting(judge->result, &sitting, &measuring);
    return status;
}

static Status judge_by_clock(Judge *judge, Message *why)
{
    Result *result = judge->result;
    double start_s = now_s();
    size_t count = 0;
    CaseCalls *calls = arena_array(&result->arena, result->case_count, sizeof *calls);
    CaseResult **items = arena_array(&result->arena, result->case_count, sizeof *items);
    for (size_t i = 0; i < result->case_count; i++)
        if (result->cases[i].group == CASE_TIMED_CUDA) {
            items[count] = &result->cases[i];
            calls[count++].testcase = judge->testcases[i];
        }
    if (judge->ended || count == 0)
        return STATUS_OK;
    Status status = take_sitting(judge, calls, count, why);
    for (size_t i = 0; i < count; i++) {
        if (status == STATUS_OK)
            conclude_timed_case(judge, items[i], &calls[i]);
        text_free(&calls[i].report.printed);
    }
    if (status == STATUS_OK)
        end_step(judge, CASE_TIMED_CUDA);
    else
        progress_end(judge->job->progress, "failed");
    result_find_unsteady(result);
    result->seconds.open = session_open_seconds(judge->session);
    result->seconds.timed = now_s() - start_s;
    return status;
}

/* ---- the steps before -------------------------------------------------------------------------------------------- */

/* The cases of this device. */
static void list_cases(Judge *judge)
{
    const bool untimed = !judge->job->timed_only, timed = !judge->job->untimed_only;
    const bool modelled = judge->result->device.modelled;
    const bool wanted[CASE_GROUPS] = {[CASE_SAMPLE] = untimed,
                                      [CASE_HIDDEN] = untimed,
                                      [CASE_TIMED_SIM] = timed && modelled,
                                      [CASE_TIMED_CUDA] = timed && !modelled};
    result_list_cases(judge->result, &judge->set, wanted, &judge->testcases);
    if (judge->job->profile != NULL)
        result_keep_largest_case(judge->result, judge->testcases);
}

void judge_note_device(Progress *progress, const DeviceInfo *device)
{
    char outcome[sizeof device->passed_over + 40];
    if (device->passed_over[0] == '\0')
        return;
    snprintf(outcome, sizeof outcome, "simulated: %s", device->passed_over);
    progress_begin(progress, "device", 0);
    progress_end(progress, outcome);
}

/* What is known of the device; more once it is open. */
static Status learn_device(Judge *judge, Message *why)
{
    DeviceInfo *device = &judge->result->device;
    Status status = session_device(judge->session, device, why);
    if (status == STATUS_OK)
        judge_note_device(judge->job->progress, device);
    if (status == STATUS_OK && device->modelled)
        toolkit_mark_times(&judge->toolkit, device->id, sizeof device->id);
    return status;
}

/* The broker opens the device while everything else is read. */
static Status open_all(Judge *judge, Message *why)
{
    const JudgeJob *job = judge->job;
    Status status = session_start(job->device, &judge->session, why);
    if (status == STATUS_OK)
        status = toolkit_find(&judge->toolkit, why);
    if (status == STATUS_OK)
        status = testcases_read(job->problem, &judge->set, why);
    if (status == STATUS_OK)
        status = oracle_open(job->problem, &judge->oracle, why);
    if (status == STATUS_OK)
        status = secret_seed(&judge->secret, why);
    if (status == STATUS_OK)
        status = scratch_new(judge->scratch, sizeof judge->scratch, why);
    if (status == STATUS_OK)
        status = learn_device(judge, why);
    if (status == STATUS_OK && !judge->result->device.modelled)
        status = toolkit_find_nvcc(&judge->toolkit, why);
    return status;
}

static Status start(Judge *judge, Message *why)
{
    double start_s = now_s();
    Result *result = judge->result;
    result_begin(result, judge->job->problem, judge->job->submission);
    Status status = open_all(judge, why);
    if (status != STATUS_OK)
        return status;
    snprintf(result->toolkit, sizeof result->toolkit, "%s", judge->toolkit.name);
    result->by_clang = judge->toolkit.kind == TOOLKIT_CLANG;
    list_cases(judge);
    result->seconds.start = now_s() - start_s;
    return STATUS_OK;
}

/* The verdict without any case. */
static void end_with(Judge *judge, Verdict verdict, const char *text)
{
    judge->result->verdict = verdict;
    judge->result->text = showable(judge, false, text);
    judge->ended = true;
}

static void end_compile_step(const Judge *judge)
{
    const Compiled *compiled = &judge->result->compiled;
    CompileKernel most = result_largest_use(compiled);
    Text text = {0};
    if (compiled->outcome != COMPILE_OK)
        text_add(&text,
                 verdict_name(compiled->outcome == COMPILE_UNSUPPORTED ? VERDICT_JUDGE_ERROR : VERDICT_COMPILE_ERROR));
    else
        text_printf(&text, "%.1f s%s", compiled->seconds, compiled->cached ? " (kept from before)" : "");
    if (compiled->kernel_count > 0)
        text_printf(&text, ", %u registers, %u bytes shared, %u bytes spilled", most.registers, most.shared_bytes,
                    most.spill_bytes);
    progress_end(judge->job->progress, text.data);
    text_free(&text);
}

Status judge_compile(const Problem *problem, const Submission *submission, const DeviceInfo *device,
                     const Toolkit *toolkit, const char *scratch, Compiled *compiled, Message *why)
{
    const char *types[PROBLEM_MAX_PARAMETERS];
    for (size_t i = 0; i < problem->parameter_count; i++)
        types[i] = problem->parameters[i].c_type;
    const CompileJob job = {
        .file_name = submission->file_name,
        .source = submission->source.data,
        .source_bytes = submission->source.length,
        .prototype = problem->signature,
        .parameter_types = types,
        .parameter_count = problem->parameter_count,
        .compute = 10 * device->compute_major + device->compute_minor,
    };
    return compile_submission(&job, toolkit, scratch, compiled, why);
}

static Status compile_for(const Judge *judge, const Submission *submission, const DeviceInfo *device,
                          Compiled *compiled, Message *why)
{
    return judge_compile(judge->job->problem, submission, device, &judge->toolkit, judge->scratch, compiled, why);
}

static Status compile(Judge *judge, Message *why)
{
    double start_s = now_s();
    progress_begin(judge->job->progress, "compile", 0);
    Status status = compile_for(judge, judge->job->submission, &judge->result->device, &judge->result->compiled, why);
    judge->result->seconds.compile = now_s() - start_s;
    if (status != STATUS_OK) {
        progress_end(judge->job->progress, "failed");
        return status;
    }
    end_compile_step(judge);
    switch (judge->result->compiled.outcome) {
    case COMPILE_OK: break;
    case COMPILE_ERROR: end_with(judge, VERDICT_COMPILE_ERROR, "the compiler refused the file"); break;
    case COMPILE_UNSUPPORTED:
        end_with(judge, VERDICT_JUDGE_ERROR, "a limit of the judge: clang compiles only a part of CUDA here");
        break;
    case COMPILE_TIME_LIMIT: end_with(judge, VERDICT_COMPILE_ERROR, "the compiler did not end in time"); break;
    case COMPILE_TOO_LARGE:
        end_with(judge, VERDICT_COMPILE_ERROR, "compiling took more memory or room than is allowed");
        break;
    }
    return STATUS_OK;
}

/* What spends time or memory before solve() can only be a constructor; of other troubles the session says where. */
static void end_before_solve(Judge *judge, Judgement decided)
{
    Text text = {0};
    bool limit = decided.verdict == VERDICT_TIME_LIMIT_EXCEEDED || decided.verdict == VERDICT_MEMORY_LIMIT_EXCEEDED;
    text_printf(&text, "%s%s", limit ? "a constructor, before solve(): " : "", decided.text);
    end_with(judge, decided.verdict, text.data);
    text_free(&text);
}

static void tell_of_queue(void *context, const char *holder, double waited_s)
{
    Judge *judge = context;
    if (!judge->queued)
        progress_begin(judge->job->progress, "queue", 0);
    judge->queued = true;
    progress_note(judge->job->progress, "the GPU is in use by %s (%.0f s)", holder, waited_s);
}

/* Opens what times by a clock, while the untimed cases run. */
static Status open_clock(Judge *judge, Message *why)
{
    const DeviceInfo *device = &judge->result->device;
    const Submission *anchor = judge->job->anchor == NULL ? NULL : judge->job->anchor(judge->job->context, device);
    Message trouble;
    if (count_group(judge->result, CASE_TIMED_CUDA).cases == 0)
        return STATUS_OK;
    if (device_monitor_open(device->uuid, &judge->monitor, &trouble) != STATUS_OK) {
        judge->monitor = NULL;
        result_warn(judge->result, "clock and temperature are not known: %s", trouble.text);
    }
    if (anchor != NULL && compile_for(judge, anchor, device, &judge->anchor, &trouble) == STATUS_OK &&
        judge->anchor.outcome == COMPILE_OK)
        judge->anchor_name = anchor->file_name;
    return device_oracle_start(judge->job->problem, device->handle, &judge->device_oracle, why);
}

static Status load(Judge *judge, Message *why)
{
    const ProblemLimits *problem = &judge->job->problem->limits;
    judge->limits = (CallLimits){
        .device_bytes = problem->device_bytes,
        .host_bytes = problem->host_bytes,
        .host_seconds = problem->host_seconds,
        .device_seconds = problem->device_seconds,
        .wall_seconds = problem->wall_seconds,
        .warp_instructions = problem->warp_instructions,
    };
    if (judge->ended)
        return STATUS_OK;
    CallReport report = {0};
    double start_s = now_s();
    session_on_wait(judge->session, tell_of_queue, judge);
    Status status = session_load(judge->session, &judge->result->compiled, &judge->limits, &report, why);
    if (judge->queued) {
        progress_end(judge->job->progress, status == STATUS_OK ? "the GPU is free" : "given up");
        judge->result->seconds.wait += now_s() - start_s;
    }
    if (status == STATUS_OK && report.outcome != CALL_OK)
        end_before_solve(judge, judgement_of_call(&report, NULL, false));
    text_free(&report.printed);
    if (status == STATUS_OK && judge->job->profile != NULL)
        status = session_profile(judge->session, &judge->profile, why);
    if (status == STATUS_OK)
        status = learn_device(judge, why);
    return status == STATUS_OK && !judge->ended ? open_clock(judge, why) : status;
}

/* ---- the rule about constant memory ------------------------------------------------------------------------------ */

/* Once more, where what was compiled for the device at hand does not run on the simulated GPU. */
static Status compile_for_rule(const Judge *judge, Session *session, Compiled *again, Message *why)
{
    const DeviceInfo *own = &judge->result->device;
    DeviceInfo device;
    Status status = session_device(session, &device, why);
    bool same = device.compute_major == own->compute_major && device.compute_minor == own->compute_minor;
    return status == STATUS_OK && !same ? compile_for(judge, judge->job->submission, &device, again, why) : status;
}

static Status check_rule(const Judge *judge, ConstantRuleFinding *finding, Message *why)
{
    Session *session = NULL;
    Compiled again = {0};
    Status status = session_start(CONSTANT_RULE_DEVICE, &session, why);
    if (status == STATUS_OK)
        status = compile_for_rule(judge, session, &again, why);
    const Compiled *compiled = again.object_path == NULL ? &judge->result->compiled : &again;
    if (status == STATUS_OK && again.outcome != COMPILE_OK) {
        finding->kind = CONSTANT_RULE_UNPROVED;
        snprintf(finding->text, sizeof finding->text,
                 "a limit of the judge: the file compiles for this GPU, but not for the simulated GPU that must prove "
                 "that %s is read through constant memory",
                 judge->job->problem->constant_filter);
    } else if (status == STATUS_OK) {
        status = constant_rule_check(judge->job->problem, &judge->set, judge->oracle, session, compiled, &judge->limits,
                                     judge->secret, finding, why);
    }
    session_close(session);
    compiled_free(&again);
    return status;
}

static Status judge_constant_rule(Judge *judge, Message *why)
{
    static const Verdict verdicts[] = {[CONSTANT_RULE_KEPT] = VERDICT_ACCEPTED,
                                       [CONSTANT_RULE_BROKEN] = VERDICT_RULE_VIOLATION,
                                       [CONSTANT_RULE_UNPROVED] = VERDICT_JUDGE_ERROR};
    ConstantRuleFinding finding = {0};
    if (judge->ended || judge->job->timed_only || judge->job->problem->constant_filter == NULL)
        return STATUS_OK;
    progress_begin(judge->job->progress, "constant memory", 0);
    Status status = check_rule(judge, &finding, why);
    if (status != STATUS_OK) {
        progress_end(judge->job->progress, "failed");
        return status;
    }
    const Verdict verdict = verdicts[finding.kind];
    progress_end(judge->job->progress, verdict == VERDICT_ACCEPTED ? "read through it" : verdict_name(verdict));
    if (verdict != VERDICT_ACCEPTED)
        end_with(judge, verdict, finding.text);
    return STATUS_OK;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static void conclude(const Judge *judge)
{
    Result *result = judge->result;
    const CaseResult *failed = result_failed_case(result);
    if (failed != NULL) {
        result->verdict = failed->verdict;
        result->text = failed->text;
    }
    if (result->verdict == VERDICT_ACCEPTED)
        result_score(result);
    progress_begin(judge->job->progress, "verdict", 0);
    progress_end(judge->job->progress, verdict_name(result->verdict));
}

static void close_all(Judge *judge)
{
    if (judge->profile != NULL)
        *judge->job->profile = *judge->profile;
    device_oracle_stop(judge->device_oracle);
    device_monitor_close(judge->monitor);
    session_close(judge->session);
    compiled_free(&judge->anchor);
    oracle_close(judge->oracle);
    testcases_free(&judge->set);
    if (judge->scratch[0] != '\0')
        scratch_remove(judge->scratch);
}

Status judge_submission(const JudgeJob *job, Result *result, Message *why)
{
    if (cpu_judge_is_device(job->device))
        return judge_on_cpu(job, result, why);
    Judge judge = {.job = job, .result = result};
    StepSeconds *seconds = &result->seconds;
    Status status = start(&judge, why);
    if (status == STATUS_OK)
        status = compile(&judge, why);
    if (status == STATUS_OK)
        status = load(&judge, why);
    if (status == STATUS_OK)
        status = judge_group(&judge, CASE_SAMPLE, "sample cases", &seconds->sample, why);
    if (status == STATUS_OK)
        status = judge_group(&judge, CASE_HIDDEN, "hidden cases", &seconds->hidden, why);
    if (status == STATUS_OK)
        status = judge_constant_rule(&judge, why);
    if (status == STATUS_OK)
        status = judge_group(&judge, CASE_TIMED_SIM, "timed cases", &seconds->timed, why);
    if (status == STATUS_OK)
        status = judge_by_clock(&judge, why);
    if (status == STATUS_OK)
        conclude(&judge);
    close_all(&judge);
    return status;
}
