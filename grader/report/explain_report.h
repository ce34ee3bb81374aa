/* explain_report.h - runs a submission on a simulated GPU, and says what can be said about its time: an explanation and facts
 * of each timed case, defects, and the next step of the problem's ladder; as text for people, and as JSON.  */
#ifndef GRADER_REPORT_EXPLAIN_REPORT_H
#define GRADER_REPORT_EXPLAIN_REPORT_H

#include "base/terminal.h"
#include "base/text.h"
#include "grader/judge/result.h"
#include "grader/report/advisor.h"
#include "grader/report/facts.h"
#include "grader/report/ncu.h"
#include "grader/report/steps.h"

/* ==== explain run ================================================================================================= */

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

/* ==== explain report ============================================================================================== */

/* What the reader is told to do. There is one thing at a time. */
typedef enum Telling {
    TELL_DEFECT, /* the first of the run's advice */
    TELL_STEP,   /* the next step of the ladder */
    TELL_LINES,  /* neither: the lines that take most of the time, and the next reference solution to beat */
    TELL_NOTHING /* neither, and it is among the fastest quarter */
} Telling;

typedef enum StepDetail { DETAIL_IDEA, DETAIL_SKETCH, DETAIL_CODE } StepDetail;

typedef struct ExplainReport {
    const ExplainRun *run; /* accepted */
    const Submission *submission;
    int timed_count;            /* timed cases of the problem, which may be more than were run */
    const ExplainedCase *shown; /* the one that is shown line by line */
    Telling telling;
    StepDetail detail;   /* how much of the step is shown */
    const char *code;    /* the source of the step's example, where that is shown */
    const Result *timed; /* of the device of all times: with its reference solutions */
    bool with_terms;     /* explain the terms that are used */
    const char *gpu;     /* name of the real GPU, if something was measured on one */
    const NcuMeasurement *measurement;
    const char *note;      /* why Nsight Compute measured nothing; NULL: it did, or nobody asked for it */
    const char *time_note; /* likewise, why no times were measured */
} ExplainReport;

/* The rows of explain.json. */
extern const struct RecordTable explain_table;

Telling explain_telling(const ExplainReport *report);

/* Terms that reports use, each with its meaning; NULL ends them. */
extern const char *const explain_terms[][2];

void explain_report_write(const ExplainReport *report, TerminalStyle style, Text *out);

/* All advice, and the next step if it is told, as lines for editors (report_add_editor_line()). */
void explain_write_for_editor(const ExplainReport *report, const char *path, Text *out);

/* ==== explain json ================================================================================================ */

/* An explanation as explain.json (docs/reference/formats.md). */

void explain_json(const ExplainReport *report, Text *out);

#endif
