/* constant_rule.h - the rule "constant_filter" of problem.json: a filter must be read through constant memory.
 *
 * A run proves it; nobody searches the source. The judge calls solve() once more, on a simulated GPU, with random data
 * in the sizes of a sample or hidden case: the one with the largest filter, and among these the one with most data (up
 * to a mebibyte). While a kernel runs, each word of its __constant__ variables that equals a value of the filter is
 * replaced (call_probe_value()), so that the output must be that of another filter. It does not matter where a value
 * lies: a submission may reverse or pad the filter. A kernel that writes the output must not load from the array of the
 * filter itself; the simulated GPU reports such loads with their source line.
 *
 * Limits   Values that the submission changes (scales, or adds to one another) are not recognised. A load from a
 *          __constant__ variable through a pointer counts, though hardware may not use its constant cache for it. Host
 *          code that behaves otherwise on a real GPU is not seen.  */
#ifndef GRADER_CHECK_CONSTANT_RULE_H
#define GRADER_CHECK_CONSTANT_RULE_H

#include "base/status.h"
#include "grader/check/oracle.h"
#include "grader/problem/generator.h"
#include "grader/problem/problem.h"
#include "grader/problem/testcase.h"
#include "harness/broker/session.h"

#define CONSTANT_RULE_DEVICE "sim:h200"

typedef enum ConstantRuleKind {
    CONSTANT_RULE_KEPT,
    CONSTANT_RULE_BROKEN,
    CONSTANT_RULE_UNPROVED /* the simulated GPU does not implement what the submission uses */
} ConstantRuleKind;

typedef struct ConstantRuleFinding {
    ConstantRuleKind kind;
    char text[1024]; /* one sentence; "" if the rule is kept. If the case is a hidden one, in the judge's words alone */
    int line;        /* of the source, where the text does not name it (Mistake.line); 0: unknown */
} ConstantRuleFinding;

/* `session`: on CONSTANT_RULE_DEVICE, with nothing loaded. `compiled`: compiled for that device. */
MUST_USE Status constant_rule_check(const Problem *problem, const TestcaseSet *set, const Oracle *oracle,
                                    Session *session, const Compiled *compiled, const CallLimits *limits,
                                    const GeneratorKey *secret, ConstantRuleFinding *finding, Message *why);

/* The case whose sizes are used; NULL if no sample or hidden case is small enough. */
const Testcase *constant_rule_case(const Problem *problem, const TestcaseSet *set);

#endif
