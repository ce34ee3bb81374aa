/* advice.h - what to change in a submission, in plain words: at most five sentences, that which gains most first.
 *
 * Each piece is a rule of its own: it looks at the counters of a kernel or of one of its lines, and asks the cost model
 * what the kernel would take without what is amiss. Where that gains little of the call's time the rule is silent, so
 * that a submission near its limit hears nothing.
 *
 * Limits   the gain is the model's, and of one change alone. A rule sees numbers, not intentions: it may name a line
 *          that cannot be helped.  */
#ifndef GRADER_EXPLAIN_ADVICE_H
#define GRADER_EXPLAIN_ADVICE_H

#include "base/text.h"
#include "grader/explain/explain.h"

enum { ADVICE_MOST = 5 };

typedef struct Advice {
    const char *id;  /* "uncoalesced", "bank_conflicts", ...: docs/explain.md lists them */
    uint32_t kernel; /* whose it is; of the call as a whole: the first */
    int line;        /* of the submission's own file; 0: not known */
    double gain;     /* of the call's modelled time, 0 to 1 */
    char text[500];  /* one sentence without the line */
} Advice;

/* `source` is the submission's text. Returns how many there are. */
size_t advice_find(const Explanation *explanation, const char *source, Advice advice[ADVICE_MOST]);

#endif
