#include "grader/result.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Nothing is known more precisely, whatever its samples say: clocks and models have errors of their own. */
static const double LEAST_UNCERTAINTY = 0.005;

void result_free(Result *result)
{
    compiled_free(&result->compiled);
    arena_free(&result->arena);
    *result = (Result){0};
}

void result_warn(Result *result, const char *format, ...)
{
    char text[800];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    for (size_t i = 0; i < result->warning_count; i++)
        if (strcmp(result->warnings[i], text) == 0)
            return;
    if (result->warning_count < RESULT_MAX_WARNINGS)
        result->warnings[result->warning_count++] = arena_string(&result->arena, text);
}

static int by_number(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Of the events' times: a device with a second clock compares the two before this. */
static double median_s(const CaseSample *samples, size_t count)
{
    double *sorted = calloc(count, sizeof *sorted);
    if (sorted == NULL)
        abort();
    for (size_t i = 0; i < count; i++)
        sorted[i] = samples[i].event_s;
    qsort(sorted, count, sizeof *sorted, by_number);
    double median = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
    free(sorted);
    return median;
}

void result_time_case(CaseResult *item, const DeviceInfo *device)
{
    double time_s = item->sample_count == 0 ? 0 : median_s(item->samples, item->sample_count);
    if (!(time_s > 0))
        return;
    item->time = (MeasuredTime){.ms = 1e3 * time_s, .uncertainty = LEAST_UNCERTAINTY};
    item->gflops = (double)item->operations / time_s * 1e-9;
    item->gbytes_per_s = (double)item->bytes / time_s * 1e-9;
    if (device->copy_bytes_per_s > 0 && device->fma_flops_per_s > 0)
        item->roofline = fmax((double)item->bytes / device->copy_bytes_per_s,
                              (double)item->operations / device->fma_flops_per_s) / time_s;
}

static bool is_timed(const CaseResult *item)
{
    return item->group == CASE_TIMED_CUDA || item->group == CASE_TIMED_SIM;
}

void result_score(Result *result)
{
    double log_ms = 0, log_gflops = 0, log_gbytes = 0, log_roofline = 0, uncertainty = 0;
    size_t count = 0;
    for (size_t i = 0; i < result->case_count; i++) {
        const CaseResult *item = &result->cases[i];
        if (!is_timed(item))
            continue;
        if (!(item->time.ms > 0))
            return;
        log_ms += log(item->time.ms);
        log_gflops += log(item->gflops);
        log_gbytes += log(item->gbytes_per_s);
        log_roofline += log(item->roofline); /* log 0 is -infinity, and exp() of that 0 again: not known */
        uncertainty += item->time.uncertainty;
        count++;
    }
    if (count == 0)
        return;
    const double n = (double)count;
    result->score = (MeasuredTime){.ms = exp(log_ms / n), .uncertainty = uncertainty / n};
    result->gflops = exp(log_gflops / n);
    result->gbytes_per_s = exp(log_gbytes / n);
    result->roofline = exp(log_roofline / n);
}

const CaseResult *result_failed_case(const Result *result)
{
    for (size_t i = 0; i < result->case_count; i++)
        if (result->cases[i].judged && result->cases[i].verdict != VERDICT_ACCEPTED)
            return &result->cases[i];
    return NULL;
}

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

CompileKernel result_largest_use(const Compiled *compiled)
{
    CompileKernel most = {.name = ""};
    for (size_t i = 0; i < compiled->kernel_count; i++) {
        const CompileKernel *kernel = &compiled->kernels[i];
        most.registers = larger(most.registers, kernel->registers);
        most.shared_bytes = larger(most.shared_bytes, kernel->shared_bytes);
        most.spill_bytes = larger(most.spill_bytes, kernel->spill_bytes);
    }
    return most;
}
