/* command_check.h - checks that the cases reach every limit that the statement promises, on the simulated GPU too.  */
#ifndef GRADER_COMMANDS_COMMAND_CHECK_H
#define GRADER_COMMANDS_COMMAND_CHECK_H

#include "base/arena.h"
#include "base/status.h"
#include "base/text.h"
#include "grader/judge/result.h"
#include "grader/problem/testcase.h"

#include <stdbool.h>
#include <stddef.h>

/* ==== detection matrix ============================================================================================ */

/* Which hidden cases find which wrong solutions: a matrix of both.
 *
 * A solution that is wrong in every hidden case counts for none of them, since any one case would have found it. */

typedef struct DetectionRow {
    const char *solution; /* "whole_blocks_only.cu" */
    char *marks;          /* the verdict in each hidden case: a letter, '.' for accepted, ' ' for not run */
    struct DetectionRow *next;
} DetectionRow;

typedef struct DetectionMatrix {
    const char **cases; /* names of the hidden cases, in order */
    bool *is_left_out;  /* [case_count] whether the case is not run for a solution that failed another */
    size_t *found;      /* [case_count] how many wrong solutions each case finds */
    size_t case_count;
    DetectionRow *first, **last;
    Arena arena;
} DetectionMatrix;

/* Makes an empty matrix for the hidden cases of `set`, whose names must outlive it. It must not be moved in memory. */
void detection_begin(DetectionMatrix *matrix, const TestcaseSet *set);
void detection_free(DetectionMatrix *matrix);

/* Writes the row of a wrong solution, case_count characters and a zero; false if no hidden case was run. */
bool detection_marks(const DetectionMatrix *matrix, const Result *result, char *row);
void detection_add(DetectionMatrix *matrix, const char *solution, const char *row);

/* The index of the first hidden case that finds no wrong solution; `case_count` if each finds one. */
size_t detection_idle_case(const DetectionMatrix *matrix);

/* Adds the matrix as text, with `prefix` before each line: a row per solution, then how many solutions each case
 * finds. */
void detection_text(const DetectionMatrix *matrix, const char *prefix, Text *text);

/* ==== limits inspection =========================================================================================== */

/* Cases that are timed on "cuda" do not count, since most students have the simulated GPU alone. Of the others, some case
 *
 *   has the smallest value of each size, and some case its largest;
 *   is as large as each constraint allows: one of its sizes cannot change by 1 without breaking it;
 *   has as many outputs as any case that is timed on "cuda": a grid that is too small shows only in the largest. */
MUST_USE Status inspect_limits(const Problem *problem, const TestcaseSet *set, Message *why);

#endif
