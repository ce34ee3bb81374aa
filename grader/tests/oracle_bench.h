/* oracle_bench.h - a problem's oracle, and one case that it evaluates.  */
#ifndef GRADER_TESTS_ORACLE_BENCH_H
#define GRADER_TESTS_ORACLE_BENCH_H

#include "grader/check/oracle.h"
#include "grader/problem/problem.h"
#include "grader/problem/testcase.h"
#include "grader/problem/testcase_data.h"

#include <stdlib.h>

/* One case of a problem, with its inputs filled and its oracle open. */
typedef struct Bench {
    Problem problem;
    Oracle *oracle;
    Testcase testcase;
    void *inputs[PROBLEM_MAX_PARAMETERS];
    size_t count; /* of output elements */
    double *expected, *magnitude;
} Bench;

static inline void bench_open(Bench *bench, const char *id)
{
    Message why = {0};
    *bench = (Bench){0};
    if (problem_read(id, &bench->problem, &why) != STATUS_OK ||
        oracle_open(&bench->problem, &bench->oracle, &why) != STATUS_OK)
        fail_test("%s", why.text);
}

static inline void bench_drop_case(Bench *bench)
{
    for (size_t i = 0; i < PROBLEM_MAX_PARAMETERS; i++) {
        free(bench->inputs[i]);
        bench->inputs[i] = NULL;
    }
    free(bench->expected);
    free(bench->magnitude);
}

static inline void bench_close(Bench *bench)
{
    oracle_close(bench->oracle);
    problem_free(&bench->problem);
}

static inline size_t elements(const Bench *bench, size_t parameter)
{
    size_t shape[TENSOR_MAX_RANK], count;
    Message why;
    if (problem_shape(&bench->problem, parameter, &bench->testcase.sizes, shape, &count, &why) != STATUS_OK)
        fail_test("%s", why.text);
    return count;
}

static inline Status bench_evaluate(Bench *bench, const Testcase *testcase, Message *why)
{
    bench->testcase = *testcase;
    for (size_t i = 0; i < bench->problem.parameter_count; i++)
        if (bench->problem.parameters[i].role == ROLE_IN) {
            size_t count = elements(bench, i);
            bench->inputs[i] = malloc(count * element_bytes(bench->problem.parameters[i].type));
            testcase_fill(&bench->problem, testcase, i, &(GeneratorKey){{5}}, bench->inputs[i], count);
        }
    bench->count = elements(bench, problem_output(&bench->problem));
    bench->expected = malloc(bench->count * sizeof *bench->expected);
    bench->magnitude = malloc(bench->count * sizeof *bench->magnitude);
    return oracle_evaluate(bench->oracle, &testcase->sizes, (const void *const *)bench->inputs, 0, bench->count,
                           bench->expected, bench->magnitude, why);
}

#endif
