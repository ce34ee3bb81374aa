#include "grader/judge.h"

#include "grader/oracle.h"
#include "grader/redact.h"
#include "grader/version.h"
#include "harness/process.h"
#include "harness/sandbox.h"
#include "harness/toolkit.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

typedef struct Judge {
    const JudgeJob *job;
    Result *result;
    Session *session;
    Toolkit toolkit;
    char scratch[256];
    Oracle *oracle;
    TestcaseSet set;
    const Testcase **testcases; /* of result->cases, one by one */
    uint64_t secret;            /* seed of this run's data */
    bool ended;                 /* the verdict is final */
} Judge;

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* ---- one call ---------------------------------------------------------------------------------------------------- */

__attribute__((format(printf, 2, 3))) static Judgement judgement(Verdict verdict, const char *format, ...)
{
    Judgement result = {.verdict = verdict};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(result.text, sizeof result.text, format, arguments);
    va_end(arguments);
    return result;
}

/* solve() did not come to a good end. */
static Judgement judge_outcome(const CallReport *call)
{
    switch (call->outcome) {
    case CALL_OK: break;
    case CALL_RUN_TIME_ERROR:
        if (call->allocation_refused)
            return judgement(VERDICT_MEMORY_LIMIT_EXCEEDED, "device memory beyond the limit was refused, and then %s",
                             call->text);
        return judgement(VERDICT_RUN_TIME_ERROR, "%s", call->text);
    case CALL_TIME_LIMIT: return judgement(VERDICT_TIME_LIMIT_EXCEEDED, "%s", call->text);
    case CALL_MEMORY_LIMIT: return judgement(VERDICT_MEMORY_LIMIT_EXCEEDED, "%s", call->text);
    case CALL_UNSUPPORTED: return judgement(VERDICT_RUN_TIME_ERROR, "a limit of the simulated GPU: %s", call->text);
    case CALL_INTEGRITY_VIOLATION: return judgement(VERDICT_INTEGRITY_VIOLATION, "%s", call->text);
    }
    return judgement(VERDICT_ACCEPTED, "%s", "");
}

/* The output is wrong: what the submission overlooked on the way explains it better than the numbers do. */
static Judgement judge_wrong_output(const CallReport *call, const Comparison *comparison)
{
    if (call->allocation_refused)
        return judgement(VERDICT_MEMORY_LIMIT_EXCEEDED, "device memory beyond the limit was asked for, and refused");
    if (call->first_error != 0)
        return judgement(VERDICT_RUN_TIME_ERROR, "%s", call->first_error_text);
    return judgement(VERDICT_WRONG_ANSWER, "%s", comparison->kind);
}

static bool is_right(const Comparison *comparison)
{
    return comparison->wrong == 0 && !comparison->rms_exceeded;
}

Judgement judge_call(const CallReport *call, const Comparison *comparison, bool kernel_must_write_output)
{
    if (call->outcome != CALL_OK || comparison == NULL)
        return judge_outcome(call);
    if (call->input_changed)
        return judgement(VERDICT_RULE_VIOLATION, "solve() changed one of its input arrays");
    if (!is_right(comparison))
        return judge_wrong_output(call, comparison);
    if (kernel_must_write_output && call->kernel_wrote_output == 0)
        return judgement(VERDICT_RULE_VIOLATION, "no kernel wrote the output: it was computed by the CPU or copied");
    return judgement(VERDICT_ACCEPTED, "%s", "");
}

/* ---- one case ---------------------------------------------------------------------------------------------------- */

static bool is_timed(const CaseResult *item)
{
    return item->group == CASE_TIMED_CUDA || item->group == CASE_TIMED_SIM;
}

/* The parameters of solve() for one case, with memory for the arrays. */
static Status prepare_arguments(Judge *judge, const Testcase *testcase, SessionArgument *arguments, size_t *counts,
                                Message *why)
{
    const Problem *problem = judge->job->problem;
    for (size_t i = 0; i < problem->parameter_count; i++) {
        const Parameter *parameter = &problem->parameters[i];
        size_t shape[TENSOR_MAX_RANK];
        arguments[i] = (SessionArgument){.name = parameter->name};
        if (parameter->role == ROLE_SIZE) {
            arguments[i].role = ARGUMENT_VALUE;
            arguments[i].value = (uint64_t)testcase->sizes.values[i];
            continue;
        }
        Status status = problem_shape(problem, i, &testcase->sizes, shape, &counts[i], why);
        if (status != STATUS_OK)
            return status;
        arguments[i].role = parameter->role == ROLE_IN ? ARGUMENT_INPUT : ARGUMENT_OUTPUT;
        arguments[i].bytes = counts[i] * element_bytes(parameter->type);
        arguments[i].float_output = parameter->role == ROLE_OUT && parameter->type == ELEMENT_FLOAT32;
    }
    return session_buffers(judge->session, arguments, problem->parameter_count, why);
}

