/* exchange.h - the files that --gradescope and --junit name: checked before the work, written after it, whatever came of it.
 *
 * A system that finds no file shows its users nothing useful, so one is written for a grading that failed, too.  */
#ifndef GRADER_REPORT_EXCHANGE_H
#define GRADER_REPORT_EXCHANGE_H

#include "base/json.h"
#include "base/status.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>

/* ==== outcome ===================================================================================================== */

/* The outcome of one file, in the forms that other systems read.
 *
 * The views of this folder take the document result.json (docs/reference/formats.md) and nothing of the grading itself, so that a local
 * grading and one that a server keeps are written alike, and so that they tell no more of hidden cases than it does.
 * Owns     nothing. Strings may hold anything that a submission chose. */

typedef struct OutcomePoints { /* points for one thing: the verdict, a group of cases, the speed */
    const char *name;          /* "odd sizes" */
    double points, most;
    const char *reason; /* a sentence */
} OutcomePoints;

typedef struct Outcome {
    const cJSON *result;  /* result.json; NULL: nothing was judged */
    const char *report;   /* for people, of several lines; NULL: none */
    const char *trouble;  /* nothing was judged: why, in sentences for a student */
    const char *keeper;   /* who keeps the submission, a URL or a socket; NULL: nobody */
    long long submission; /* its number there */
    /* NULL: no points are known. */
    const char *case_verdicts; /* what `grade --all-cases` writes, for partial points; NULL: it was not wanted */
    const OutcomePoints *points;
    size_t point_count;
    bool points_are_public; /* the student may see them at once */
} Outcome;

typedef enum OutcomeCaseKind { OUTCOME_SAMPLE, OUTCOME_HIDDEN, OUTCOME_TIMED } OutcomeCaseKind;

/* A member that is a string, or ""; one that is a number, or 0. `object` may be NULL. */
const char *outcome_string(const cJSON *object, const char *key);

/* ==== gradescope ================================================================================================== */

/* An outcome as Gradescope takes it: results/results.json of an autograder.
 *
 * Tests    1 the verdict, whose output is the report; 2.n points; 3.n samples; 4.n hidden cases, by number alone and shown to
 *          teachers alone; 5.n timed cases. Cases that were not run are left out.
 * Score    where points are known, those; else 1 for Accepted and 0 for any other verdict. None at all where nothing was judged or
 *          the judge failed: then the tests say so, and Gradescope keeps the submission without a score.
 * Board    the time with its unit and the percentiles, of a run that ranks.
 * Source   gradescope-autograders.readthedocs.io, "Autograder Specifications" (visibility, status, formats of output), "Leaderboards".
 *          Texts are of the format "text", since everything else would interpret what a submission has chosen. */

void gradescope_write(const Outcome *outcome, Text *out);

/* ==== junit ======================================================================================================= */

/* An outcome as JUnit XML, which systems of continuous integration read.
 *
 * One test suite, named as the problem; a test case for the compiler and one for each case, of the class "conv1d.sample", ".hidden" or
 * ".timed". Another verdict than Accepted is a failure of that type, a judge error an error, a case that was not run is skipped.
 * `time` is in seconds: of the suite the wall clock of the grading, of the compiler its own, of a timed case the time of the work,
 * which is modelled on a simulated GPU.
 * Source   there is no standard; elements and attributes are those that Jenkins' junit-10.xsd allows. */

void junit_write(const Outcome *outcome, Text *out);

/* ==== exchange ==================================================================================================== */

typedef struct ExchangeFiles { /* NULL: not wanted */
    const char *gradescope, *junit;
} ExchangeFiles;

/* Refuses what cannot be written, or would replace the submission. */
MUST_USE Status exchange_check(const ExchangeFiles *files, const char *submission, Message *why);
MUST_USE Status exchange_write(const ExchangeFiles *files, const Outcome *outcome, Message *why);

typedef enum ExchangeFault {
    FAULT_OF_JUDGE, /* or of the person who runs it */
    FAULT_OF_FILE,
    NO_VERDICT_YET /* nobody waits any longer; the reason is how it stands */
} ExchangeFault;

typedef struct ExchangeFailure {
    Status status;
    Message reason;
    ExchangeFault fault;
    const char *keeper; /* as in Outcome; likewise the next */
    long long submission;
} ExchangeFailure;

/* Writes the same for a grading that failed. Returns the failure, unless it could not be written. */
MUST_USE Status exchange_fail(const ExchangeFiles *files, const ExchangeFailure *failure, Message *why);

#endif
