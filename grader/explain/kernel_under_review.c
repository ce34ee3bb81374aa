#include "grader/explain/kernel_under_review.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void review_begin(const Explanation *explanation, uint32_t index, const AdviceSubject *subject,
                  KernelUnderReview *review)
{
    *review = (KernelUnderReview){.explanation = explanation,
                                  .index = index,
                                  .kernel = &explanation->kernels[index],
                                  .counters = &explanation->profile->kernels[index].counters,
                                  .subject = subject,
                                  .source = subject->source};
    kernel_model(explanation, index, &review->model);
    review->mix = change_mix(&review->model);
}

double review_per_launch(const KernelUnderReview *review, double sum)
{
    return sum / (double)review->model.launches;
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

static double multiply_adds(const SimLine *line)
{
    return (double)(line->counters.fp32 + line->counters.fp64);
}

const SimLine *review_hot_line(const KernelUnderReview *review)
{
    return review_worst_line(review, multiply_adds);
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
    return (double)launch_block_threads(&review->kernel->profile->shape);
}

double review_blocks_per_launch(const KernelUnderReview *review)
{
    return (double)launch_block_count(&review->kernel->profile->shape);
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

static double threads_of_all(const KernelUnderReview *review)
{
    return review_threads_per_block(review) * review_blocks_per_launch(review) *
           (double)review->kernel->profile->launches;
}

double review_taps_per_thread(const KernelUnderReview *review)
{
    return (double)(review->counters->fma32 + review->counters->fma64) / threads_of_all(review);
}

double review_outputs_per_thread(const KernelUnderReview *review)
{
    return fmax(1, (double)review->counters->global_store_bytes / sizeof(float) / threads_of_all(review));
}

/* The parameter that is input number `number`, from 1; parameter_count: there are fewer. */
static size_t input_of(const Problem *problem, size_t number)
{
    size_t inputs = 0;
    for (size_t i = 0; i < problem->parameter_count; i++)
        if (problem->parameters[i].role == ROLE_IN && ++inputs == number)
            return i;
    return problem->parameter_count;
}

/* The filter is the second input. */
static size_t filter_of(const Problem *problem)
{
    return input_of(problem, 2);
}

int review_filter_extents(const KernelUnderReview *review, size_t extents[TENSOR_MAX_RANK])
{
    const AdviceSubject *subject = review->subject;
    const Problem *problem = subject->problem;
    size_t filter = problem == NULL ? 0 : filter_of(problem), outputs = 0, taps = 0;
    Message why = {0};
    if (problem == NULL || subject->sizes == NULL || filter == problem->parameter_count ||
        problem_shape(problem, problem_output(problem), subject->sizes, extents, &outputs, &why) != STATUS_OK ||
        problem_shape(problem, filter, subject->sizes, extents, &taps, &why) != STATUS_OK)
        return 0;
    return subject->operations < (double)taps * (double)outputs ? 0 : problem->parameters[filter].rank;
}

static bool has_axis(const Parameter *array, const char *extent)
{
    for (int i = 0; i < array->rank; i++)
        if (strcmp(array->shape[i].text, extent) == 0)
            return true;
    return false;
}

bool review_matrix_product(const KernelUnderReview *review, MatrixProduct *product)
{
    const Problem *problem = review->subject->problem;
    size_t filter = problem == NULL ? 0 : filter_of(problem), extents[TENSOR_MAX_RANK], count = 0, outputs = 0;
    Message why = {0};
    *product = (MatrixProduct){.rows = 0};
    if (problem == NULL || review->subject->sizes == NULL || filter == problem->parameter_count ||
        problem_shape(problem, problem_output(problem), review->subject->sizes, extents, &outputs, &why) != STATUS_OK ||
        problem_shape(problem, filter, review->subject->sizes, extents, &count, &why) != STATUS_OK)
        return false;
    const Parameter *weights = &problem->parameters[filter], *input = &problem->parameters[input_of(problem, 1)];
    const Parameter *output = &problem->parameters[problem_output(problem)];
    for (int i = 0; i < weights->rank; i++) {
        bool of_input = has_axis(input, weights->shape[i].text), of_output = has_axis(output, weights->shape[i].text);
        if (of_output && !of_input)
            product->columns = (double)extents[i];
        else if (of_input && !of_output)
            product->channels = (double)extents[i];
    }
    product->input = input->name;
    product->weights = weights->name;
    product->rows = ratio((double)outputs, product->columns);
    product->depth = review->subject->operations / 2 / (double)outputs;
    return product->columns > 0 && product->channels > 0 && product->depth > 0;
}

double review_output_bytes(const KernelUnderReview *review)
{
    const Problem *problem = review->subject->problem;
    size_t extents[TENSOR_MAX_RANK], outputs = 0;
    Message why = {0};
    if (problem == NULL || review->subject->sizes == NULL || problem->parameter_count == 0 ||
        problem_shape(problem, problem_output(problem), review->subject->sizes, extents, &outputs, &why) != STATUS_OK)
        return 0;
    return (double)outputs * (double)element_bytes(problem->parameters[problem_output(problem)].type);
}

double review_taps_in_a_row(const KernelUnderReview *review)
{
    double taps = fmax(1, review_taps_per_thread(review) / review_outputs_per_thread(review));
    const uint32_t *grid = review->kernel->profile->shape.grid;
    return grid[2] > 1 ? cbrt(taps) : grid[1] > 1 ? sqrt(taps) : taps;
}

double review_share_of(const KernelUnderReview *review, const char *unit)
{
    const Cost *cost = &review->kernel->cost;
    for (int i = 0; i < cost->part_count; i++)
        if (strcmp(cost->parts[i].name, unit) == 0)
            return cost->parts[i].seconds / cost->seconds;
    return 0;
}

static double division_instructions(const SimLine *line)
{
    return (double)line->divisions * INTEGER_DIVISION_INSTRUCTIONS +
           (double)line->float_divisions * FLOAT_DIVISION_INSTRUCTIONS;
}

double review_divisions_and_functions(const KernelUnderReview *review)
{
    double lanes = review_sum(review, division_instructions) + (double)review->counters->special;
    return fmin(review->mix.others, review_per_launch(review, lanes) / SIM_WARP_SIZE);
}

double review_constant_bytes(const KernelUnderReview *review)
{
    return fmin(review->kernel->profile->constant_bytes, 4 * (double)review->model.input.longest_warp_constant);
}

/* "one::blur<3>" is "blur" in the source. */
static void plain_kernel_name(const KernelUnderReview *review, char *name, size_t size)
{
    const char *full = review->kernel->name, *colon = strrchr(full, ':'), *last = colon == NULL ? full : colon + 1;
    snprintf(name, size, "%.*s", (int)strcspn(last, "<"), last);
}

int review_kernel_line(const KernelUnderReview *review)
{
    char name[sizeof review->kernel->name];
    plain_kernel_name(review, name, sizeof name);
    return kernel_line(review->source, name);
}

void review_names(const KernelUnderReview *review, int line, KernelNames *names)
{
    char name[sizeof review->kernel->name];
    plain_kernel_name(review, name, sizeof name);
    kernel_names_find(review->source, name, line, review->subject->problem, names);
}

void review_line_text(const KernelUnderReview *review, int line, char *text, size_t size)
{
    copy_line(review->source, line, text, size);
}
