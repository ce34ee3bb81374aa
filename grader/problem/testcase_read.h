/* testcase_read.h - reads testcases/<id>/sample.json and hidden.json (docs/formats.md).  */
#ifndef GRADER_PROBLEM_TESTCASE_READ_H
#define GRADER_PROBLEM_TESTCASE_READ_H

#include "grader/problem/testcase.h"

/* Reads both files. Sizes outside the problem's limits, broken constraints, an input without a source and data of
 * the wrong shape are refused with file, line and key. */
MUST_USE Status testcases_read(const Problem *problem, TestcaseSet *set, Message *why);

#endif
