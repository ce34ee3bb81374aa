/* trace.h - why an element of the output is wrong: the terms that the submission added to it, beside those of the oracle.
 *
 * Both come from the simulated GPU, which notes from what each value was computed (simgpu/engine/provenance.h). The
 * oracle runs there as a kernel, so that its terms need no formula. A term is a product of elements of the inputs with a
 * coefficient. What is no sum of products counts as it is: as a factor without a name.  */
#ifndef GRADER_REPORT_TRACE_H
#define GRADER_REPORT_TRACE_H

#include "base/arena.h"
#include "base/status.h"
#include "base/terminal.h"
#include "grader/judge/result.h"
#include "grader/problem/problem.h"
#include "grader/problem/submission.h"
#include "grader/problem/testcase.h"
#include "harness/device/execution_profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ==== terms ======================================================================================================= */

enum { TERM_MAX_FACTORS = 4, TERM_MAX_STEPS = 4, TRACE_MAX_TERMS = 20000 };

typedef struct TraceFactor {
    int parameter;    /* of solve(): an input; -1: something else, of which `node` is all that is known */
    uint64_t index;   /* of the element */
    uint32_t node;    /* index into ProfileTrace.nodes: the load of the element */
    double value;
    uint32_t steps[TERM_MAX_STEPS]; /* nodes: the stores through which it came, such as to shared memory */
    int step_count;
} TraceFactor;

typedef struct TraceTerm {
    double coefficient; /* that of a plain product is 1 */
    TraceFactor factors[TERM_MAX_FACTORS]; /* by parameter and index */
    int factor_count;
    uint32_t node; /* the operation that made the term: a product, or a sum of one factor */
    int other;     /* the term of the other side that it corresponds to; -1: none */
    bool is_same;  /* it is the same there */
} TraceTerm;

typedef struct TraceTerms {
    TraceTerm *items; /* in the order in which they were added */
    size_t count, room;
    bool is_cut;
} TraceTerms;

/* ==== trace ======================================================================================================= */

typedef struct TermTrace {
    const Problem *problem;
    const Submission *submission;
    Sizes sizes;
    const char *case_name;
    size_t element; /* of the output, row-major */
    double got, expected;
    bool is_wrong;
    const ExecutionProfile *mine, *oracle;
    TraceTerms terms, expected_terms;
    int first; /* the first of `terms` that is different or extra; -1: none */
    int first_missing; /* the first of `expected_terms` that is missing; -1: none */
    size_t different, missing; /* numbers of such terms */
    Arena arena;
} TermTrace;

/* What the command was asked for. */
typedef struct TraceWish {
    const char *output;      /* "3,17": an element; NULL: the first that is wrong */
    const TestcaseSet *cases; /* NULL: the samples */
    const char *device;      /* a simulated GPU */
    Progress *progress;
} TraceWish;

/* Runs the submission and the oracle. `result` is that of all cases. If it shows no output to trace, because the submission
 * does not compile for example or because all is right and no element was named, `trace->mine` is NULL. Free both in any
 * case. */
MUST_USE Status trace_run(const Problem *problem, const Submission *submission, const TraceWish *wish, Result *result,
                          TermTrace *trace, Message *why);
void trace_free(TermTrace *trace);

/* Finds the terms of both profiles, and which of them differ. */
void trace_compare(TermTrace *trace);

/* What is wrong, in one or two sentences. */
void trace_sentence(const TermTrace *trace, Text *out);
/* For the terminal: the sentence, who wrote the element, and both lists of terms side by side. */
void trace_write(const TermTrace *trace, TerminalStyle style, Text *out);

/* Pieces that the page shows, too. */
void trace_add_element(const TermTrace *trace, size_t parameter, uint64_t index, Text *out); /* "input[2][5]" */
void trace_add_term(const TermTrace *trace, const ExecutionProfile *profile, const TraceTerm *term, Text *out);
void trace_add_lines(const TermTrace *trace, const TraceTerm *term, Text *out); /* "9, 14": the way of the factors */
void trace_add_writer(const TermTrace *trace, Text *out);

#endif
