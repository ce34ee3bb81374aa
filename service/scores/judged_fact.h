/* judged_fact.h - what a judging found out, as points count it: from result.json, and from the verdicts of all cases where
 * those were wanted.  */
#ifndef SERVICE_SCORES_JUDGED_FACT_H
#define SERVICE_SCORES_JUDGED_FACT_H

#include "base/arena.h"
#include "service/class/submission_fact.h"

#include <stddef.h>

typedef struct CaseNames { /* of one problem's hidden cases, in the order of their numbers */
    const char *problem;
    const char **hidden;
    size_t hidden_count;
} CaseNames;

/* `verdicts` is the text that `grade --all-cases` wrote; NULL: it was not wanted.
 * Fills in cases, time, roofline, percentile and rungs. `result` is the text of a result.json; NULL, or one that cannot be read: the
 * fact stays as it is. */
void judged_fact_fill(SubmissionFact *fact, const char *result, const char *verdicts, const CaseNames *names,
                      Arena *arena);

#endif
