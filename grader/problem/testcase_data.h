/* testcase_data.h - what is drawn for a testcase: its sizes, and the data of its arrays.  */
#ifndef GRADER_PROBLEM_TESTCASE_DATA_H
#define GRADER_PROBLEM_TESTCASE_DATA_H

#include "grader/problem/generator.h"
#include "grader/problem/problem.h"
#include "grader/problem/testcase.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Fills the array of one input parameter, `count` elements of its type. The key of a random source is derived from
 * `secret` and its seed; or, if it has none, from `secret`, the number of the case and the parameter, so that no two
 * arrays of a run are alike. In a sample case, which students see, a seed gives the same data whatever `secret` is.
 * Uses all processors, and writes the same bytes on any number of them. */
void testcase_fill(const Problem *problem, const Testcase *testcase, size_t parameter, const GeneratorKey *secret,
                   void *data, size_t count);

/* True if the sizes keep the problem's constraints, and each array has a shape. */
bool sizes_hold(const Problem *problem, const Sizes *sizes);

/* Attempt `attempt` to draw the sizes of a case from its range: they need not hold. */
Sizes testcase_attempt_sizes(const Problem *problem, const Testcase *testcase, const GeneratorKey *secret,
                             uint32_t attempt);

/* Gives every case that draws its sizes those that follow from `secret` and its number, and that hold. */
MUST_USE Status testcases_draw(const Problem *problem, TestcaseSet *set, const GeneratorKey *secret, Message *why);

/* The key, for generator.h, of the array of one input parameter. */
GeneratorKey testcase_key(const Testcase *testcase, size_t parameter, const GeneratorKey *secret);

#endif
