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

/* How one block uses an array. Distances are those that occur most often, in elements; NaN: none was seen. */
typedef struct ArrayUse {
    double lanes, warps, loop; /* between neighbouring lanes; between the first accesses of neighbouring warps; between
                                * one access of a thread and its next one in the same line */
    double by_threads, by_warps, from_l2, from_memory; /* loads of each element that the block reads */
    double in_constant;                                /* 1: lanes load it from constant memory; else 0 */
} ArrayUse;

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
    double stored, stored_once; /* elements as large as those of the output; without those stored again */
    double sectors, ideal_sectors, wavefronts, ideal_wavefronts;
    double threads_per_block, blocks; /* of the longest kernel */
    double fma_per_iteration;
    ArrayUse input, filter, output; /* by the longest kernel */
} FactSource;

static double part_share(const FactSource *s, const char *unit)
{
    return explain_part_seconds(&s->longest->cost, unit, 0) / s->longest->cost.seconds;
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
    s->stored_once = SECTOR_BYTES * (double)s->all.unique_store_sectors / (double)element;
}

/* ---- arrays by their roles --------------------------------------------------------------------------------------- */

/* The names of the largest array that solve() reads, of the one after it, and of its output; "": there is none. */
typedef struct RoleNames {
    const char *input, *filter, *output;
} RoleNames;

static RoleNames names_of_roles(const Problem *problem, const Sizes *sizes)
{
    size_t shape[TENSOR_MAX_RANK], count, first = 0, second = 0;
    RoleNames names = {"", "", ""};
    for (size_t i = 0; i < problem->parameter_count; i++) {
        const Parameter *array = &problem->parameters[i];
        if (array->role == ROLE_SIZE || problem_shape(problem, i, sizes, shape, &count, NULL) != STATUS_OK)
            continue;
        if (array->role != ROLE_IN) {
            names.output = array->name;
        } else if (count > first) {
            second = first;
            names.filter = names.input;
            first = count;
            names.input = array->name;
        } else if (count > second) {
            second = count;
            names.filter = array->name;
        }
    }
    return names;
}

/* Numbers, of which the most frequent is asked for; of several, the one that came first. */
typedef struct Votes {
    double items[64];
    size_t count;
} Votes;

static void vote(Votes *votes, double number)
{
    if (votes->count < sizeof votes->items / sizeof *votes->items)
        votes->items[votes->count++] = number;
}

static double elected(const Votes *votes)
{
    double best = NAN;
    size_t most = 0;
    for (size_t i = 0; i < votes->count; i++) {
        size_t equal = 0;
        for (size_t k = 0; k < votes->count; k++)
            equal += votes->items[k] == votes->items[i];
        if (equal > most) {
            most = equal;
            best = votes->items[i];
        }
    }
    return best;
}

/* Shared memory is left out: what it holds came from the arrays. */
static bool uses(const FactSource *s, const ProfileRequest *request, const char *name, bool is_store)
{
    const ExecutionProfile *profile = s->explanation->profile;
    const bool is_named = request->array > 0 && strcmp(profile->arrays[request->array - 1].name, name) == 0;
    return &profile->kernels[request->kernel] == s->profile && request->is.is_store == is_store &&
           request->is.space != PTX_SHARED && is_named;
}

static double first_address(const ProfileRequest *request)
{
    return (double)request->is.addresses[__builtin_ctz(request->is.lanes)];
}

/* The next request of the same warp and line. */
static const ProfileRequest *next_of_warp(const ExecutionProfile *profile, uint32_t at)
{
    const ProfileRequest *request = &profile->requests[at];
    for (uint32_t i = at + 1; i < profile->request_count; i++) {
        const ProfileRequest *other = &profile->requests[i];
        if (other->kernel == request->kernel && other->array == request->array && other->is.warp == request->is.warp &&
            other->is.line == request->is.line && other->is.is_store == request->is.is_store)
            return other;
    }
    return NULL;
}

/* The same access by the next warp, as many times after its first one. */
static const ProfileRequest *same_of_next_warp(const ExecutionProfile *profile, const ProfileRequest *request)
{
    for (uint32_t i = 0; i < profile->request_count; i++) {
        const ProfileRequest *other = &profile->requests[i];
        if (other->kernel == request->kernel && other->is.access == request->is.access &&
            other->is.turn == request->is.turn && other->is.warp == request->is.warp + 1)
            return other;
    }
    return NULL;
}

static void add_reads(const ExecutionProfile *profile, uint32_t kernel, uint32_t array, ArrayUse *use)
{
    double elements = 0, sums[4] = {0};
    for (uint32_t i = 0; i < profile->read_count; i++) {
        const ProfileRead *read = &profile->reads[i];
        if (read->kernel != kernel || read->array != array)
            continue;
        elements++;
        sums[0] += read->threads;
        sums[1] += read->warps;
        sums[2] += read->l2;
        sums[3] += read->memory;
    }
    use->by_threads = sums[0] / elements;
    use->by_warps = sums[1] / elements;
    use->from_l2 = sums[2] / elements;
    use->from_memory = sums[3] / elements;
}

static ArrayUse use_of(const FactSource *s, const char *name, bool is_store)
{
    const ExecutionProfile *profile = s->explanation->profile;
    ArrayUse use = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0};
    Votes lanes = {0}, warps = {0}, loop = {0};
    for (uint32_t i = 0; i < profile->request_count; i++) {
        const ProfileRequest *request = &profile->requests[i];
        if (!uses(s, request, name, is_store))
            continue;
        const uint32_t bytes = profile->arrays[request->array - 1].element_bytes;
        const double size = bytes > 0 ? bytes : sizeof(float);
        const int lane = __builtin_ctz(request->is.lanes);
        const ProfileRequest *next = next_of_warp(profile, i), *of_next = same_of_next_warp(profile, request);
        if (lane < SIM_WARP_SIZE - 1 && request->is.lanes >> (lane + 1) & 1)
            vote(&lanes, ((double)request->is.addresses[lane + 1] - (double)request->is.addresses[lane]) / size);
        if (next != NULL)
            vote(&loop, (first_address(next) - first_address(request)) / size);
        if (of_next != NULL)
            vote(&warps, (first_address(of_next) - first_address(request)) / size);
        if (isnan(use.by_threads) && !is_store)
            add_reads(profile, request->kernel, request->array, &use);
        use.in_constant = request->is.space == PTX_CONST;
    }
    use.lanes = elected(&lanes);
    use.warps = elected(&warps);
    use.loop = elected(&loop);
    return use;
}

/* A filter that no lane loads from where solve() got it may have been copied into a constant array. */
static const char *constant_array(const FactSource *s)
{
    const ExecutionProfile *profile = s->explanation->profile;
    for (uint32_t i = 0; i < profile->request_count; i++)
        if (profile->requests[i].is.space == PTX_CONST && profile->requests[i].array > 0 &&
            &profile->kernels[profile->requests[i].kernel] == s->profile)
            return profile->arrays[profile->requests[i].array - 1].name;
    return "";
}

static void add_uses(FactSource *s, const Problem *problem, const Sizes *sizes)
{
    const RoleNames names = names_of_roles(problem, sizes);
    s->input = use_of(s, names.input, false);
    s->filter = use_of(s, names.filter, false);
    s->output = use_of(s, names.output, true);
    if (isnan(s->filter.by_threads))
        s->filter = use_of(s, constant_array(s), false);
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
    add_uses(&source, problem, sizes);
#define FACT(NAME, ABOUT, VALUE) facts[FACT_##NAME] = (VALUE);
#include "grader/report/facts.def"
#undef FACT
}
