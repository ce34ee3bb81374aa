/* constant_rule.h - the rule "constant_filter" of problem.json: a filter is to be read through constant memory.
 *
 * Proved by running, not by searching the source. solve() is called once more, on a simulated GPU, with random data in
 * the sizes of a sample or hidden case: that with the largest filter, and of those the one with most data (up to a
 * mebibyte). While a kernel runs, each word of its __constant__ variables that holds one of the filter's values holds
 * another value (call_probe_value()), so that the output must be that of another filter. The place of a value does not
 * matter: a filter may be reversed or padded on its way. A kernel that writes the output must not load from the
 * filter's own array at all, which the simulated GPU tells by source line.
 *
 * Limits   values that were computed on their way (scaled, or added to one another) are not recognised; a load from a
 *          __constant__ variable through a pointer counts, though hardware may not use its constant cache for it; what
 *          the host code does only on a real GPU is not seen.  */
#ifndef GRADER_CHECK_CONSTANT_RULE_H
#define GRADER_CHECK_CONSTANT_RULE_H

#include "base/status.h"
#include "grader/oracle/oracle.h"
#include "grader/problem/problem.h"
#include "grader/problem/testcase.h"
#include "harness/session/session.h"

#include <stdint.h>

#define CONSTANT_RULE_DEVICE "sim:h200"

typedef enum ConstantRuleKind {
    CONSTANT_RULE_KEPT,
    CONSTANT_RULE_BROKEN,
    CONSTANT_RULE_UNPROVED /* the simulated GPU does not implement what the submission uses */
} ConstantRuleKind;

typedef struct ConstantRuleFinding {
    ConstantRuleKind kind;
    char text[1024]; /* one sentence; "" if the rule is kept */
} ConstantRuleFinding;

/* `session` is one of CONSTANT_RULE_DEVICE that has loaded nothing yet; `compiled` was compiled for it. */
MUST_USE Status constant_rule_check(const Problem *problem, const TestcaseSet *set, const Oracle *oracle,
                                    Session *session, const Compiled *compiled, const CallLimits *limits,
                                    uint64_t secret, ConstantRuleFinding *finding, Message *why);

/* The case whose sizes are taken; NULL where no sample or hidden case is small enough. */
const Testcase *constant_rule_case(const Problem *problem, const TestcaseSet *set);

#endif
