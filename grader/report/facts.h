/* facts.h - numbers about one call of solve() on one timed case, under names: what conditions of a ladder are about
 * (steps.h), and what `convjudge facts` prints. facts.def has a row for each.
 *
 * Units    as the rows say. A ratio of two counts that are both 0 is NaN, which means unknown.  */
#ifndef GRADER_REPORT_FACTS_H
#define GRADER_REPORT_FACTS_H

#include "grader/report/explain.h"

enum {
#define FACT(NAME, ABOUT, VALUE) FACT_##NAME,
#include "grader/report/facts.def"
#undef FACT
    FACT_COUNT
};

extern const char *const fact_names[FACT_COUNT], *const fact_meanings[FACT_COUNT];

/* `operations` are those that the problem's formula counts for the sizes; 0: unknown. */
void facts_of(const Explanation *explanation, const Problem *problem, const Sizes *sizes, double operations,
              double facts[FACT_COUNT]);

#endif
