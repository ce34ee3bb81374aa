#include "grader/explain/kernel_under_review.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

void advice_say(Advice *advice, int line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(advice->text, sizeof advice->text, format, arguments);
    va_end(arguments);
    advice->line = line;
}

double patient_gain(const Patient *patient, KernelModel *changed)
{
    changed->input.counters = &changed->counters;
    changed->input.function = &changed->function;
    double saved_s = kernel_model_seconds(&patient->model) - kernel_model_seconds(changed);
    return saved_s / patient->explanation->seconds;
}

uint64_t patient_per_launch(const Patient *patient, double count)
{
    return (uint64_t)(count / (double)patient->model.launches);
}

const SimLine *patient_worst_line(const Patient *patient, Measure *measure)
{
    const ExecutionProfile *profile = patient->explanation->profile;
    const SimLine *worst = NULL;
    double most = 0;
    for (uint32_t i = 0; i < profile->line_count; i++) {
        const ProfileLine *line = &profile->lines[i];
        if (line->kernel != patient->index || !explain_is_own_line(patient->explanation, line))
            continue;
        double value = measure(&line->counts);
        if (value > most) {
            most = value;
            worst = &line->counts;
        }
    }
    return worst;
}

double patient_sum(const Patient *patient, Measure *measure)
{
    const ExecutionProfile *profile = patient->explanation->profile;
    double sum = 0;
    for (uint32_t i = 0; i < profile->line_count; i++)
        if (profile->lines[i].kernel == patient->index)
            sum += measure(&profile->lines[i].counts);
    return sum;
}

double patient_threads(const Patient *patient)
{
    const uint32_t *block = patient->kernel->profile->shape.block;
    return (double)block[0] * block[1] * block[2];
}

double patient_blocks(const Patient *patient)
{
    const uint32_t *grid = patient->kernel->profile->shape.grid;
    return (double)grid[0] * grid[1] * grid[2];
}

double patient_warps(const Patient *patient)
{
    return ceil(patient_threads(patient) / SIM_WARP_SIZE) * patient_blocks(patient) *
           (double)patient->kernel->profile->launches;
}

double patient_turns(const Patient *patient, const SimLine *line)
{
    return (double)line->executions / patient_warps(patient);
}
