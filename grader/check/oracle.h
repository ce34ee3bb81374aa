/* oracle.h - computes expected outputs in double, with the problem's own oracle.h.
 *
 * problems/<id>/oracle.h defines ONE output element. The host's compiler makes a shared object of it (kept in the
 * cache), once for a single element and once for several neighbours along the last index together, which is much
 * faster. Both add the terms in the same order, so that neither the choice between them nor the number of threads
 * changes a bit: a product of two float32 is exact in double.
 *
 * Error    of a sum, compared with quadruple precision: below 1e-15 of the sum of magnitudes. oracle_open_wide()
 *          evaluates the same file in long double, which shows an author whether double is enough.  */
#ifndef GRADER_CHECK_ORACLE_H
#define GRADER_CHECK_ORACLE_H

#include "base/status.h"
#include "base/text.h"
#include "grader/problem/problem.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct Oracle Oracle; /* of one output */

/* Opens those of all outputs; the first one is that of the first output. */
MUST_USE Status oracle_open(const Problem *problem, Oracle **oracle, Message *why);
/* The same in long double, one element at a time; the results are rounded to double. */
MUST_USE Status oracle_open_wide(const Problem *problem, Oracle **oracle, Message *why);
/* That of the next output; NULL: there is none. */
const Oracle *oracle_next(const Oracle *oracle);
/* The problem as it is for this output. */
const Problem *oracle_problem(const Oracle *oracle);
/* Closes all. */
void oracle_close(Oracle *oracle);

/* Computes the output elements [first, first + count), in row-major order, with all processors: `expected` gets the
 * values, `magnitude` the sums of |x w|. `inputs` is indexed by parameter. STATUS_SYSTEM: a value is not finite,
 * which is a fault of the judge. */
MUST_USE Status oracle_evaluate(const Oracle *oracle, const Sizes *sizes,
                                const void *const inputs[PROBLEM_MAX_PARAMETERS], size_t first, size_t count,
                                double *expected, double *magnitude, Message *why);

/* What a mistake makes of an inner sum (ORACLE_PASS in element.h) before the outer sum reads it. */
typedef double OracleBetween(double sum);

/* The same, with each inner sum changed by `between`, which may be NULL. An oracle without ORACLE_PASS has no inner sums. */
MUST_USE Status oracle_evaluate_between(const Oracle *oracle, const Sizes *sizes,
                                        const void *const inputs[PROBLEM_MAX_PARAMETERS], OracleBetween *between,
                                        size_t first, size_t count, double *expected, double *magnitude, Message *why);

/* Of an output with many right answers, for which checker.h has a function: that which is nearest to what the submission
 * has written. `arrays` are the inputs, and the submission's arrays in the places of those that are only written. Of
 * other outputs it is the same as oracle_evaluate(). */
MUST_USE Status oracle_evaluate_nearest(const Oracle *oracle, const Sizes *sizes,
                                        const void *const arrays[PROBLEM_MAX_PARAMETERS], size_t first, size_t count,
                                        double *expected, double *magnitude, Message *why);
bool oracle_has_checker(const Oracle *oracle);
/* The path of checker.h, and whether it is there and has a function for the output. */
MUST_USE Status oracle_find_checker(const Problem *problem, char *path, size_t size, bool *found, Message *why);

/* Adds the declarations, in C or CUDA, that oracle.h is compiled after: the type Case, CASE_OF(inputs, sizes), which
 * makes one, RANK, ORACLE_FUNCTION and CHECKER_FUNCTION, the names of the output's functions, and
 * ORACLE_CALL(function, c, position), which calls one of them. */
void oracle_case_header(const Problem *problem, Text *text);

#endif
