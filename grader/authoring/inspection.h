/* inspection.h - checks that the files of a problem are complete, as far as that needs no submission to run.
 *
 * For authors of problems (`convjudge check-problem`). Each function checks one requirement and returns STATUS_OK, or
 * BAD_INPUT with the first thing that is missing in `why`.  */
#ifndef GRADER_AUTHORING_INSPECTION_H
#define GRADER_AUTHORING_INSPECTION_H

#include "base/status.h"
#include "grader/problem/problem.h"
#include "grader/authoring/solution.h"
#include "grader/problem/testcase.h"

/* statement.md shows the signature, the sections that every problem has, and the largest value of every size (as
 * 4096 or 4,096). */
MUST_USE Status inspect_statement(const Problem *problem, Message *why);

/* There are hidden cases, and timed ones for both kinds of device. Some hidden case has the sizes of the one before it but
 * other data, once at the same addresses and once elsewhere: they find what a submission keeps for the next call. */
MUST_USE Status inspect_groups(const Problem *problem, const TestcaseSet *set, Message *why);

/* The first sample has literal values, which a person can check, and the statement's example shows each of them. */
MUST_USE Status inspect_example(const Problem *problem, const TestcaseSet *set, Message *why);

/* Literal expected values agree with the oracle within the problem's tolerance. */
MUST_USE Status inspect_literals(const Problem *problem, const TestcaseSet *set, Message *why);

/* A few elements of every sample and hidden case, spread over the output, agree between double and long double to 1e-12
 * of the sum of magnitudes, which allows for the rounding of double. */
MUST_USE Status inspect_precision(const Problem *problem, const TestcaseSet *set, Message *why);

/* The first comment of each reference solution states its arithmetic intensity in operations per byte, and that of each
 * wrong solution its "Mistake: ". */
MUST_USE Status inspect_headers(const Paths *solutions, Message *why);

/* At least 14 hidden cases, 6 reference solutions and 8 wrong ones. */
MUST_USE Status inspect_counts(const Problem *problem, const TestcaseSet *set, const Paths *solutions, Message *why);

#endif
