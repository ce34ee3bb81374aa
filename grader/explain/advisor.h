/* advisor.h - finds what to change in a submission: at most five pieces of advice, the largest gain first.
 *
 * Each piece comes from a rule of its own (advice_memory.c, advice_work.c). A rule looks at the counters of a
 * kernel or of one of its lines, corrects them, and asks the cost model how long the kernel would take then. A rule
 * whose gain is a small part of the call's time stays silent, so that a submission near its limit gets no advice.
 *
 * Limits   the gain is the model's, and of one change alone. A rule sees numbers, not intentions: it may name a line
 *          that cannot be improved.  */
#ifndef GRADER_EXPLAIN_ADVISOR_H
#define GRADER_EXPLAIN_ADVISOR_H

#include "grader/explain/advice.h"
#include "grader/explain/explain.h"

#include <stddef.h>

enum { ADVISOR_MOST = 5 };

/* `source` is the submission's text. Returns how many pieces there are. */
size_t advisor_find(const Explanation *explanation, const char *source, Advice advice[ADVISOR_MOST]);

#endif
