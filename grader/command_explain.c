/* Runs a submission once, on the timed case with most operations, on a simulated GPU that counts by source line: the
 * larger a case is, the less launches and the ends of waves hide what a line costs.  */
#include "grader/command.h"

#include "grader/explain_report.h"
#include "grader/json_target.h"
#include "grader/judge.h"
#include "grader/report.h"
#include "harness/toolkit.h"

#include <stdlib.h>
#include <string.h>

typedef struct Explaining {
    const Options *options;
    Submission submission;
    Problem problem;
    bool problem_is_read;
    SimProfile hardware;
    DeviceProfile *profile;
    Progress progress;
    Result result;
} Explaining;

static const char *device_name(const Options *options)
{
    return options->device == NULL ? "sim" : options->device;
}

static Status check_device(const Options *options, Message *why)
{
    const char *device = device_name(options);
    if (strcmp(device, "sim") == 0 || strncmp(device, "sim:", 4) == 0)
        return STATUS_OK;
    return fail(STATUS_BAD_INPUT, why,
                "--device %s: only a simulated GPU counts by source line, expected sim[:PROFILE]", device);
}

static Status prepare(Explaining *explaining, Message *why)
{
    const Options *options = explaining->options;
    if (options->operand_count != 1)
        return fail(STATUS_BAD_INPUT, why, "expected one FILE to explain, found %d", options->operand_count);
    Status status = check_device(options, why);
    if (status == STATUS_OK)
        status = submission_read(options->operands[0], &explaining->submission, why);
    if (status == STATUS_OK)
        status = submission_problem(&explaining->submission, options->problem, &explaining->problem, why);
    explaining->problem_is_read = status == STATUS_OK;
    if (status == STATUS_OK)
        status = json_target_check(options->json, options->operands[0], why);
    return status;
}

static Status run(Explaining *explaining, Message *why)
{
    explaining->profile = calloc(1, sizeof *explaining->profile);
    if (explaining->profile == NULL)
        return fail_errno(why, "a profile's memory");
    const JudgeJob job = {
        .problem = &explaining->problem,
        .submission = &explaining->submission,
        .device = device_name(explaining->options),
        .timed_only = true,
        .profile = explaining->profile,
        .progress = &explaining->progress,
    };
    return judge_submission(&job, &explaining->result, why);
}

static Status read_hardware(Explaining *explaining, Message *why)
{
    const char *handle = explaining->result.device.handle, *colon = strchr(handle, ':');
    char folder[4096];
    Status status = home_path("simgpu/profiles", folder, sizeof folder, why);
    if (status == STATUS_OK)
        status = profile_read(folder, colon == NULL ? "" : colon + 1, &explaining->hardware, why);
    return status;
}

static Status write_explanation(const Explaining *explaining, Message *why)
{
    const char *json = explaining->options->json;
    Explanation explanation;
    Advice advice[ADVICE_MOST];
    Text text = {0};
    Status status = STATUS_OK;
    explain(explaining->profile, &explaining->hardware, &explanation);
    ExplainReport report = {.result = &explaining->result, .submission = &explaining->submission,
                            .explanation = &explanation, .advice = advice};
    report.advice_count = advice_find(&explanation, explaining->submission.source.data, advice);
    if (json != NULL) {
        explain_report_json(&report, &text);
        status = json_target_write(json, &text, why);
        text_free(&text);
    }
    if (status == STATUS_OK && (json == NULL || strcmp(json, "-") != 0)) {
        explain_report_write(&report, terminal_style(stdout), &text);
        status = json_target_write("-", &text, why);
        text_free(&text);
    }
    explanation_free(&explanation);
    return status;
}

/* What is wrong is explained by its verdict. */
static Status write_verdict(const Explaining *explaining, Message *why)
{
    Text text = {0};
    report_write(&explaining->result, terminal_style(stdout), &text);
    Status status = json_target_write("-", &text, why);
    text_free(&text);
    return status;
}

static Status conclude(Explaining *explaining, int *exit_status, Message *why)
{
    bool accepted = explaining->result.verdict == VERDICT_ACCEPTED;
    *exit_status = accepted ? 0 : 1;
    if (!accepted)
        return write_verdict(explaining, why);
    if (explaining->profile->kernel_count == 0)
        return fail(STATUS_BAD_INPUT, why, "%s: solve() launches no kernel, there is nothing to explain",
                    explaining->submission.file_name);
    Status status = read_hardware(explaining, why);
    return status == STATUS_OK ? write_explanation(explaining, why) : status;
}

Status command_explain(const Options *options, int *exit_status, Message *why)
{
    Explaining explaining = {.options = options, .progress = progress_new(stderr)};
    Status status = prepare(&explaining, why);
    if (status == STATUS_OK)
        status = run(&explaining, why);
    if (status == STATUS_OK)
        status = conclude(&explaining, exit_status, why);
    result_free(&explaining.result);
    free(explaining.profile);
    if (explaining.problem_is_read)
        problem_free(&explaining.problem);
    submission_free(&explaining.submission);
    return status;
}
