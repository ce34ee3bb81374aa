/* made_up.h - a made-up problem and made-up results, for tests of reports and ranking.  */
#ifndef GRADER_TESTS_MADE_UP_H
#define GRADER_TESTS_MADE_UP_H

#include "grader/judge/result.h"

#include <stdlib.h>
#include <string.h>

static const Problem made_up_problem = {
    .id = "conv1d",
    .title = "1D convolution",
    .parameters = {{.name = "input", .role = ROLE_IN, .type = ELEMENT_FLOAT32, .rank = 1, .shape = {{.text = "n"}}},
                   {.name = "output", .role = ROLE_OUT, .type = ELEMENT_FLOAT32, .rank = 1, .shape = {{.text = "n"}}},
                   {.name = "n", .role = ROLE_SIZE}},
    .parameter_count = 3,
    .output = 1,
    .revision = {"0123"},
};

static inline CaseResult made_up_case(CaseGroup group, const char *name, Verdict verdict)
{
    CaseResult item = {.group = group, .name = name, .judged = true, .verdict = verdict, .text = ""};
    static const SampleDetails details = {
        .compared = true, .comparison = {.count = 100, .rank = 1, .output = 1}, .printed = ""};
    item.sizes.values[2] = 4711;
    item.sample = group == CASE_SAMPLE ? &details : NULL;
    item.errors = (CaseErrors){.known = true, .max = 0.00123, .mean = 0.00045, .bound = 0.5};
    return item;
}

static inline CaseResult made_up_timed_case(const char *name, double seconds)
{
    CaseResult item = made_up_case(CASE_TIMED, name, VERDICT_ACCEPTED);
    item.operations = 1000000;
    item.bytes = 500000;
    item.input_bytes = 250000;
    item.samples = calloc(1, sizeof *item.samples);
    item.sample_count = 1;
    item.samples[0].event_s = seconds;
    return item;
}

static inline Result made_up_result(CaseResult *cases, size_t count)
{
    Result result = {
        .problem = &made_up_problem,
        .file_name = "mine.cu",
        .person = "Ada",
        .judge = "1",
        .toolkit = "13.0",
        .sandbox = "full",
        .text = "",
        .rank_status = "ranked",
        .time_utc = "2026-01-31T12:00:00Z",
        .device = {.id = "sim-h200",
                   .name = "NVIDIA H200",
                   .driver = "simgpu",
                   .modelled = true,
                   .calibrated = true,
                   .epoch = 1,
                   .read_bytes_per_s = 1e12,
                   .copy_bytes_per_s = 1e12,
                   .fma_flops_per_s = 1e13},
        .cases = cases,
        .case_count = count,
    };
    return result;
}

static inline void forget_samples(CaseResult *cases, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(cases[i].samples);
}

#endif
