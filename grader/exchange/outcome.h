/* outcome.h - what became of one file, as other systems want to know it.
 *
 * The views of this folder take the document result.json (docs/formats.md) and nothing of the grading itself, so that a local
 * grading and one that a server keeps are written alike, and so that they tell no more of hidden cases than it does.
 * Owns     nothing. Strings may hold anything that a submission chose.  */
#ifndef GRADER_EXCHANGE_OUTCOME_H
#define GRADER_EXCHANGE_OUTCOME_H

#include "base/json.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>

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
    const char *case_verdicts; /* what `grade --all-cases` writes, for points alone; NULL: it was not wanted */
    const OutcomePoints *points;
    size_t point_count;
    bool points_are_public; /* the student may see them at once */
} Outcome;

typedef enum OutcomeCaseKind { OUTCOME_SAMPLE, OUTCOME_HIDDEN, OUTCOME_TIMED } OutcomeCaseKind;

/* A member that is a string, or ""; one that is a number, or 0. `object` may be NULL. */
const char *outcome_string(const cJSON *object, const char *key);
double outcome_number(const cJSON *object, const char *key);

/* "Accepted"; "" where nothing was judged. Of the text beside it, as of the others, "" where there is none. */
const char *outcome_verdict(const Outcome *outcome);
const char *outcome_text(const Outcome *outcome);
bool outcome_is_accepted(const Outcome *outcome);
/* Nothing was judged, or the judge lacks what the submission needs: no fault of the submission's, and nothing to score. */
bool outcome_is_unknown(const Outcome *outcome);
/* Wall clock of all steps, in seconds. */
double outcome_seconds(const Outcome *outcome);

OutcomeCaseKind outcome_case_kind(const cJSON *item);
const char *outcome_case_verdict(const cJSON *item);
bool outcome_case_was_run(const cJSON *item);

/* Adds text that both kinds of document can hold: '?' for control characters other than newline and tab, and for bytes that are
 * no UTF-8. */
void outcome_add_clean(Text *out, const char *text);

#endif
