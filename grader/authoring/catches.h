/* catches.h - which hidden cases find which wrong solutions: a matrix of both.
 *
 * A solution that is wrong in every hidden case counts for none of them: it needed none in particular.  */
#ifndef GRADER_AUTHORING_CATCHES_H
#define GRADER_AUTHORING_CATCHES_H

#include "base/arena.h"
#include "base/text.h"
#include "grader/result/result.h"
#include "grader/problem/testcase.h"

#include <stddef.h>

typedef struct CatchRow {
    const char *solution; /* "whole_blocks_only.cu" */
    char *marks;          /* a letter for each hidden case: the verdict; '.' accepted, ' ' not run */
    struct CatchRow *next;
} CatchRow;

typedef struct Catches {
    const char **cases; /* names of the hidden cases, in their order */
    size_t *found;      /* solutions that each of them finds */
    size_t case_count;
    CatchRow *first, **last;
    Arena arena;
} Catches;

/* An empty matrix of the hidden cases of `set`, whose names must outlive it. Not to be moved in memory. */
void catches_begin(Catches *catches, const TestcaseSet *set);
void catches_free(Catches *catches);

/* Adds a row for a solution that is wrong; one that came to no hidden case has none. */
void catches_add(Catches *catches, const char *solution, const Result *result);

/* The first hidden case that finds none, from 0; `case_count` where each finds one. */
size_t catches_idle_case(const Catches *catches);

/* As text, each line after `prefix`: a row for each solution, then the cases with how many each finds. */
void catches_text(const Catches *catches, const char *prefix, Text *text);

#endif
