/* explain_report.h - an explanation as text for people.  */
#ifndef GRADER_REPORT_EXPLAIN_REPORT_H
#define GRADER_REPORT_EXPLAIN_REPORT_H

#include "base/text.h"
#include "grader/report/explain_run.h"
#include "grader/report/ncu.h"

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

void explain_report_write(const ExplainReport *report, TerminalStyle style, Text *out);

/* All advice, and the next step if it is told, as lines for editors (report_add_editor_line()). */
void explain_write_for_editor(const ExplainReport *report, const char *path, Text *out);

/* ==== explain json ================================================================================================ */

/* An explanation as explain.json (docs/reference/formats.md). */

void explain_json(const ExplainReport *report, Text *out);

#endif
