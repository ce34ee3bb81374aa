/* testcase_data.h - fills arrays with the data of a testcase.  */
#ifndef GRADER_PROBLEM_TESTCASE_DATA_H
#define GRADER_PROBLEM_TESTCASE_DATA_H

#include "grader/problem/generator.h"
#include "grader/problem/problem.h"
#include "grader/problem/testcase.h"

/* Fills the array of one input parameter, `count` elements of its type. The key of a random source is derived from
 * `secret` and its seed; or, if it has none, from `secret`, the number of the case and the parameter, so that no two
 * arrays of a run are alike. In a sample case, which students see, a seed gives the same data whatever `secret` is.
 * Uses all processors, and writes the same bytes on any number of them. */
void testcase_fill(const Problem *problem, const Testcase *testcase, size_t parameter, const GeneratorKey *secret,
                   void *data, size_t count);

/* The key, for generator.h, of the array of one input parameter. */
GeneratorKey testcase_key(const Testcase *testcase, size_t parameter, const GeneratorKey *secret);

#endif
