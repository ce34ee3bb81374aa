/* call.h - the parameters of one call of solve(), from a testcase.  */
#ifndef GRADER_CHECK_CALL_H
#define GRADER_CHECK_CALL_H

#include "base/status.h"
#include "grader/check/checker.h"
#include "grader/oracle/oracle.h"
#include "grader/problem/problem.h"
#include "grader/problem/testcase.h"
#include "harness/session/session.h"

#include <stddef.h>

typedef struct Call {
    const Problem *problem;
    const Testcase *testcase;
    SessionArgument arguments[CALL_MAX_PARAMETERS];
    size_t counts[CALL_MAX_PARAMETERS]; /* elements of each array */
} Call;

/* The parameters, as yet without memory for the arrays. */
MUST_USE Status call_describe(const Problem *problem, const Testcase *testcase, Call *call, Message *why);
/* With memory for the arrays: session_buffers(). */
MUST_USE Status call_prepare(const Problem *problem, const Testcase *testcase, Session *session, Call *call,
                             Message *why);
/* Fills the inputs from the testcase, with `secret` for what it draws anew. */
void call_fill(Call *call, uint64_t secret);
/* The output in memory held against what the inputs in memory give. */
MUST_USE Status call_compare(const Call *call, const Oracle *oracle, Comparison *comparison, Message *why);
int64_t call_input_bytes(const Call *call);

#endif
