/* problem_formulas.h - the expressions of problem.json: shapes, constraints, and the counts of operations and
 * bytes.  */
#ifndef GRADER_PROBLEM_PROBLEM_FORMULAS_H
#define GRADER_PROBLEM_PROBLEM_FORMULAS_H

#include "base/json.h"
#include "grader/problem/problem.h"

/* Compiles them. The problem's parameters must be known, but for their shapes. */
MUST_USE Status problem_read_formulas(const JsonFile *file, Problem *problem, Message *why);

/* Checks that each one has a sensible value at the least sizes and, if the constraints allow them, at the largest. */
MUST_USE Status problem_check_formulas(const JsonFile *file, const Problem *problem, Message *why);

#endif
