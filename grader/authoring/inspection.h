/* inspection.h - what the files of a problem must show, as far as it can be seen without running a submission.
 *
 * For authors of problems (`convjudge check-problem`). Each function is one demand: STATUS_OK, or BAD_INPUT where it is
 * not met, and `why` names the first thing that is missing.  */
#ifndef GRADER_AUTHORING_INSPECTION_H
#define GRADER_AUTHORING_INSPECTION_H

#include "base/status.h"
#include "grader/problem/problem.h"
#include "grader/authoring/solution.h"
#include "grader/problem/testcase.h"

/* statement.md shows the signature, the sections (a reader finds the same ones in every problem), and the largest value
 * of every size, as 4096 or 4,096. */
MUST_USE Status inspect_statement(const Problem *problem, Message *why);

/* There are hidden cases, and timed ones for both kinds of device. */
MUST_USE Status inspect_groups(const Problem *problem, const TestcaseSet *set, Message *why);

/* Every size parameter has its least and its largest value in some case that students cannot see or that is timed. */
MUST_USE Status inspect_limits(const Problem *problem, const TestcaseSet *set, Message *why);

/* The first sample is literal, so that a person can check it, and the statement's example shows each of its numbers. */
MUST_USE Status inspect_example(const Problem *problem, const TestcaseSet *set, Message *why);

/* Literal expected values are those of the oracle, within the problem's own tolerance. */
MUST_USE Status inspect_literals(const Problem *problem, const TestcaseSet *set, Message *why);

/* Of samples and hidden cases a few elements each, spread over the output, are the same in long double but for the
 * rounding of double: 1e-12 of the sum of magnitudes. */
MUST_USE Status inspect_precision(const Problem *problem, const TestcaseSet *set, Message *why);

/* Each reference solution's first comment says its arithmetic intensity in operations a byte, and each wrong one's names
 * its "Mistake: ". */
MUST_USE Status inspect_headers(const Paths *solutions, Message *why);

/* At least 14 hidden cases, 6 reference solutions and 8 wrong ones. */
MUST_USE Status inspect_counts(const Problem *problem, const TestcaseSet *set, const Paths *solutions, Message *why);

#endif
