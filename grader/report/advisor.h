/* advisor.h - general advice: defects of a kernel that the simulator has measured, each with what it costs.
 *
 * A defect is a number: bytes loaded and not used, wavefronts beyond the ideal, spilled registers. Its gain is the answer of
 * the cost model to "the same run without it", for every timed case that was run, as a share of their geometric mean, which
 * is the score. What a better algorithm would gain is no defect: the steps of a problem's ladder say that (steps.h).
 *
 * Limits   the gain is the model's, and of one change alone. A line that is named has the most of the defect.  */
#ifndef GRADER_REPORT_ADVISOR_H
#define GRADER_REPORT_ADVISOR_H

#include "grader/report/explain.h"

#include <stddef.h>

enum { ADVISOR_MOST = 5 };

typedef struct Advice {
    const char *id;    /* "uncoalesced", "bank_conflicts", ...: docs/reference/advice.md lists them */
    int line;          /* of the submission's own file; 0: not known */
    size_t case_index; /* of the case that loses most by it; the line and the numbers in the text are its */
    double gain;       /* share of the score that it saves, 0 to 1 */
    char text[500];    /* without the line and the last full stop */
} Advice;

/* A defect that gains less is not worth a change. */
#define ADVISOR_LEAST_GAIN 0.05

/* Fills in what gains at least ADVISOR_LEAST_GAIN, or anything for a defect of the call as a whole, the largest gain first, and
 * returns how many there are. `source` is the submission's: a defect of the call has the line of the first launch, copy or
 * allocation. */
size_t advisor_find(const Explanation *const *cases, size_t case_count, const char *source,
                    Advice advice[ADVISOR_MOST]);

#endif
