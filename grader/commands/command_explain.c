/* Runs a submission on a simulated GPU that counts for each source line, once for each timed case, and explains the result.
 * Line by line it shows the chosen case, or the one with the most operations: the larger a case, the smaller the part of
 * launches and of incomplete waves.  */
#include "base/arena.h"
#include "base/paths.h"
#include "grader/commands/command.h"

#include "base/terminal.h"
#include "grader/judge/judge.h"
#include "grader/report/advisor.h"
#include "grader/report/explain.h"
#include "grader/report/explain_report.h"
#include "grader/report/ncu.h"
#include "grader/report/report.h"
#include "harness/device/device_open.h"

#include <stdlib.h>
#include <string.h>

typedef struct Explaining {
    const Options *options;
    Submission submission;
    Problem problem;
    bool problem_is_read;
    CaseChoice choice;
    HardwareProfile hardware;
    ExecutionProfile *profiles; /* [JOB_MAX_PROFILES] by case */
    ExplainedCase *cases;       /* likewise */
    DeviceInfo gpu;             /* the real one, with --device cuda */
    NcuMeasurement measurement;
    const char *note; /* why Nsight Compute measured nothing; NULL: it did, or nobody asked for it */
    Message why_not;
    Result timed; /* on the real GPU */
    Message why_not_timed;
    Progress progress;
    Result result;
} Explaining;

static bool is_real(const Options *options)
{
    const char *device = options->device;
    return device != NULL && (strcmp(device, "cuda") == 0 || strncmp(device, "cuda:", 5) == 0);
}

static const char *simulated_device(const Options *options)
{
    return options->device == NULL || is_real(options) ? "sim" : options->device;
}

static Status check_device(Explaining *explaining, Message *why)
{
    const Options *options = explaining->options;
    const char *device = simulated_device(options);
    if (strcmp(device, "sim") != 0 && strncmp(device, "sim:", 4) != 0)
        return fail(STATUS_BAD_INPUT, why, "--device %s: expected sim[:PROFILE] or cuda[:N]", device);
    if (options->ncu && !is_real(options))
        return fail(STATUS_BAD_INPUT, why, "--ncu: expected --device cuda, too: it measures on a real GPU");
    return is_real(options) ? device_describe(options->device, &explaining->gpu, why) : STATUS_OK;
}

static Status check_request(Explaining *explaining, Message *why)
{
    const Options *options = explaining->options;
    Status status = options_expect_file(options, why);
    if (status == STATUS_OK)
        status = check_device(explaining, why);
    if (status == STATUS_OK)
        status = submission_read(options->operands[0], &explaining->submission, why);
    if (status == STATUS_OK)
        status = submission_problem(&explaining->submission, options->problem, &explaining->problem, why);
    explaining->problem_is_read = status == STATUS_OK;
    if (status == STATUS_OK)
        status = case_choice_read(&explaining->problem, options->timed_case, &explaining->choice, why);
    if (status == STATUS_OK)
        status = json_target_check(options->json, options->operands[0], why);
    return status;
}

static Status run_on_simulated_gpu(Explaining *explaining, Message *why)
{
    explaining->profiles = zeroed(JOB_MAX_PROFILES, sizeof *explaining->profiles);
    const JudgeJob job = {
        .problem = &explaining->problem,
        .submission = &explaining->submission,
        .device = simulated_device(explaining->options),
        .timed_only = true,
        .only_timed_case = explaining->choice.number > 0 ? explaining->choice.name : NULL,
        .profiles = explaining->profiles,
        .progress = &explaining->progress,
    };
    return judge_submission(&job, &explaining->result, why);
}

static Status read_hardware(Explaining *explaining, Message *why)
{
    const char *handle = explaining->result.device.handle, *colon = strchr(handle, ':');
    char folder[4096];
    Status status = paths_home("simgpu/profiles", folder, sizeof folder, why);
    if (status == STATUS_OK)
        status = hardware_profile_read(folder, colon == NULL ? "" : colon + 1, &explaining->hardware, why);
    return status;
}

static size_t explained_count(const Explaining *explaining)
{
    size_t count = explaining->result.case_count;
    return count < JOB_MAX_PROFILES ? count : JOB_MAX_PROFILES;
}

/* Returns the index of the case that is shown line by line. */
static size_t shown_index(const Explaining *explaining)
{
    size_t largest = 0;
    for (size_t i = 1; i < explained_count(explaining); i++)
        if (explaining->result.cases[i].operations > explaining->result.cases[largest].operations)
            largest = i;
    return largest;
}

/* Times the same cases on the real GPU. A failure is only noted: the simulated numbers are right without the measured
 * ones. */
static void measure_times(Explaining *explaining)
{
    if (!is_real(explaining->options))
        return;
    const JudgeJob job = {.problem = &explaining->problem,
                          .submission = &explaining->submission,
                          .device = explaining->options->device,
                          .timed_only = true,
                          .only_timed_case = explaining->choice.number > 0 ? explaining->choice.name : NULL,
                          .one_block = true,
                          .progress = &explaining->progress};
    Message *why = &explaining->why_not_timed;
    Status status = judge_submission(&job, &explaining->timed, why);
    if (status == STATUS_OK && explaining->timed.verdict != VERDICT_ACCEPTED)
        status = fail(STATUS_BAD_INPUT, why, "%s: %s", verdict_name(explaining->timed.verdict), explaining->timed.text);
}

