/* steps.h - the steps of a problem's ladder: what a teacher advises to do next, and for whom.
 *
 * problems/<id>/ladder/NN-name.md holds one step, in this form:
 *
 *     # Four outputs in registers                              title
 *
 *     Let each thread compute 4 outputs ...                    the idea: a paragraph
 *
 *     - when: `outputs_per_thread < 2`                         a condition over facts (facts.def)
 *     - from: `naive.cu`                                       the kernel that the step begins with,
 *     - example: `register_tile.cu`                            and the one that it leads to: solutions/<id>/accepted/
 *
 *     ```cuda
 *     ...                                                      the sketch: the example with holes, each a comment that
 *     ```                                                      begins with "// HOLE: " and says what is missing
 *
 * A submission's next step is the first one, in the order of the names, whose condition holds in a timed case in which its
 * example is shorter, and whose example is shorter in the score by STEP_LEAST_GAIN. The model's error takes no part, since
 * the examples of a ladder were timed on a GPU too (leaderboard/references), in the same order. Where no condition holds, the
 * file seems to have taken all steps; then it is the first one whose example is shorter nevertheless.
 * `check-problem` climbs the ladder: it is the check that conditions, times and sketches fit together.
 *
 * Errors   BAD_INPUT with file and line: what was found there, and what was expected.  */
#ifndef GRADER_REPORT_STEPS_H
#define GRADER_REPORT_STEPS_H

#include "grader/problem/expression.h"
#include "grader/report/facts.h"
#include "leaderboard/store.h"

typedef struct LadderStep {
    const char *path;
    const char *name; /* of the file, without its folder and ".md" */
    const char *title, *idea, *from, *example, *sketch;
    Expression when;
} LadderStep;

typedef struct Steps {
    LadderStep *steps; /* in the order of their names */
    size_t count;
    Arena arena;
} Steps;

/* The least share of the score that a step gains, over the example before it and over the file that it is told for. */
#define STEP_LEAST_GAIN 0.1

/* A problem without the folder has no steps. */
MUST_USE Status steps_read(const Problem *problem, Steps *steps, Message *why);
void steps_free(Steps *steps);

/* Checks that each line of code of a sketch stands in the example's source, in that order, whatever its indentation and
 * comments, and that something is missing: then the sketch is what the judged example says. */
MUST_USE Status steps_check_sketch(const LadderStep *step, const char *example, Message *why);

/* ==== the next step =============================================================================================== */

typedef struct StepCase { /* a timed case that was run */
    const char *name;
    MeasuredTime time;
    const double *facts;  /* [FACT_COUNT] */
    MeasuredTime example; /* set with the step; ms 0: unknown */
} StepCase;

typedef struct NextStep {
    const LadderStep *step; /* NULL: none */
    bool is_taken;          /* its condition does not hold: the file does this, but less well than the example */
    MeasuredTime time, example;
} NextStep;

/* `times` are those of the reference solutions on the device of the cases, `time` is that of the submission: its score, or with
 * `one_case` that of the only case. Sets the example's times of all cases, too. */
MUST_USE Status steps_next(const Steps *steps, const ReferenceTime *times, size_t count, MeasuredTime time,
                           bool one_case, StepCase *cases, size_t case_count, NextStep *next, Message *why);

#endif
