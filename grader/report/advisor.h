/* advisor.h - finds what to change in a submission: at most five pieces of advice, in the order in which to try them: the
 * largest gain first, unless a simpler change gains nearly as much.
 *
 * Each piece comes from a rule of its own (advice_rules.h). A rule describes the kernel as it would be after its change,
 * and the cost model says how long that one takes. A rule whose change gains little, or loses, stays silent, so that a
 * submission near its limit gets no advice.
 *
 * Limits   the gain is the model's, and of one change alone. A rule sees numbers, not intentions: it may name a line
 *          that cannot be improved.  */
#ifndef GRADER_REPORT_ADVISOR_H
#define GRADER_REPORT_ADVISOR_H

#include "grader/report/advice.h"
#include "grader/report/explain.h"

#include <stddef.h>

enum { ADVISOR_MOST = 5 };

/* Returns how many pieces there are. */
size_t advisor_find(const Explanation *explanation, const AdviceSubject *subject, Advice advice[ADVISOR_MOST]);

#endif
