/* explain_run.h - runs a submission on a simulated GPU, and finds out what can be said about its time: an explanation and
 * facts of each timed case, defects, and the next step of the problem's ladder.  */
#ifndef GRADER_REPORT_EXPLAIN_RUN_H
#define GRADER_REPORT_EXPLAIN_RUN_H

#include "grader/report/advisor.h"
#include "grader/report/facts.h"
#include "grader/report/steps.h"
#include "grader/judge/result.h"
#include "base/terminal.h"

/* One timed case that was run. */
typedef struct ExplainedCase {
    const CaseResult *item;
    int number; /* among the problem's timed cases, from 1 */
    Explanation explanation;
    double facts[FACT_COUNT];
    double measured_s; /* on a real GPU; 0: not measured */
    MeasuredTime time; /* on the device on which the submission is compared with others: at first the simulated one */
    MeasuredTime example; /* there, that of the next step's example; ms 0: unknown */
} ExplainedCase;

typedef struct ExplainRun {
    Result result;        /* of the simulated GPU */
    ExplainedCase *cases; /* [case_count] if it was accepted, in the order of the result */
    size_t case_count;
    Advice advice[ADVISOR_MOST];
    size_t advice_count;
    NextStep next;
    ExecutionProfile *profiles;
    HardwareProfile hardware;
} ExplainRun;

/* The profile of a simulated GPU, "sim" or "sim:PROFILE". */
MUST_USE Status explain_hardware(const char *handle, HardwareProfile *hardware, Message *why);

/* `device` is a simulated GPU. Without a Status other than STATUS_OK, the result holds the verdict; cases and advice are there
 * if it is Accepted. `run` must be freed in any case; problem and submission must outlive it. */
MUST_USE Status explain_run(const Problem *problem, const Submission *submission, const char *device,
                            const CaseChoice *choice, Progress *progress, ExplainRun *run, Message *why);
void explain_run_free(ExplainRun *run);

/* Finds the next step, and leaves out the defects that do not matter beside it: `times` are those of the reference solutions,
 * `time` that of the submission on the same device, its score or, with `one_case`, that of the only case. */
MUST_USE Status explain_run_next(ExplainRun *run, const Steps *steps, const ReferenceTime *times, size_t count,
                                 MeasuredTime time, bool one_case, Message *why);

/* The share of the score that the next step saves; 0: there is none. */
double explain_run_step_gain(const ExplainRun *run);

/* Whether the first defect is told: it gains more than the next step, or the file has taken that step already. */
bool explain_run_tells_defect(const ExplainRun *run);

#endif
