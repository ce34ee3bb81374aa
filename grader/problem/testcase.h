/* testcase.h - the data that a problem is judged on (docs/formats.md). */
#ifndef GRADER_PROBLEM_TESTCASE_H
#define GRADER_PROBLEM_TESTCASE_H

#include "base/arena.h"
#include "base/status.h"
#include "grader/problem/problem.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum CaseGroup { CASE_SAMPLE, CASE_HIDDEN, CASE_TIMED, CASE_GROUPS } CaseGroup;

typedef enum SourceKind {
    SOURCE_VALUES,    /* literal */
    SOURCE_FILE,      /* .npy, .pgm, .ppm, .bin beside the JSON file */
    SOURCE_PERTURBED, /* a file's values, each changed by a random number in [-change, change] */
    SOURCE_UNIFORM,   /* in [low, high) */
    SOURCE_NORMAL,    /* mean, deviation */
    SOURCE_INTEGERS,  /* whole numbers in [low, high] */
    SOURCE_IMPULSE,   /* `value` at `position` (default: the middle), 0 elsewhere */
    SOURCE_RAMP,      /* start + step * index */
    SOURCE_CONSTANT   /* value */
} SourceKind;

typedef struct CaseSource { /* where the data of one input array come from */
    SourceKind kind;
    Tensor literal; /* SOURCE_VALUES, SOURCE_FILE, SOURCE_PERTURBED */
    bool seeded;    /* the file gives a seed; else each grading uses a secret one */
    uint64_t seed;
    double a, b;      /* low/high, mean/deviation, value, start/step, change */
    int64_t position; /* SOURCE_IMPULSE; -1: the middle */
} CaseSource;

typedef struct Testcase {
    const char *name; /* "three taps"; students see it of sample and timed cases only */
    const char *why;  /* which mistake it finds */
    CaseGroup group;
    int number; /* from 1 within its group */
    Sizes sizes;
    bool repeats_addresses; /* CallOptions.repeats_addresses: of the case before it in its group */
    int64_t
        attempt_instructions; /* a simulated GPU gives a call up after so many warp-instructions, and the case counts
                                   * as accepted then; 0: it is judged whole */
    CaseSource sources[PROBLEM_MAX_PARAMETERS]; /* by parameter; inputs only */
    Tensor expected;                            /* literal values; data NULL: the oracle computes them */
    int64_t operations, bytes;                  /* values of the problem's formulas for these sizes */
} Testcase;

typedef struct TestcaseSet {
    Testcase *cases; /* samples, then hidden, then timed ones; within a group in the order of the files */
    size_t count;
    Arena arena;
} TestcaseSet;

void testcases_free(TestcaseSet *set);

#endif
