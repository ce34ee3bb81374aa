/* checker_bench.h - a small problem and its outputs, for tests of the checker.  */
#ifndef GRADER_CHECK_TESTS_CHECKER_BENCH_H
#define GRADER_CHECK_TESTS_CHECKER_BENCH_H

#include "base/tests/unit.h"

#include "grader/check/checker.h"
#include "grader/problem/problem.h"
#include "grader/problem/testcase.h"
#include "grader/problem/testcase_data.h"
#include "grader/tests/home.h"

#include <math.h>
#include <omp.h>

/* A problem of two dimensions with a filter, and one testcase of it: 40 rows of 60, filter 3 x 3. */
static const char conv_problem[] =
    "{\"schema\": 1, \"id\": \"conv\", \"title\": \"Filter\", \"difficulty\": \"easy\",\n"
    "\"signature\": \"void solve(const float* x, const float* w, float* y, int rows, int cols)\",\n"
    "\"parameters\": [{\"name\": \"x\", \"role\": \"in\", \"shape\": [\"rows + 2\", \"cols + 2\"]},\n"
    "{\"name\": \"w\", \"role\": \"in\", \"shape\": [\"3\", \"3\"]},\n"
    "{\"name\": \"y\", \"role\": \"out\", \"shape\": [\"rows\", \"cols\"]},\n"
    "{\"name\": \"rows\", \"role\": \"size\", \"min\": 1, \"max\": 9000},\n"
    "{\"name\": \"cols\", \"role\": \"size\", \"min\": 1, \"max\": 9000}],\n"
    "\"constraints\": [], \"operations\": \"18 * rows * cols\", \"bytes\": \"8 * rows * cols\",\n"
    "\"tolerance\": {\"sum_factor\": 32, \"max_factor\": 4, \"rms\": 2e-5, \"why\": \"sums\"},\n"
    "\"limits\": {\"device_mebibytes\": 10, \"host_mebibytes\": 20, \"host_seconds\": 5, \"wall_seconds\": 5,\n"
    " \"sim_warp_instructions\": 1000, \"source_bytes\": 1024},\n"
    "\"rules\": {\"kernel_must_write_output\": true},\n"
    "\"timing\": {\"blocks\": 3, \"warm_up_calls\": 0, \"timed_calls\": 100}}\n";

static const char conv_oracle[] =
    "ORACLE Sum oracle(const Case *c, long row, long col)\n"
    "{\n"
    "    Sum sum = SUM_ZERO;\n"
    "    for (int r = 0; r < 3; r++)\n"
    "        for (int s = 0; s < 3; s++)\n"
    "            sum = sum_add(sum, at(c->x, (row + r) * (c->cols + 2) + col + s), c->w[3 * r + s]);\n"
    "    return sum;\n"
    "}\n";

static const char conv_cases[] =
    "{\"schema\": 1, \"cases\": [{\"name\": \"a\", \"why\": \"b\","
    " \"sizes\": {\"rows\": 40, \"cols\": 60},"
    " \"inputs\": {\"x\": {\"generator\": \"uniform\", \"low\": -1, \"high\": 2, \"seed\": 5},"
    " \"w\": {\"values\": [1, 2, 3, 4, -5, 6, 7, 8, 0.1]}}}]}";

enum { POISON = 0x7FC0BEEF };

typedef struct Bench {
    Problem problem;
    TestcaseSet set;
    Testcase *testcase;
    Oracle *oracle;
    float *x, *w, *y; /* y: right, rounded once */
    size_t rows, cols, count;
} Bench;

static inline int make_problem(void **state)
{
    int status = home_new(state);
    home_write("problems/conv/problem.json", conv_problem);
    home_write("problems/conv/oracle.h", conv_oracle);
    home_write("testcases/conv/sample.json", conv_cases);
    home_write("testcases/conv/hidden.json", conv_cases);
    return status;
}

static inline void fill_right(Bench *bench)
{
    for (size_t i = 0; i < bench->count; i++) {
        double sum = 0;
        for (size_t r = 0; r < 3; r++)
            for (size_t s = 0; s < 3; s++)
                sum += (double)bench->x[(i / bench->cols + r) * (bench->cols + 2) + i % bench->cols + s] *
                       bench->w[3 * r + s];
        bench->y[i] = (float)sum;
    }
}

static inline void bench_open(Bench *bench, size_t rows, size_t cols)
{
    Message why = {0};
    *bench = (Bench){.rows = rows, .cols = cols, .count = rows * cols};
    if (problem_read("conv", &bench->problem, &why) != STATUS_OK ||
        testcases_read(&bench->problem, &bench->set, &why) != STATUS_OK ||
        oracle_open(&bench->problem, &bench->oracle, &why) != STATUS_OK)
        fail_test("%s", why.text);
    bench->testcase = &bench->set.cases[0];
    bench->testcase->sizes.values[3] = (int64_t)rows;
    bench->testcase->sizes.values[4] = (int64_t)cols;
    bench->x = malloc((rows + 2) * (cols + 2) * sizeof *bench->x);
    bench->w = malloc(9 * sizeof *bench->w);
    bench->y = malloc(bench->count * sizeof *bench->y);
    testcase_fill(&bench->problem, bench->testcase, 0, &(GeneratorKey){{1}}, bench->x, (rows + 2) * (cols + 2));
    testcase_fill(&bench->problem, bench->testcase, 1, &(GeneratorKey){{1}}, bench->w, 9);
    fill_right(bench);
}

static inline void bench_close(Bench *bench)
{
    free(bench->x);
    free(bench->w);
    free(bench->y);
    oracle_close(bench->oracle);
    testcases_free(&bench->set);
    problem_free(&bench->problem);
}

static inline Comparison compare(const Bench *bench)
{
    const void *inputs[PROBLEM_MAX_PARAMETERS] = {bench->x, bench->w};
    Comparison comparison;
    Message why = {0};
    if (checker_compare(&bench->problem, bench->testcase, bench->oracle, inputs, NULL, bench->y, POISON, &comparison,
                        &why) != STATUS_OK)
        fail_test("%s", why.text);
    return comparison;
}

/* S of an element, computed here. */
static inline double magnitude(const Bench *bench, size_t i)
{
    double sum = 0;
    for (size_t r = 0; r < 3; r++)
        for (size_t s = 0; s < 3; s++)
            sum += fabs((double)bench->x[(i / bench->cols + r) * (bench->cols + 2) + i % bench->cols + s] *
                        bench->w[3 * r + s]);
    return sum;
}

static inline double max_magnitude(const Bench *bench)
{
    double largest = 0;
    for (size_t i = 0; i < bench->count; i++)
        largest = fmax(largest, magnitude(bench, i));
    return largest;
}

#endif
