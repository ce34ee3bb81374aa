#include "grader/explain/kernel_under_review.h"

#include <math.h>

void review_begin(const Explanation *explanation, uint32_t index, const char *source, KernelUnderReview *review)
{
    *review = (KernelUnderReview){.explanation = explanation,
                                  .index = index,
                                  .kernel = &explanation->kernels[index],
                                  .counters = &explanation->profile->kernels[index].counters,
                                  .source = source};
    kernel_model(explanation, index, &review->model);
}

double review_gain(const KernelUnderReview *review, KernelModel *changed)
{
    changed->input.counters = &changed->counters;
    changed->input.function = &changed->function;
    double saved_s = kernel_model_seconds(&review->model) - kernel_model_seconds(changed);
    return saved_s / review->explanation->seconds;
}

uint64_t review_per_launch(const KernelUnderReview *review, double sum)
{
    return (uint64_t)(sum / (double)review->model.launches);
}

const SimLine *review_worst_line(const KernelUnderReview *review, LineMeasure *measure)
{
    const ExecutionProfile *profile = review->explanation->profile;
    const SimLine *worst = NULL;
    double most = 0;
    for (uint32_t i = 0; i < profile->line_count; i++) {
        const ProfileLine *line = &profile->lines[i];
        if (line->kernel != review->index || !explain_is_own_line(review->explanation, line))
            continue;
        double value = measure(&line->counts);
        if (value > most) {
            most = value;
            worst = &line->counts;
        }
    }
    return worst;
}

double review_sum(const KernelUnderReview *review, LineMeasure *measure)
{
    const ExecutionProfile *profile = review->explanation->profile;
    double sum = 0;
    for (uint32_t i = 0; i < profile->line_count; i++)
        if (profile->lines[i].kernel == review->index)
            sum += measure(&profile->lines[i].counts);
    return sum;
}

double review_threads_per_block(const KernelUnderReview *review)
{
    const uint32_t *block = review->kernel->profile->shape.block;
    return (double)block[0] * block[1] * block[2];
}

double review_blocks_per_launch(const KernelUnderReview *review)
{
    const uint32_t *grid = review->kernel->profile->shape.grid;
    return (double)grid[0] * grid[1] * grid[2];
}

double review_warps(const KernelUnderReview *review)
{
    return ceil(review_threads_per_block(review) / SIM_WARP_SIZE) * review_blocks_per_launch(review) *
           (double)review->kernel->profile->launches;
}

double review_executions_per_warp(const KernelUnderReview *review, const SimLine *line)
{
    return (double)line->executions / review_warps(review);
}
