#include "grader/judge/cpu_judge.h"

#include "base/clock.h"
#include "grader/check/call.h"
#include "grader/judge/judgement.h"
#include "grader/oracle/oracle.h"
#include "grader/result/redact.h"
#include "harness/compile/compile_cpu.h"
#include "harness/session/cpu_session.h"
#include "harness/compile/judge_source.h"
#include "harness/sandbox/process.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const double ENOUGH_S = 1; /* of a case's trials together: no further one begins after that */

typedef struct CpuJudge {
    const JudgeJob *job;
    Result *result;
    char scratch[256];
    Oracle *oracle;
    TestcaseSet set;
    const Testcase **testcases; /* of result->cases, one by one */
    uint64_t secret;
    CallLimits limits;
} CpuJudge;

/* ---- the device -------------------------------------------------------------------------------------------------- */

bool cpu_judge_is_device(const char *device)
{
    return strcmp(device, "cpu") == 0 || strcmp(device, "cpu:cuda") == 0;
}

/* "model name : AMD EPYC 9654 96-Core Processor" of /proc/cpuinfo; other architectures have no such line. */
static void add_model(Text *name)
{
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        const char *colon = strchr(line, ':');
        if (colon == NULL || strncmp(line, "model name", 10) != 0)
            continue;
        text_append(name, colon + 2, strcspn(colon + 2, "\n"));
        break;
    }
    if (file != NULL)
        fclose(file);
    if (name->length == 0)
        text_add(name, "CPU");
}

void cpu_judge_describe(DeviceInfo *device)
{
    Text name = {0};
    *device = (DeviceInfo){.handle = "cpu", .id = "cpu", .driver = "gcc", .epoch = 1};
    add_model(&name);
    snprintf(device->name, sizeof device->name, "%.200s (%ld processors)", name.data, sysconf(_SC_NPROCESSORS_ONLN));
    text_free(&name);
}

/* ---- one case ---------------------------------------------------------------------------------------------------- */

/* The calls of a case: one, or the trials of a timed one, each a block of its own for what is said of their spread.
 * `report` is the last one's. */
static Status call_solve(CpuSession *session, CaseResult *item, Arena *arena, CallReport *report, Message *why)
{
    double start_s = now_s();
    int calls = case_is_timed(item->group) ? 1 + CPU_TRIALS : 1;
    Status status = STATUS_OK;
    item->samples = arena_array(arena, CPU_TRIALS, sizeof *item->samples);
    for (int i = 0; i < calls && status == STATUS_OK && report->outcome == CALL_OK; i++) {
        if (i > 1 && now_s() - start_s > ENOUGH_S)
            break;
        text_free(&report->printed);
        status = cpu_session_call(session, report, why);
        if (i > 0 && report->outcome == CALL_OK)
            item->samples[item->sample_count++] = (CaseSample){.event_s = report->event_s, .block = i - 1};
    }
    return status;
}

static Status compare_output(const CpuJudge *judge, const Call *call, CaseResult *item, Message *why)
{
    item->compared = true;
    return call_compare(call, judge->oracle, &item->comparison, why);
}

static const char *showable(CpuJudge *judge, const CaseResult *item, const char *message)
{
    Text redacted = {0};
    if (item->group != CASE_HIDDEN)
        return arena_string(&judge->result->arena, message);
    redact_numbers(&redacted, message, judge->job->submission->file_name);
    const char *copy = redacted.data == NULL ? "" : arena_string(&judge->result->arena, redacted.data);
    text_free(&redacted);
    return copy;
}

static void conclude_case(CpuJudge *judge, CaseResult *item, const CallReport *report)
{
    Judgement decided = judgement_of_call(report, item->compared ? &item->comparison : NULL, false);
    item->judged = true;
    item->verdict = decided.verdict;
    item->text = showable(judge, item, decided.text);
    if (item->group == CASE_SAMPLE && report->printed.length > 0) {
        item->printed = arena_copy(&judge->result->arena, report->printed.data, report->printed.length);
        item->printed_lost = report->printed_lost;
    }
    if (item->verdict != VERDICT_ACCEPTED)
        item->sample_count = 0;
    result_time_case(item, &judge->result->device);
}

/* Every case has a process of its own, so that no call meets what another size has left. */
static Status judge_case(CpuJudge *judge, const Testcase *testcase, CaseResult *item, Message *why)
{
    Call call;
    CallReport report = {0};
    CpuSession *session = NULL;
    Status status = call_describe(judge->job->problem, testcase, &call, why);
    if (status == STATUS_OK)
        status = cpu_session_start(judge->result->compiled.object_path, &judge->limits, call.arguments,
                                   judge->job->problem->parameter_count, &session, &report, why);
    if (status == STATUS_OK && report.outcome == CALL_OK) {
        call_fill(&call, judge->secret);
        item->input_bytes = call_input_bytes(&call);
        status = call_solve(session, item, &judge->result->arena, &report, why);
    }
    if (status == STATUS_OK && report.outcome == CALL_OK)
        status = compare_output(judge, &call, item, why);
    if (status == STATUS_OK)
        conclude_case(judge, item, &report);
    text_free(&report.printed);
    cpu_session_close(session);
    return status;
}

