/* Shows for each timed case the rooflines of the device, and how near to them the reference solutions and their rivals are. */
#include "grader/commands/ceilings_now.h"
#include "grader/commands/command.h"

#include "grader/judge/judge.h"
#include "grader/problem/problem_read.h"
#include "grader/problem/testcase_read.h"
#include "grader/ranking/ladder.h"
#include "grader/roofline/rivals.h"
#include "grader/terminal/json_target.h"
#include "grader/terminal/quantity.h"
#include "harness/device/monitor/device_lock.h"
#include "harness/device/open/device_open.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const double LOCK_SECONDS = 600; /* how long to wait for gradings under way */

typedef struct Survey {
    Roofline roofline;
    Progress progress;
    int done, total; /* programs */
} Survey;

/* ---- the reference solutions ------------------------------------------------------------------------------------- */

static void take_times(Roofline *roofline, const Result *result, TimedProgram *program)
{
    for (size_t i = 0; i < result->case_count; i++) {
        const size_t which = roofline_case(roofline, result->cases[i].name);
        if (result->cases[i].group == CASE_TIMED && which < roofline->case_count)
            program->times[which] = result->cases[i].time;
    }
    if (result->verdict != VERDICT_ACCEPTED)
        program->missing = arena_printf(&roofline->arena, "%s%s%s", verdict_name(result->verdict),
                                        result->text[0] == '\0' ? "" : ": ", result->text);
    else if (!(result->score.ms > 0))
        program->missing = result->unsteady[0] == '\0' ? "it has no time on this device"
                                                       : arena_string(&roofline->arena, result->unsteady);
}

static Status time_program(Survey *survey, const Submission *submission, bool is_rival, Message *why)
{
    Roofline *roofline = &survey->roofline;
    Result result = {0};
    char outcome[200] = "failed";
    const JudgeJob job = {
        .problem = roofline->problem, .submission = submission, .device = roofline->device.handle, .timed_only = true};
    progress_begin_at(&survey->progress, submission->file_name, survey->done++, survey->total);
    Status status = judge_submission(&job, &result, why);
    if (status == STATUS_OK) {
        TimedProgram *program = roofline_add(roofline, submission->file_name, is_rival, PRECISION_FLOAT32);
        take_times(roofline, &result, program);
        snprintf(outcome, sizeof outcome, "%s",
                 program->missing == NULL ? quantity_time(result.score.ms).text : program->missing);
    }
    progress_end(&survey->progress, outcome);
    result_free(&result);
    return status;
}

static Status time_programs(Survey *survey, const Ladder *ladder, bool is_rival, Message *why)
{
    Status status = STATUS_OK;
    for (size_t i = 0; i < ladder->count && status == STATUS_OK; i++)
        status = time_program(survey, &ladder->rungs[i].submission, is_rival, why);
    return status;
}

/* ---- PyTorch ----------------------------------------------------------------------------------------------------- */

static void tell_of_queue(void *progress, const char *holder, double waited_s)
{
    progress_note(progress, "the GPU is in use by %s (%.0f s)", holder, waited_s);
}

static Status time_pytorch(Survey *survey, Message *why)
{
    int lock;
    if (survey->roofline.device.modelled)
        return STATUS_OK;
    progress_begin(&survey->progress, "PyTorch", 0);
    Status status = device_lock_wait(survey->roofline.device.uuid, LOCK_SECONDS, tell_of_queue, &survey->progress,
                                     &lock, why);
    if (status == STATUS_OK) {
        status = rivals_time_pytorch(&survey->roofline, why);
        close(lock);
    }
    progress_end(&survey->progress, status == STATUS_OK ? "done" : "failed");
    return status;
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

static Status time_all(Survey *survey, Message *why)
{
    Ladder references = {0}, rivals = {0};
    Status status = ladder_read(survey->roofline.problem, &references, why);
    if (status == STATUS_OK)
        status = ladder_read_rivals(survey->roofline.problem, &rivals, why);
    survey->total = (int)(references.count + rivals.count);
    if (status == STATUS_OK)
        status = time_programs(survey, &references, false, why);
    if (status == STATUS_OK)
        status = time_programs(survey, &rivals, true, why);
    if (status == STATUS_OK)
        status = time_pytorch(survey, why);
    ladder_free(&references);
    ladder_free(&rivals);
    return status;
}

static Status print(const Roofline *roofline, const char *json, Message *why)
{
    Text text = {0};
    Status status = STATUS_OK;
    if (json != NULL) {
        roofline_json(roofline, &text);
        status = json_target_write(json, &text, why);
        text_free(&text);
    }
    if (status == STATUS_OK && (json == NULL || strcmp(json, "-") != 0)) {
        roofline_report(roofline, &text);
        status = json_target_write("-", &text, why);
        text_free(&text);
    }
    return status;
}

/* Exit status 1: a reference solution has no time, or a rival is too close. */
static bool is_as_it_should_be(const Roofline *roofline)
{
    for (size_t i = 0; i < roofline->program_count; i++) {
        const TimedProgram *program = &roofline->programs[i];
        if (!program->is_rival && program->missing != NULL)
            return false;
        for (size_t which = 0; which < roofline->case_count; which++)
            if (roofline_is_close(roofline, program, which))
                return false;
    }
    return true;
}

/* What the device's file does not say is measured now, and kept nowhere. */
static Status complete_ceilings(DeviceInfo *device, Progress *progress, Message *why)
{
    Ceilings ceilings;
    if (device->modelled || (device->copy_bytes_per_s > 0 && device->fma_flops_per_s > 0 &&
                             (device->tf32_flops_per_s > 0 || device->compute_major < 8)))
        return STATUS_OK;
    Status status = ceilings_now(device, &CEILINGS_WORK, progress, &ceilings, why);
    if (status != STATUS_OK)
        return status;
    if (!(device->copy_bytes_per_s > 0))
        device->copy_bytes_per_s = ceilings.copy_bytes_per_s;
    if (!(device->fma_flops_per_s > 0))
        device->fma_flops_per_s = ceilings.fma_flops_per_s;
    device->tf32_flops_per_s = ceilings.tf32_flops_per_s;
    return STATUS_OK;
}

static Status survey_problem(const Problem *problem, const Options *options, int *exit_status, Message *why)
{
    DeviceInfo device;
    TestcaseSet set = {0};
    Survey survey = {.progress = progress_new(stderr)};
    Status status = device_describe(options->device == NULL ? "auto" : options->device, &device, why);
    if (status == STATUS_OK)
        status = testcases_read(problem, &set, why);
    if (status == STATUS_OK) {
        judge_note_device(&survey.progress, &device);
        status = complete_ceilings(&device, &survey.progress, why);
    }
    if (status == STATUS_OK) {
        survey.roofline = roofline_new(problem, &set, &device);
        status = time_all(&survey, why);
    }
    if (status == STATUS_OK)
        status = print(&survey.roofline, options->json, why);
    *exit_status = is_as_it_should_be(&survey.roofline) ? 0 : 1;
    roofline_free(&survey.roofline);
    testcases_free(&set);
    return status;
}

Status command_roofline(const Options *options, int *exit_status, Message *why)
{
    Problem problem;
    Status status = options_expect_problem(options, why);
    if (status == STATUS_OK)
        status = json_target_check(options->json, "", why);
    if (status == STATUS_OK)
        status = problem_read(options->problem, &problem, why);
    if (status != STATUS_OK)
        return status;
    status = survey_problem(&problem, options, exit_status, why);
    problem_free(&problem);
    return status;
}
