/* Computes expected values of a part of one row of the output, with the problem's oracle.h.
 *
 * This file is not part of the judge's program. grader/check/oracle.c compiles it for each problem, with
 *   REAL          the type of one number: double, or long double to check the precision of double
 *   LANES         the number of neighbours along the last index that are computed together; 1: none
 *   ORACLE_FILE   "problems/<id>/oracle.h"
 *   CHECKER_FILE  "problems/<id>/checker.h": its function takes the place of the oracle's; not defined: there is none
 *   CASE_FILE     generated from problem.json: the type Case with CASE_OF(), ORACLE_CALL(), and the names of the functions  */
#include <stddef.h>

#include "../../base/element_type.h"
#include "element.h"

#include CASE_FILE
#include ORACLE_FILE
#ifdef CHECKER_FILE
#include CHECKER_FILE
#define ROW_OF CHECKER_FUNCTION
#else
#define ROW_OF ORACLE_FUNCTION
#endif

static inline void put(double *to, Real numbers)
{
#if LANES == 1
    *to = (double)numbers;
#else
    memcpy(to, &numbers, sizeof numbers);
#endif
}

/* Computes `count` elements, a multiple of LANES, from `first` on, which has one index for each extent of the output.
 * `inputs` and `sizes` are indexed by parameter. */
#define ROW_FUNCTION(name, function)                                                                                   \
    void name(const void *const *inputs, const int64_t *sizes, const KeptPass *kept, const int64_t *first,             \
              size_t count, double *expected, double *magnitude)                                                       \
    {                                                                                                                  \
        Case c = CASE_OF(inputs, sizes);                                                                               \
        int64_t position[RANK];                                                                                        \
        c.kept_pass = kept;                                                                                            \
        memcpy(position, first, sizeof position);                                                                      \
        for (size_t i = 0; i < count; i += LANES) {                                                                    \
            const Sum sum = ORACLE_CALL(function, &c, position);                                                       \
            put(expected + i, sum.value);                                                                              \
            put(magnitude + i, sum.magnitude);                                                                         \
            position[RANK - 1] += LANES;                                                                               \
        }                                                                                                              \
    }

ROW_FUNCTION(oracle_row, ROW_OF)
#if defined(ORACLE_PASS) && !defined(CHECKER_FILE)
ROW_FUNCTION(oracle_pass_row, ORACLE_PASS)
#endif