static void fill_inputs(const Judge *judge, const Testcase *testcase, const SessionArgument *arguments,
                        const size_t *counts, CaseResult *item)
{
    const Problem *problem = judge->job->problem;
    for (size_t i = 0; i < problem->parameter_count; i++)
        if (arguments[i].role == ARGUMENT_INPUT) {
            testcase_fill(problem, testcase, i, judge->secret, arguments[i].data, counts[i]);
            item->input_bytes += (int64_t)arguments[i].bytes;
        }
}

static Status compare_output(const Judge *judge, const Testcase *testcase, const SessionArgument *arguments,
                             CaseResult *item, Message *why)
{
    const Problem *problem = judge->job->problem;
    const void *inputs[PROBLEM_MAX_PARAMETERS] = {0};
    for (size_t i = 0; i < problem->parameter_count; i++)
        if (arguments[i].role == ARGUMENT_INPUT)
            inputs[i] = arguments[i].data;
    item->compared = true;
    return checker_compare(problem, testcase, judge->oracle, inputs, arguments[problem_output(problem)].data,
                           SESSION_POISON_BITS, &item->comparison, why);
}

/* Adds a message about a kernel, in which the source file has the name that the compiler knew it by. */
static void add_with_own_name(Text *out, const char *message, const char *file_name)
{
    const char *found;
    while ((found = strstr(message, COMPILE_SOURCE_NAME)) != NULL) {
        text_append(out, message, (size_t)(found - message));
        text_add(out, file_name);
        message = found + strlen(COMPILE_SOURCE_NAME);
    }
    text_add(out, message);
}

