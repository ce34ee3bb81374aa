#include "grader/judge/loading.h"

#include "base/clock.h"
#include "grader/judge/clocked_cases.h"
#include "grader/judge/judgement.h"

#include <stdio.h>
#include <string.h>

Status loading_learn_device(Grading *judging, Message *why)
{
    DeviceInfo *device = &judging->result->device;
    bool was_confined = device->unconfined[0] == '\0';
    Status status = session_device(judging->session, device, why);
    if (status == STATUS_OK && was_confined && device->unconfined[0] != '\0')
        result_warn(judging->result, "the broker ran with sandbox partial: %s", device->unconfined);
    return status;
}

void loading_mark_times(Grading *judging)
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

Status loading_renew_runner(Grading *judging, Message *why)
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

Status loading_begin(Grading *judging, Message *why)
{
    judging->limits = limits_of(&judging->job->problem->limits);
    begin_budget(judging);
    if (judging->ended)
        return STATUS_OK;
    Status status = loading_renew_runner(judging, why);
    if (status == STATUS_OK && judging->job->profiles != NULL)
        status = session_profile(judging->session, &judging->profile, why);
    if (status == STATUS_OK)
        status = loading_learn_device(judging, why);
    if (status != STATUS_OK || judging->ended)
        return status;
    loading_mark_times(judging);
    return judging->session->traits.clock == SESSION_EVENTS ? clocked_cases_prepare(judging, why) : STATUS_OK;
}
