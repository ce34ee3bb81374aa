/* detection_matrix.h - which hidden cases find which wrong solutions: a matrix of both.
 *
 * A solution that is wrong in every hidden case counts for none of them, since any one case would have found it.  */
#ifndef GRADER_AUTHORING_DETECTION_MATRIX_H
#define GRADER_AUTHORING_DETECTION_MATRIX_H

#include "base/arena.h"
#include "base/text.h"
#include "grader/result/result.h"
#include "grader/problem/testcase.h"

#include <stdbool.h>
#include <stddef.h>

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

/* Adds a row for a wrong solution, unless no hidden case was run. */
void detection_add(DetectionMatrix *matrix, const char *solution, const Result *result);

/* The index of the first hidden case that finds no wrong solution; `case_count` if each finds one. */
size_t detection_idle_case(const DetectionMatrix *matrix);

/* Adds the matrix as text, with `prefix` before each line: a row per solution, then how many solutions each case
 * finds. */
void detection_text(const DetectionMatrix *matrix, const char *prefix, Text *text);

#endif
