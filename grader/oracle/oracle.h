/* oracle.h - expected outputs, in double, from the problem's own oracle.h.
 *
 * problems/<id>/oracle.h defines ONE output element. It is compiled by the host compiler into a shared object (cached
 * in build/cache by hash), once for a single element and once for a few neighbours along the last index together, which
 * is what makes it fast; both take the terms in the same order, so the result does not depend on which was used, nor on
 * the number of threads: a product of two float32 is exact in double.
 *
 * Error    of a sum against quadruple precision: below 1e-15 of the sum of magnitudes. Opened as wide, the same file is
 *          evaluated in long double instead, by which an author sees that double was enough.  */
#ifndef GRADER_ORACLE_ORACLE_H
#define GRADER_ORACLE_ORACLE_H

#include "base/status.h"
#include "base/text.h"
#include "grader/problem/problem.h"

#include <stddef.h>

typedef struct Oracle Oracle;

MUST_USE Status oracle_open(const Problem *problem, Oracle **oracle, Message *why);
/* The same in long double, one element at a time, rounded to double at the end. */
MUST_USE Status oracle_open_wide(const Problem *problem, Oracle **oracle, Message *why);
void oracle_close(Oracle *oracle);

/* Output elements [first, first + count), row-major: `expected` the value, `magnitude` the sum of |x w|. `inputs` holds
 * the array of each input parameter at the parameter's index. In parallel. A value that is not finite is the judge's
 * fault: STATUS_SYSTEM. */
MUST_USE Status oracle_evaluate(const Oracle *oracle, const Sizes *sizes,
                                const void *const inputs[PROBLEM_MAX_PARAMETERS], size_t first, size_t count,
                                double *expected, double *magnitude, Message *why);

/* The declarations, made from problem.json, that oracle.h is compiled after, in C or CUDA: the type Case,
 * CASE_OF(inputs, sizes), which makes one, RANK, and ORACLE_AT(c, position), the call of oracle(). */
void oracle_case_header(const Problem *problem, Text *text);

#endif