/* A sentence that may be shown: with the student's own file name, and of hidden cases without numbers. */
static const char *showable(Judge *judge, bool is_hidden, const char *message)
{
    const char *file_name = judge->job->submission->file_name;
    Text text = {0}, redacted = {0};
    add_with_own_name(&text, message, file_name);
    redact_numbers(&redacted, text.data, file_name);
    const Text *shown = is_hidden ? &redacted : &text;
    char *copy = arena_copy(&judge->result->arena, shown->data == NULL ? "" : shown->data, shown->length);
    text_free(&text);
    text_free(&redacted);
    return copy;
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

/* Puts what one call showed into the case's result. */
static void conclude_case(Judge *judge, CaseResult *item, const CallReport *call)
{
    Judgement decided = judge_call(call, item->compared ? &item->comparison : NULL,
                                   judge->job->problem->kernel_must_write_output);
    item->judged = true;
    item->verdict = decided.verdict;
    item->text = showable(judge, item->group == CASE_HIDDEN, decided.text);
    item->statistics = call->statistics;
    if (item->group == CASE_SAMPLE && call->printed.length > 0) {
        item->printed = arena_copy(&judge->result->arena, call->printed.data, call->printed.length);
        item->printed_lost = call->printed_lost;
    }
    if (item->verdict != VERDICT_ACCEPTED)
        return;
    warn_of_what_was_overlooked(judge, item, call);
    if (is_timed(item))
        keep_sample(judge, item, call);
}

static Status judge_case(Judge *judge, const Testcase *testcase, CaseResult *item, Message *why)
{
    SessionArgument arguments[SESSION_MAX_PARAMETERS];
    size_t counts[SESSION_MAX_PARAMETERS] = {0};
    CallReport call = {0};
    Status status = prepare_arguments(judge, testcase, arguments, counts, why);
    if (status == STATUS_OK) {
        fill_inputs(judge, testcase, arguments, counts, item);
        status = session_call(judge->session, arguments, judge->job->problem->parameter_count, &call, why);
    }
    if (status == STATUS_OK && call.outcome == CALL_OK)
        status = compare_output(judge, testcase, arguments, item, why);
    if (status == STATUS_OK)
        conclude_case(judge, item, &call);
    text_free(&call.printed);
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
    judge->ended = judge->ended || failed;
    end_step(judge, group);
    *seconds = now_s() - start_s;
    return status;
}

/* ---- the steps before -------------------------------------------------------------------------------------------- */

static bool is_wanted(const Judge *judge, CaseGroup group)
{
    if (group == CASE_SAMPLE || group == CASE_HIDDEN)
        return !judge->job->timed_only;
    return !judge->job->untimed_only &&
           group == (judge->result->device.modelled ? CASE_TIMED_SIM : CASE_TIMED_CUDA);
}

/* An entry in the result for each case of this device, "not run" as yet. */
static void list_cases(Judge *judge)
{
    Result *result = judge->result;
    Arena *arena = &result->arena;
    result->cases = arena_array(arena, judge->set.count, sizeof *result->cases);
    judge->testcases = arena_array(arena, judge->set.count, sizeof *judge->testcases);
    for (size_t i = 0; i < judge->set.count; i++) {
        const Testcase *testcase = &judge->set.cases[i];
        if (!is_wanted(judge, testcase->group))
            continue;
        judge->testcases[result->case_count] = testcase;
        result->cases[result->case_count++] = (CaseResult){
            .group = testcase->group,
            .name = testcase->group == CASE_HIDDEN ? arena_printf(arena, "hidden %d", testcase->number)
                                                   : arena_string(arena, testcase->name),
            .sizes = testcase->sizes,
            .text = "",
            .printed = "",
            .operations = testcase->operations,
            .bytes = testcase->bytes,
        };
    }
}

static void put_time(Result *result)
{
    time_t now = time(NULL);
    struct tm utc;
    strftime(result->time_utc, sizeof result->time_utc, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
}

/* The broker opens the device while everything else is read. */
static Status open_all(Judge *judge, Message *why)
{
    const JudgeJob *job = judge->job;
    char device[64];
    Status status = device_resolve(job->device, device, sizeof device, why);
    if (status == STATUS_OK)
        status = session_start(device, &judge->session, why);
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
        status = session_device(judge->session, &judge->result->device, why);
    return status;
}

static Status start(Judge *judge, Message *why)
{
    double start_s = now_s();
    Result *result = judge->result;
    *result = (Result){
        .problem = judge->job->problem,
        .file_name = judge->job->submission->file_name,
        .source = judge->job->submission->hash,
        .person = "",
        .judge = CONVJUDGE_VERSION,
        .sandbox = sandbox_level(),
        .text = "",
    };
    put_time(result);
    if (strcmp(result->sandbox, "full") != 0)
        result_warn(result, "the submission ran with sandbox %s", result->sandbox);
    Status status = open_all(judge, why);
    if (status != STATUS_OK)
        return status;
    snprintf(result->toolkit, sizeof result->toolkit, "%s", judge->toolkit.version);
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
    char text[200];
    if (compiled->outcome != COMPILE_OK)
        snprintf(text, sizeof text, "%s", verdict_name(VERDICT_COMPILE_ERROR));
    else
        snprintf(text, sizeof text, "%.1f s%s, %u registers, %u bytes shared, %u bytes spilled", compiled->seconds,
                 compiled->cached ? " (kept from before)" : "", most.registers, most.shared_bytes, most.spill_bytes);
    progress_end(judge->job->progress, text);
}

static Status compile(Judge *judge, Message *why)
{
    const Problem *problem = judge->job->problem;
    const Submission *submission = judge->job->submission;
    const DeviceInfo *device = &judge->result->device;
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
    double start_s = now_s();
    progress_begin(judge->job->progress, "compile", 0);
    Status status = compile_submission(&job, &judge->toolkit, judge->scratch, &judge->result->compiled, why);
    judge->result->seconds.compile = now_s() - start_s;
    if (status != STATUS_OK) {
        progress_end(judge->job->progress, "failed");
        return status;
    }
    end_compile_step(judge);
    switch (judge->result->compiled.outcome) {
    case COMPILE_OK: break;
    case COMPILE_ERROR: end_with(judge, VERDICT_COMPILE_ERROR, "the compiler refused the file"); break;
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

static Status load(Judge *judge, Message *why)
{
    const ProblemLimits *problem = &judge->job->problem->limits;
    const SessionLimits limits = {
        .device_bytes = problem->device_bytes,
        .host_bytes = problem->host_bytes,
        .host_seconds = problem->host_seconds,
        .wall_seconds = problem->wall_seconds,
        .warp_instructions = problem->warp_instructions,
    };
    if (judge->ended)
        return STATUS_OK;
    CallReport report = {0};
    Status status = session_load(judge->session, &judge->result->compiled, &limits, &report, why);
    if (status == STATUS_OK && report.outcome != CALL_OK)
        end_before_solve(judge, judge_call(&report, NULL, false));
    text_free(&report.printed);
    return status;
}

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
    session_close(judge->session);
    oracle_close(judge->oracle);
    testcases_free(&judge->set);
    if (judge->scratch[0] != '\0')
        scratch_remove(judge->scratch);
}

Status judge_submission(const JudgeJob *job, Result *result, Message *why)
{
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
        status = judge_group(&judge, CASE_TIMED_SIM, "timed cases", &seconds->timed, why);
    if (status == STATUS_OK)
        status = judge_group(&judge, CASE_TIMED_CUDA, "timed cases", &seconds->timed, why);
    if (status == STATUS_OK)
        conclude(&judge);
    close_all(&judge);
    return status;
}
