#include "grader/judge/constant_step.h"

#include "grader/check/constant_rule.h"
#include "grader/judge/compilation.h"
#include "grader/result/wording.h"
#include "harness/session/session_open.h"

#include <stdio.h>

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
    if (status == STATUS_OK)
        status = compile_for_rule(judging, session, &again, why);
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

Status constant_step_run(Grading *judging, Message *why)
{
    static const Verdict verdicts[] = {[CONSTANT_RULE_KEPT] = VERDICT_ACCEPTED,
                                       [CONSTANT_RULE_BROKEN] = VERDICT_RULE_VIOLATION,
                                       [CONSTANT_RULE_UNPROVED] = VERDICT_JUDGE_ERROR};
    const JudgeJob *job = judging->job;
    ConstantRuleFinding finding = {0};
    if (judging->ended || job->timed_only || job->is_opinion || job->problem->constant_filter == NULL ||
        judging->session->traits.runs_c)
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