/* A failure is only noted: the simulated numbers are right without the measured ones. */
static void measure_by_ncu(Explaining *explaining)
{
    if (!is_real(explaining->options))
        return;
    if (!explaining->options->ncu) {
        explaining->note = "not asked for: --ncu runs the file directly on the GPU, outside of the sandbox";
        return;
    }
    progress_begin(&explaining->progress, "ncu", 0);
    Status status = ncu_measure(&explaining->problem, &explaining->submission,
                                &explaining->result.cases[shown_index(explaining)].sizes, &explaining->gpu,
                                &explaining->measurement, &explaining->why_not);
    if (status != STATUS_OK)
        explaining->note = explaining->why_not.text;
    progress_end(&explaining->progress, status == STATUS_OK ? "measured" : "failed");
}

/* ---- the cases --------------------------------------------------------------------------------------------------- */

/* The time of a case on the real GPU; 0: it was not measured. */
static double measured_seconds(const Explaining *explaining, const char *name)
{
    for (size_t i = 0; i < explaining->timed.case_count; i++)
        if (strcmp(explaining->timed.cases[i].name, name) == 0)
            return 1e-3 * explaining->timed.cases[i].time.ms;
    return 0;
}

static void explain_cases(Explaining *explaining)
{
    size_t count = explained_count(explaining);
    explaining->cases = zeroed(count, sizeof *explaining->cases);
    for (size_t i = 0; i < count; i++) {
        ExplainedCase *one = &explaining->cases[i];
        const CaseResult *item = &explaining->result.cases[i];
        const AdviceSubject subject = {.source = explaining->submission.source.data,
                                       .problem = &explaining->problem,
                                       .sizes = &item->sizes,
                                       .operations = (double)item->operations};
        one->item = item;
        one->number = explaining->choice.number > 0 ? explaining->choice.number : (int)i + 1;
        one->measured_s = measured_seconds(explaining, item->name);
        explain(&explaining->profiles[i], &explaining->hardware, 1e-3 * item->time.ms, &one->explanation);
        one->advice_count = advisor_find(&one->explanation, &subject, one->advice);
    }
}

static void free_cases(Explaining *explaining)
{
    for (size_t i = 0; explaining->cases != NULL && i < explained_count(explaining); i++)
        explanation_free(&explaining->cases[i].explanation);
    free(explaining->cases);
}

static Status write_explanation(const Explaining *explaining, Message *why)
{
    const char *json = explaining->options->json;
    Text text = {0};
    Status status = STATUS_OK;
    const ExplainReport report = {
        .result = &explaining->result,
        .submission = &explaining->submission,
        .cases = explaining->cases,
        .case_count = explained_count(explaining),
        .timed_count = explaining->choice.count,
        .shown = &explaining->cases[shown_index(explaining)],
        .gpu = is_real(explaining->options) ? explaining->gpu.name : NULL,
        .measurement = &explaining->measurement,
        .note = explaining->note,
        .time_note = explaining->why_not_timed.text[0] != '\0' ? explaining->why_not_timed.text : NULL,
    };
    if (json != NULL) {
        explain_json(&report, &text);
        status = json_target_write(json, &text, why);
        text_free(&text);
    }
    if (status == STATUS_OK && (json == NULL || strcmp(json, "-") != 0)) {
        explain_report_write(&report, terminal_style(stdout), &text);
        status = json_target_write("-", &text, why);
        text_free(&text);
    }
    return status;
}

/* For a submission that is not accepted, the report of its verdict takes the place of the explanation. */
static Status write_verdict(const Explaining *explaining, Message *why)
{
    Text text = {0};
    report_write(&explaining->result, terminal_style(stdout), &text);
    Status status = json_target_write("-", &text, why);
    text_free(&text);
    return status;
}

static Status write_outcome(Explaining *explaining, int *exit_status, Message *why)
{
    bool accepted = explaining->result.verdict == VERDICT_ACCEPTED;
    *exit_status = verdict_exit_status(explaining->result.verdict);
    if (explaining->result.case_count == 0)
        return fail(STATUS_BAD_INPUT, why, "problem %s has no timed case, so there is nothing to run",
                    explaining->problem.id);
    if (!accepted)
        return write_verdict(explaining, why);
    if (explaining->profiles[shown_index(explaining)].kernel_count == 0)
        return fail(STATUS_BAD_INPUT, why, "%s: solve() launches no kernel, so there is nothing to explain",
                    explaining->submission.file_name);
    Status status = read_hardware(explaining, why);
    if (status != STATUS_OK)
        return status;
    measure_times(explaining);
    measure_by_ncu(explaining);
    explain_cases(explaining);
    return write_explanation(explaining, why);
}

Status command_explain(const Options *options, int *exit_status, Message *why)
{
    Explaining explaining = {.options = options, .progress = progress_new(stderr)};
    Status status = check_request(&explaining, why);
    if (status == STATUS_OK)
        status = run_on_simulated_gpu(&explaining, why);
    if (status == STATUS_OK)
        status = write_outcome(&explaining, exit_status, why);
    free_cases(&explaining);
    result_free(&explaining.timed);
    result_free(&explaining.result);
    free(explaining.profiles);
    if (explaining.problem_is_read)
        problem_free(&explaining.problem);
    submission_free(&explaining.submission);
    return status;
}
