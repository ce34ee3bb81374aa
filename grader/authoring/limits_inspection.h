/* limits_inspection.h - checks that the cases reach every limit that the statement promises, on the simulated GPU too.  */
#ifndef GRADER_AUTHORING_LIMITS_INSPECTION_H
#define GRADER_AUTHORING_LIMITS_INSPECTION_H

#include "base/status.h"
#include "grader/problem/testcase.h"

/* Cases that are timed on "cuda" do not count, since most students have the simulated GPU alone. Of the others, some case
 *
 *   has the smallest value of each size, and some case its largest;
 *   is as large as each constraint allows: one of its sizes cannot change by 1 without breaking it;
 *   has as many outputs as any case that is timed on "cuda": a grid that is too small shows only in the largest. */
MUST_USE Status inspect_limits(const Problem *problem, const TestcaseSet *set, Message *why);

#endif
