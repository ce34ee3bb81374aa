#include "grader/report/facts.h"

#include "simgpu/cost/pattern.h"

#include <math.h>
#include <string.h>

const char *const fact_names[FACT_COUNT] = {
#define FACT(NAME, ABOUT, VALUE) #NAME,
#include "grader/report/facts.def"
#undef FACT
};

const char *const fact_meanings[FACT_COUNT] = {
#define FACT(NAME, ABOUT, VALUE) ABOUT,
#include "grader/report/facts.def"
#undef FACT
};

/* Sums over all launches of all kernels, but where one kernel is meant. */
typedef struct FactSource {
    const Explanation *explanation;
    const ExplainedKernel *longest; /* the kernel that takes most of the time */
    const ProfileKernel *profile;   /* its */
    SimCounters all;
    InstructionMix mix;
    double operations, outputs, input_bytes; /* of the problem, for the sizes of the case */
    double multiply_adds, tensor;            /* of lanes */
    double launches, threads, warps;
    double stored; /* elements as large as those of the output */
    double sectors, ideal_sectors, wavefronts, ideal_wavefronts;
    double threads_per_block, blocks; /* of the longest kernel */
    double fma_per_iteration;
} FactSource;

static double part_share(const FactSource *s, const char *unit)
{
    const Cost *cost = &s->longest->cost;
    for (int i = 0; i < cost->part_count; i++)
        if (strcmp(cost->parts[i].name, unit) == 0)
            return cost->parts[i].seconds / cost->seconds;
    return 0;
}

static double multiply_adds(const SimLine *line)
{
    return (double)(line->counters.fma32 + line->counters.fma64);
}

static void add_kernel(FactSource *s, uint32_t index)
{
    KernelUnderReview review;
    review_begin(s->explanation, index, &review);
    const double launches = (double)review.model.launches;
    const double *from = (const double *)&review.mix;
    for (size_t i = 0; i < sizeof s->mix / sizeof(double); i++)
        ((double *)&s->mix)[i] += launches * from[i];
    simgpu_counters_add(&s->all, review.counters);
    s->launches += launches;
    s->threads += review_threads(&review);
    s->warps += review_warps(&review);
    if (s->longest != NULL && review.kernel->share <= s->longest->share)
        return;
    const SimLine *hot = review_worst_line(&review, multiply_adds);
    s->longest = review.kernel;
    s->profile = review.kernel->profile;
    s->threads_per_block = review_threads_per_block(&review);
    s->blocks = review_blocks_per_launch(&review);
    s->fma_per_iteration = hot == NULL ? NAN : multiply_adds(hot) / SIM_WARP_SIZE / (double)hot->executions;
}

static void add_lines(FactSource *s)
{
    const ExecutionProfile *profile = s->explanation->profile;
    for (uint32_t i = 0; i < profile->line_count; i++) {
        const SimLine *line = &profile->lines[i].counts;
        s->sectors += (double)(line->counters.global_load_sectors + line->counters.global_store_sectors);
        s->ideal_sectors += (double)(line->ideal_load_sectors + line->ideal_store_sectors);
        s->wavefronts += (double)(line->counters.shared_load_wavefronts + line->counters.shared_store_wavefronts);
        s->ideal_wavefronts += (double)line->ideal_shared_wavefronts;
    }
}

static void add_arrays(FactSource *s, const Problem *problem, const Sizes *sizes)
{
    size_t shape[TENSOR_MAX_RANK], count, element = 1;
    Message ignored = {0};
    for (size_t i = 0; i < problem->parameter_count; i++) {
        const Parameter *array = &problem->parameters[i];
        if (!parameter_is_array(array) || problem_shape(problem, i, sizes, shape, &count, &ignored) != STATUS_OK)
            continue;
        if ((array->role & ROLE_IN) != 0) {
            s->input_bytes += (double)(count * element_bytes(array->type));
        } else {
            element = element_bytes(array->type);
            s->outputs = (double)count;
        }
    }
    s->stored = (double)s->all.global_store_bytes / (double)element;
}

void facts_of(const Explanation *explanation, const Problem *problem, const Sizes *sizes, double operations,
              double facts[FACT_COUNT])
{
    FactSource source = {.explanation = explanation, .operations = operations > 0 ? operations : NAN};
    const FactSource *const s = &source;
    for (uint32_t i = 0; i < explanation->profile->kernel_count; i++)
        add_kernel(&source, i);
    source.multiply_adds = (double)(source.all.fma32 + source.all.fma64);
    source.tensor = (double)source.all.tensor;
    add_lines(&source);
    add_arrays(&source, problem, sizes);
#define FACT(NAME, ABOUT, VALUE) facts[FACT_##NAME] = (VALUE);
#include "grader/report/facts.def"
#undef FACT
}
