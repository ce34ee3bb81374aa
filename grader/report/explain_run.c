#include "grader/report/explain_run.h"

#include "base/arena.h"
#include "base/paths.h"
#include "grader/judge/judge.h"

#include <stdlib.h>
#include <string.h>

Status explain_hardware(const char *handle, HardwareProfile *hardware, Message *why)
{
    const char *colon = strchr(handle, ':');
    char folder[4096];
    TRY(paths_home("simgpu/profiles", folder, sizeof folder, why));
    return hardware_profile_read(folder, colon == NULL ? "" : colon + 1, hardware, why);
}

static void explain_cases(const Problem *problem, const Submission *submission, const CaseChoice *choice,
                          ExplainRun *run)
{
    const Explanation *explanations[JOB_MAX_PROFILES];
    run->case_count = run->result.case_count < JOB_MAX_PROFILES ? run->result.case_count : JOB_MAX_PROFILES;
    run->cases = zeroed(run->case_count, sizeof *run->cases);
    for (size_t i = 0; i < run->case_count; i++) {
        ExplainedCase *one = &run->cases[i];
        const CaseResult *item = &run->result.cases[i];
        *one = (ExplainedCase){
            .item = item, .number = choice->number > 0 ? choice->number : (int)i + 1, .time = item->time};
        explain(&run->profiles[i], &run->hardware, 1e-3 * item->time.ms, &one->explanation);
        facts_of(&one->explanation, problem, &item->sizes, (double)item->operations, one->facts);
        explanations[i] = &one->explanation;
    }
    run->advice_count = advisor_find(explanations, run->case_count, submission->source.data, run->advice);
}

Status explain_run(const Problem *problem, const Submission *submission, const char *device, const CaseChoice *choice,
                   Progress *progress, ExplainRun *run, Message *why)
{
    *run = (ExplainRun){.profiles = zeroed(JOB_MAX_PROFILES, sizeof *run->profiles)};
    const JudgeJob job = {
        .problem = problem,
        .submission = submission,
        .device = device,
        .timed_only = true,
        .only_timed_case = choice->number > 0 ? choice->name : NULL,
        .profiles = run->profiles,
        .progress = progress,
    };
    Status status = judge_submission(&job, &run->result, why);
    if (status != STATUS_OK || run->result.verdict != VERDICT_ACCEPTED || run->result.case_count == 0)
        return status;
    TRY(explain_hardware(run->result.device.handle, &run->hardware, why));
    explain_cases(problem, submission, choice, run);
    return STATUS_OK;
}

void explain_run_free(ExplainRun *run)
{
    for (size_t i = 0; i < run->case_count; i++)
        explanation_free(&run->cases[i].explanation);
    free(run->cases);
    free(run->profiles);
    result_free(&run->result);
    *run = (ExplainRun){0};
}

double explain_run_step_gain(const ExplainRun *run)
{
    return run->next.step == NULL ? 0 : 1 - run->next.example.ms / run->next.time.ms;
}

/* After a step, what the call does besides its kernels is a larger share of a shorter time. */
static void leave_out_small_defects(ExplainRun *run)
{
    const double least = ADVISOR_LEAST_GAIN * (run->next.is_taken ? 1 : 1 - explain_run_step_gain(run));
    size_t count = 0;
    for (size_t i = 0; i < run->advice_count; i++)
        if (run->advice[i].gain >= least)
            run->advice[count++] = run->advice[i];
    run->advice_count = count;
}

Status explain_run_next(ExplainRun *run, const Steps *steps, const ReferenceTime *times, size_t count,
                        MeasuredTime time, bool one_case, Message *why)
{
    StepCase cases[JOB_MAX_PROFILES];
    for (size_t i = 0; i < run->case_count; i++)
        cases[i] = (StepCase){
            .name = run->cases[i].item->name, .time = run->cases[i].time, .facts = run->cases[i].facts};
    Status status = steps_next(steps, times, count, time, one_case, cases, run->case_count, &run->next, why);
    for (size_t i = 0; i < run->case_count && status == STATUS_OK; i++)
        run->cases[i].example = cases[i].example;
    leave_out_small_defects(run);
    return status;
}

bool explain_run_tells_defect(const ExplainRun *run)
{
    return run->advice_count > 0 && (run->next.is_taken || run->advice[0].gain > explain_run_step_gain(run));
}
