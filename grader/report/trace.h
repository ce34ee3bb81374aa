/* trace.h - why an element of the output is wrong: the terms that the submission added to it, beside those of the oracle.
 *
 * Both come from the simulated GPU, which notes from what each value was computed (simgpu/engine/provenance.h). The
 * oracle runs there as a kernel, so that its terms need no formula. A term is a product of elements of the inputs with a
 * coefficient. What is no sum of products counts as it is: as a factor without a name.  */
#ifndef GRADER_REPORT_TRACE_H
#define GRADER_REPORT_TRACE_H

#include "base/arena.h"
#include "base/record.h"
#include "base/status.h"
#include "base/terminal.h"
#include "grader/judge/result.h"
#include "grader/problem/problem.h"
#include "grader/problem/signature.h"
#include "grader/problem/submission.h"
#include "grader/problem/testcase.h"
#include "harness/device/execution_profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ==== terms ======================================================================================================= */

enum { TERM_MAX_FACTORS = 4, TERM_MAX_STEPS = 4, TRACE_MAX_TERMS = 20000 };

typedef struct TraceFactor {
    int parameter;  /* of solve(): an input; -1: something else, of which `node` is all that is known */
    uint64_t index; /* of the element */
    uint32_t node;  /* index into ProfileTrace.nodes: the load of the element */
    double value;
    uint32_t steps[TERM_MAX_STEPS]; /* nodes: the stores through which it came, such as to shared memory */
    int step_count;
} TraceFactor;

typedef struct TraceTerm {
    double coefficient;                    /* that of a plain product is 1 */
    TraceFactor factors[TERM_MAX_FACTORS]; /* by parameter and index */
    int factor_count;
    uint32_t node;  /* the operation that made the term: a product, or a sum of one factor */
    uint32_t added; /* 1 + the sum that it was first added to; 0: none */
    int other;      /* the term of the other side that it corresponds to; -1: none */
    bool is_same;   /* it is the same there */
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
    SourceLoop loops[SOURCE_MOST_LOOPS]; /* that `mine` tells of, as provenance.h says */
    size_t loop_count;
    TraceTerms terms, expected_terms;
    int first;                 /* the first of `terms` that is different or extra; -1: none */
    int first_missing;         /* the first of `expected_terms` that is missing; -1: none */
    size_t different, missing; /* numbers of such terms */
    Arena arena;
} TermTrace;

enum { TRACE_MOST_CASES = 4 };

typedef struct TraceList { /* of the samples that are wrong; or the one that was asked for */
    TermTrace items[TRACE_MOST_CASES];
    size_t count;
} TraceList;

/* What the command was asked for. */
typedef struct TraceWish {
    const char *output;       /* "3,17": an element; NULL: of each wrong output the first one that is wrong */
    const TestcaseSet *cases; /* NULL: the samples */
    const char *device;       /* a simulated GPU */
    Progress *progress;
} TraceWish;

/* Runs the submission and the oracle. `result` is that of all cases. If it shows no output to trace, because the submission
 * does not compile for example or because all is right and no element was named, the list is empty. Free both in any
 * case. */
MUST_USE Status trace_run(const Problem *problem, const Submission *submission, const TraceWish *wish, Result *result,
                          TraceList *list, Message *why);
void trace_free(TraceList *list);
/* Finds the terms of both profiles, and which of them differ: a part of trace_run(), where both values are known. */
void trace_compare(TermTrace *trace);

/* ==== view ======================================================================================================== */

enum { TRACE_MOST_ROWS = 60, TRACE_MOST_MAP_ROWS = 24, TRACE_MOST_MAP_COLUMNS = 48, TRACE_MOST_STEPS = 24 };

/* What people see of a trace, as `convjudge trace --json` writes it. All texts are the judge's own, but for the names of
 * arrays. */

typedef struct TraceRow {                /* a term of the submission, and the oracle's beside it; "": there is none */
    const char *mark;                    /* "": both are the same; "first": the first that differs; "other" */
    const char *term, *lines, *expected; /* "input[2] * kernel[0]"; "9, 14": source lines, in ascending order */
    double value;
    size_t left_out; /* equal rows that stand before this one, and are not shown */
} TraceRow;

typedef struct TraceStep { /* a value on the way to the element, in the order in which they were computed */
    int line;
    const char *text; /* "3.5 * input[2]", "a function of 7" */
    double value;
} TraceStep;

typedef struct TraceMap { /* which elements of an input the terms use; a part of its last two dimensions */
    const char *array;    /* "input", or with more dimensions "input[0]" */
    size_t first_row, first_column, rows, columns; /* one row for an array of one dimension */
    const char
        *cells; /* row by row: '=' used as by the oracle, '+' only by the submission, '-' only by the oracle, '!' by
                        * both, in other terms; '.' not used */
} TraceMap;

typedef struct TraceView {
    const char *case_name, *element; /* "output[3][17]" */
    double got, expected;            /* NaN: nothing was stored */
    bool is_wrong;
    const char *writer, *sentence;
    TraceRow *rows;
    size_t row_count;
    TraceMap *maps;
    size_t map_count;
    TraceStep *steps; /* the last ones; none where the value is a sum of products */
    size_t step_count;
} TraceView;

typedef struct TraceViews {
    TraceView *items;
    size_t count;
} TraceViews;

extern const RecordTable trace_view_table; /* of one */
extern const RecordTable trace_table;      /* of all */

/* They live as long as the list. */
TraceViews trace_views(TraceList *list);
/* Whether one that was read from a file can be shown. */
bool trace_view_is_sound(const TraceView *view);
/* For the terminal. */
void trace_write(const TraceView *view, TerminalStyle style, Text *out);
/* Markup: a table, and a picture of each map. `id` is unique on the page. */
void trace_page(const TraceView *view, const char *id, Text *page);

#endif
