/* testcase_data.h - fills arrays with the data of a testcase.  */
#ifndef GRADER_PROBLEM_TESTCASE_DATA_H
#define GRADER_PROBLEM_TESTCASE_DATA_H

#include "grader/problem/problem.h"
#include "grader/problem/testcase.h"

/* Fills the array of one input parameter, `count` elements of its type. A source without a seed of its own takes it
 * from `secret`, the number of the case and the parameter, so that no two arrays of a run are alike. Uses all
 * processors, and writes the same bytes on any number of them. */
void testcase_fill(const Problem *problem, const Testcase *testcase, size_t parameter, uint64_t secret, void *data,
                   size_t count);

/* The key, for generator.h, of the array of one input parameter. */
uint64_t testcase_key(const Testcase *testcase, size_t parameter, uint64_t secret);

/* 64 bits from the kernel's random number generator. */
MUST_USE Status secret_seed(uint64_t *seed, Message *why);

#endif