/* A wrong answer lets the cases of its group run, any other failure none. */
static bool is_to_run(const Result *result, const CaseResult *item)
{
    const CaseResult *failed = result_failed_case(result);
    return failed == NULL || (failed->verdict == VERDICT_WRONG_ANSWER && failed->group == item->group);
}

static Status judge_cases(CpuJudge *judge, Message *why)
{
    Result *result = judge->result;
    Status status = STATUS_OK;
    char text[200];
    int accepted = 0;
    double start_s = now_s();
    progress_begin(judge->job->progress, "cases", (int)result->case_count);
    for (size_t i = 0; i < result->case_count && status == STATUS_OK && is_to_run(result, &result->cases[i]); i++) {
        status = judge_case(judge, judge->testcases[i], &result->cases[i], why);
        accepted += result->cases[i].judged && result->cases[i].verdict == VERDICT_ACCEPTED;
        progress_advance(judge->job->progress);
    }
    snprintf(text, sizeof text, "%d of %zu accepted", accepted, result->case_count);
    progress_end(judge->job->progress, status == STATUS_OK ? text : "failed");
    result->seconds.timed = now_s() - start_s;
    return status;
}

/* ---- the steps before -------------------------------------------------------------------------------------------- */

static void name_compiler(Result *result, const char *folder)
{
    static const char *const argv[] = {"/usr/bin/env", "gcc", "-dumpfullversion", NULL};
    Text version = {0};
    ProcessEnd end = {0};
    Message ignored;
    if (judge_source_run(argv, folder, &version, &end, &ignored) == STATUS_OK && end.exit_status == 0)
        snprintf(result->toolkit, sizeof result->toolkit, "gcc %.*s", (int)strcspn(version.data, "\n"), version.data);
    text_free(&version);
}

static Status start(CpuJudge *judge, Message *why)
{
    const JudgeJob *job = judge->job;
    Result *result = judge->result;
    const bool untimed = !job->timed_only, timed = !job->untimed_only, large = strcmp(job->device, "cpu:cuda") == 0;
    const bool wanted[CASE_GROUPS] = {[CASE_SAMPLE] = untimed,
                                      [CASE_HIDDEN] = untimed,
                                      [CASE_TIMED_CUDA] = timed && large,
                                      [CASE_TIMED_SIM] = timed && !large};
    result_begin(result, job->problem, job->submission);
    result->on_cpu = true;
    cpu_judge_describe(&result->device);
    judge->limits = (CallLimits){.host_bytes = job->problem->limits.host_bytes,
                                    .wall_seconds = job->problem->limits.wall_seconds};
    Status status = testcases_read(job->problem, &judge->set, why);
    if (status == STATUS_OK)
        status = oracle_open(job->problem, &judge->oracle, why);
    if (status == STATUS_OK)
        status = secret_seed(&judge->secret, why);
    if (status == STATUS_OK)
        status = scratch_new(judge->scratch, sizeof judge->scratch, why);
    if (status != STATUS_OK)
        return status;
    name_compiler(result, judge->scratch);
    result_list_cases(result, &judge->set, wanted, &judge->testcases);
    return STATUS_OK;
}

static Status compile(CpuJudge *judge, Message *why)
{
    const JudgeJob *job = judge->job;
    Result *result = judge->result;
    const char *types[PROBLEM_MAX_PARAMETERS];
    char text[100];
    for (size_t i = 0; i < job->problem->parameter_count; i++)
        types[i] = job->problem->parameters[i].c_type;
    const CompileJob compiling = {
        .file_name = job->submission->file_name,
        .source = job->submission->source.data,
        .source_bytes = job->submission->source.length,
        .prototype = job->problem->signature,
        .parameter_types = types,
        .parameter_count = job->problem->parameter_count,
    };
    progress_begin(job->progress, "compile", 0);
    Status status = compile_for_cpu(&compiling, judge->scratch, &result->compiled, why);
    result->seconds.compile = result->compiled.seconds;
    if (status == STATUS_OK && result->compiled.outcome != COMPILE_OK) {
        result->verdict = VERDICT_COMPILE_ERROR;
        result->text = "the compiler refused the file";
    }
    snprintf(text, sizeof text, "%.1f s, %s", result->compiled.seconds, result->toolkit);
    progress_end(job->progress, status != STATUS_OK                      ? "failed"
                                : result->compiled.outcome == COMPILE_OK ? text
                                                                         : verdict_name(VERDICT_COMPILE_ERROR));
    return status;
}

static void conclude(Result *result)
{
    const CaseResult *failed = result_failed_case(result);
    if (failed != NULL) {
        result->verdict = failed->verdict;
        result->text = failed->text;
    } else if (result->verdict == VERDICT_ACCEPTED) {
        result_score(result);
    }
}

Status judge_on_cpu(const JudgeJob *job, Result *result, Message *why)
{
    CpuJudge judge = {.job = job, .result = result};
    Status status = start(&judge, why);
    if (status == STATUS_OK)
        status = compile(&judge, why);
    if (status == STATUS_OK && result->verdict == VERDICT_ACCEPTED)
        status = judge_cases(&judge, why);
    if (status == STATUS_OK)
        conclude(result);
    oracle_close(judge.oracle);
    testcases_free(&judge.set);
    if (judge.scratch[0] != '\0')
        scratch_remove(judge.scratch);
    return status;
}
