#include "grader/judge/compilation.h"

#include "base/clock.h"
#include "harness/compile/compile.h"
#include "harness/compile/compiled.h"
#include "harness/compile/judge_source.h"
#include "harness/compile/toolkit.h"

#include <stdio.h>
#include <string.h>

/* ---- the compiler ------------------------------------------------------------------------------------------------ */

/* "gcc 12.2.0"; "" if gcc does not tell, which compiling will show. */
static void name_gcc(Result *result, const char *scratch)
{
    static const char *const argv[] = {"/usr/bin/env", "gcc", "-dumpfullversion", NULL};
    Text version = {0};
    ProcessEnd end = {0};
    Message ignored;
    if (judge_source_run(argv, scratch, &version, &end, &ignored) == STATUS_OK && end.exit_status == 0)
        snprintf(result->toolkit, sizeof result->toolkit, "gcc %.*s", (int)strcspn(version.data, "\n"), version.data);
    text_free(&version);
}

Status compilation_find_compiler(Grading *judging, Message *why)
{
    Result *result = judging->result;
    if (judging->session->traits.runs_c) {
        name_gcc(result, judging->scratch);
        return STATUS_OK;
    }
    Status status = toolkit_find(&judging->toolkit, why);
    if (status == STATUS_OK && !result->device.modelled)
        status = toolkit_find_nvcc(&judging->toolkit, why);
    if (status != STATUS_OK)
        return status;
    snprintf(result->toolkit, sizeof result->toolkit, "%s", judging->toolkit.name);
    result->by_clang = judging->toolkit.kind == TOOLKIT_CLANG;
    return STATUS_OK;
}

/* ---- compiling --------------------------------------------------------------------------------------------------- */

static CompileJob compile_job(const Problem *problem, const Submission *submission,
                              const char *types[PROBLEM_MAX_PARAMETERS])
{
    for (size_t i = 0; i < problem->parameter_count; i++)
        types[i] = problem->parameters[i].c_type;
    return (CompileJob){
        .file_name = submission->file_name,
        .source = submission->source.data,
        .source_bytes = submission->source.length,
        .prototype = problem->signature,
        .parameter_types = types,
        .parameter_count = problem->parameter_count,
        .driver = problem->driver,
        .headers = problem->headers,
        .header_count = problem->header_count,
        .cpu_seconds = problem->limits.compile_seconds,
    };
}

static int compute_of(const DeviceInfo *device)
{
    return 10 * device->compute_major + device->compute_minor;
}

Status compilation_of(const Problem *problem, const Submission *submission, const DeviceInfo *device,
                      const Toolkit *toolkit, const char *scratch, Compiled *compiled, Message *why)
{
    const char *types[PROBLEM_MAX_PARAMETERS];
    CompileJob job = compile_job(problem, submission, types);
    job.compute = compute_of(device);
    return compile_submission(&job, toolkit, scratch, compiled, why);
}

Status compilation_for_device(const Grading *judging, const Submission *submission, const DeviceInfo *device,
                              Compiled *compiled, Message *why)
{
    return compilation_of(judging->job->problem, submission, device, &judging->toolkit, judging->scratch, compiled,
                          why);
}

static Status compile_submission_of(Grading *judging, CompileBegins *begins, Message *why)
{
    const JudgeJob *job = judging->job;
    const char *types[PROBLEM_MAX_PARAMETERS];
    CompileJob compiling = compile_job(job->problem, job->submission, types);
    if (judging->session->traits.runs_c)
        return compile_for_cpu(&compiling, judging->scratch, &judging->result->compiled, why);
    compiling.compute = compute_of(&judging->result->device);
    compiling.unoptimised = job->unoptimised;
    compiling.begins = begins;
    compiling.context = judging;
    return compile_submission(&compiling, &judging->toolkit, judging->scratch, &judging->result->compiled, why);
}

/* ---- the step ---------------------------------------------------------------------------------------------------- */

static Verdict verdict_of(CompileOutcome outcome)
{
    switch (outcome) {
    case COMPILE_OK: return VERDICT_ACCEPTED;
    case COMPILE_BROKEN:
    case COMPILE_NESTED:
    case COMPILE_UNSUPPORTED: return VERDICT_JUDGE_ERROR;
    case COMPILE_ERROR:
    case COMPILE_TIME_LIMIT:
    case COMPILE_TOO_LARGE: break;
    }
    return VERDICT_COMPILE_ERROR;
}

static const char *sentence_about(CompileOutcome outcome)
{
    switch (outcome) {
    case COMPILE_OK: break;
    case COMPILE_ERROR: return "the compiler refused the file";
    case COMPILE_BROKEN: return "a limit of the judge: its compiler cannot read a header of this system";
    case COMPILE_UNSUPPORTED: return "a limit of the judge: clang compiles only a part of CUDA here";
    case COMPILE_NESTED:
        return "a limit of the judge: it does not provide kernels that launch kernels (dynamic parallelism)";
    case COMPILE_TIME_LIMIT: return "compiling took too long";
    case COMPILE_TOO_LARGE: return "compiling took more memory or disk space than is allowed";
    }
    return "";
}

static void end_step(const Grading *judging)
{
    const Compiled *compiled = &judging->result->compiled;
    CompileKernel most = result_largest_use(compiled);
    Text text = {0};
    if (compiled->outcome != COMPILE_OK)
        text_add(&text, verdict_name(verdict_of(compiled->outcome)));
    else
        text_printf(&text, "%.1f s%s", compiled->seconds, compiled->cached ? " (cached)" : "");
    if (compiled->kernel_count > 0)
        text_printf(&text, ", %u registers, %u bytes shared, %u bytes spilled", most.registers, most.shared_bytes,
                    most.spill_bytes);
    progress_end(judging->job->progress, text.data);
    text_free(&text);
}

/* The statements allow primitives of a block or a warp, such as cub::BlockScan, but no algorithm that computes an array
 * on its own. */
static void refuse_library_algorithms(Grading *judging)
{
    char name[200], text[400];
    if (!library_kernel_find(&judging->result->compiled, name, sizeof name))
        return;
    snprintf(
        text, sizeof text,
        "uses an algorithm of a library that runs on the whole device (its kernel %s): of cub and libcu++ only what "
        "works within a block or a warp is allowed, and nothing of Thrust",
        name);
    judging_end(judging, VERDICT_RULE_VIOLATION, text);
}

Status compilation_run(Grading *judging, CompileBegins *begins, Message *why)
{
    double start_s = now_s();
    progress_begin(judging->job->progress, "compile", 0);
    Status status = compile_submission_of(judging, begins, why);
    judging->result->seconds.compile = now_s() - start_s;
    if (status != STATUS_OK) {
        progress_end(judging->job->progress, "failed");
        return status;
    }
    end_step(judging);
    const CompileOutcome outcome = judging->result->compiled.outcome;
    if (outcome != COMPILE_OK)
        judging_end(judging, verdict_of(outcome), sentence_about(outcome));
    else
        refuse_library_algorithms(judging);
    return STATUS_OK;
}
