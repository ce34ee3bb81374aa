/* call.h - the arguments of one call of solve(), made from a testcase.  */
#ifndef GRADER_CHECK_CALL_H
#define GRADER_CHECK_CALL_H

#include "base/status.h"
#include "grader/check/checker.h"
#include "grader/check/oracle.h"
#include "grader/problem/generator.h"
#include "grader/problem/problem.h"
#include "grader/problem/testcase.h"
#include "harness/broker/session.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct Call {
    const Problem *problem;
    const Testcase *testcase;
    SessionArgument arguments[CALL_MAX_PARAMETERS];
    size_t counts[CALL_MAX_PARAMETERS]; /* number of elements of each array */
    bool in_sample;                     /* a sample of the elements is compared, drawn with: */
    Chacha20Key sample;
    bool in_part; /* a sample of the blocks has run (DeviceCheck.samples_blocks): only what they wrote is compared */
} Call;

/* The inputs of earlier cases: what a submission must not keep, and might. They are made again where an output is wrong,
 * which is much cheaper than a copy of the inputs of every case. */
typedef struct EarlierInputs {
    const Testcase *testcases[EARLIER_CASES]; /* by EarlierCase; not owned; NULL: there was none */
    GeneratorKey secret;
} EarlierInputs;

static inline ArgumentRole call_argument_role(const Parameter *parameter)
{
    return !parameter_is_array(parameter)  ? ARGUMENT_VALUE
           : parameter->role == ROLE_INOUT ? ARGUMENT_INOUT
           : parameter->role == ROLE_IN    ? ARGUMENT_INPUT
                                           : ARGUMENT_OUTPUT;
}

/* The word that solve() gets for a size or a scalar: of a scalar, the bits of a float or a double. */
uint64_t call_word(const Parameter *parameter, const Sizes *sizes, size_t i);

/* Describes the arguments; the arrays have no memory yet. */
MUST_USE Status call_describe(const Problem *problem, const Testcase *testcase, Call *call, Message *why);
/* The same, with memory for the arrays from session_buffers(). */
MUST_USE Status call_prepare(const Problem *problem, const Testcase *testcase, Session *session, Call *call,
                             Message *why);
/* Fills the inputs from the testcase; random data come from `secret`, as for testcase_fill(). */
void call_fill(Call *call, const GeneratorKey *secret);
/* Compares the outputs in memory with those that the oracle computes from the inputs in memory; the comparison is that of
 * the first wrong one, or of the first. `earlier` may be NULL. */
MUST_USE Status call_compare(const Call *call, const Oracle *oracle, const EarlierInputs *earlier,
                             Comparison *comparison, Message *why);
/* All elements of the output with this parameter, if it is small. */
MUST_USE Status call_elements(const Call *call, const Oracle *oracle, size_t parameter, Arena *arena,
                              OutputElements *elements, Message *why);
/* The fraction of the first output that was written, as far as a value that is never computed shows. */
double call_written_share(const Call *call);
/* The call's inputs are the previous ones from now on, and if there were none, the first; its testcase must live as long. */
void earlier_inputs_note(EarlierInputs *earlier, const Call *call, const GeneratorKey *secret);
int64_t call_input_bytes(const Call *call);

#endif
