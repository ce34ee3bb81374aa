/* detection_matrix.h - which hidden cases find which wrong solutions: a matrix of both.
 *
 * A solution that is wrong in every hidden case counts for none of them: it needed none in particular.  */
#ifndef GRADER_AUTHORING_DETECTION_MATRIX_H
#define GRADER_AUTHORING_DETECTION_MATRIX_H

#include "base/arena.h"
#include "base/text.h"
#include "grader/result/result.h"
#include "grader/problem/testcase.h"

#include <stddef.h>

typedef struct DetectionRow {
    const char *solution; /* "whole_blocks_only.cu" */
    char *marks;          /* a letter for each hidden case: the verdict; '.' accepted, ' ' not run */
    struct DetectionRow *next;
} DetectionRow;

typedef struct DetectionMatrix {
    const char **cases; /* names of the hidden cases, in their order */
    size_t *found;      /* solutions that each of them finds */
    size_t case_count;
    DetectionRow *first, **last;
    Arena arena;
} DetectionMatrix;

/* An empty matrix of the hidden cases of `set`, whose names must outlive it. Not to be moved in memory. */
void detection_begin(DetectionMatrix *matrix, const TestcaseSet *set);
void detection_free(DetectionMatrix *matrix);

/* Adds a row for a solution that is wrong; one that came to no hidden case has none. */
void detection_add(DetectionMatrix *matrix, const char *solution, const Result *result);

/* The first hidden case that finds none, from 0; `case_count` where each finds one. */
size_t detection_idle_case(const DetectionMatrix *matrix);

/* As text, each line after `prefix`: a row for each solution, then the cases with how many each finds. */
void detection_text(const DetectionMatrix *matrix, const char *prefix, Text *text);

#endif
