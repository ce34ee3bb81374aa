#include "grader/explain/advice_rules.h"

#include "grader/terminal/quantity.h"

#include <math.h>
#include <string.h>

/* ---- what lies there already ------------------------------------------------------------------------------------- */

static double constant_replays(const SimLine *line)
{
    return (double)line->counters.constant_replays;
}

static void sketch_shared_filter(const KernelNames *names, const char *array, Advice *advice)
{
    advice_sketch(advice, "__shared__ float s_%s[MOST_TAPS];", names->filter.name);
    advice_sketch(advice, "for (int t = threadIdx.x; t < TAPS; t += blockDim.x) s_%s[t] = %s[t];", names->filter.name,
                  array);
    advice_sketch(advice, "__syncthreads(); // then read s_%s", names->filter.name);
}

bool rule_constant_addresses_differ(const KernelUnderReview *review, Change *change, Advice *advice)
{
    const SimLine *line = review_worst_line(review, constant_replays);
    if (line == NULL)
        return false;
    KernelNames names;
    review_names(review, line->line, &names);
    change->after.counters.constant_replays = 0;
    advice_name(advice, names.filter.name);
    advice_say(
        advice, line->line,
        "the threads of a warp read %s different constants at once, and constant memory serves one address at a "
        "time: let all threads of a warp read the same constant, or keep the array in shared memory",
        quantity_ratio(1 + ratio((double)line->counters.constant_replays, (double)line->counters.constant_requests))
            .text);
    sketch_shared_filter(&names, names.filter.name, advice);
    return true;
}

static double constant_loads(const SimLine *line)
{
    return (double)line->counters.constant_requests;
}

/* After the change the array lies in shared memory: as many loads from there, and none from the constant cache. */
bool rule_constants_too_long(const KernelUnderReview *review, Change *change, Advice *advice)
{
    const SimLine *line = review_worst_line(review, constant_loads);
    double bytes = review_constant_bytes(review), requests = (double)review->model.counters.constant_requests;
    if (line == NULL || !review->model.function.uniform_constant_loads || review_share_of(review, "constant") < 0.3)
        return false;
    KernelNames names;
    review_names(review, line->line, &names);
    change_constant_loads(&change->after, 0);
    change->after.function.uniform_constant_loads = false;
    change->after.input.machine.direct = 0;
    change_add_shared(&change->after, requests / 2, 0, bytes); /* ptxas merges at least two neighbours into one load */
    advice_name(advice, names.filter.name);
    advice_say(
        advice, line->line,
        "the array `%s` in constant memory (a warp reads %.0f bytes of it) is too long for the constant cache, and "
        "blocks that read different parts of it evict each other's: keep an array of this length in shared memory",
        names.filter.name, bytes);
    sketch_shared_filter(&names, names.filter.name, advice);
    return true;
}

/* ---- what could lie there ---------------------------------------------------------------------------------------- */

/* Loads of a line that all lanes make at one address, estimated from its sectors: such a load touches one, any other as
 * many as 32 neighbouring floats that begin anywhere do. */
static double broadcast_loads(const SimLine *line)
{
    const double NEIGHBOURS = 4.5;
    double requests = (double)line->counters.global_load_requests, sectors = (double)line->counters.global_load_sectors;
    return fmin(requests, fmax(0, (NEIGHBOURS * requests - sectors) / (NEIGHBOURS - 1)));
}

/* Bytes of an input of the problem; of an array of another name, those of one tap for each multiply-add of a thread. */
static double filter_bytes(const KernelUnderReview *review, const char *name)
{
    const Problem *problem = review->subject->problem;
    Message ignored = {0};
    for (size_t i = 0; problem != NULL && review->subject->sizes != NULL && i < problem->parameter_count; i++) {
        size_t shape[TENSOR_MAX_RANK], count;
        if (problem->parameters[i].role == ROLE_IN && strcmp(problem->parameters[i].name, name) == 0 &&
            problem_shape(problem, i, review->subject->sizes, shape, &count, &ignored) == STATUS_OK)
            return (double)count * (double)element_bytes(problem->parameters[i].type);
    }
    return 4 * review_taps_per_thread(review);
}

/* All threads of a warp load the same tap from global memory, which takes the load units as long as 32 different ones. A
 * filter in constant memory takes another way, and is an operand of the multiply-add where the loop is unrolled. */
bool rule_constant_filter(const KernelUnderReview *review, Change *change, Advice *advice)
{
    const SimLine *line = review_worst_line(review, broadcast_loads);
    const HardwareProfile *hardware = review->explanation->hardware;
    KernelNames names;
    if (line == NULL || review_executions_per_warp(review, line) < 4)
        return false;
    double moved = review_per_launch(review, broadcast_loads(line)), loads = review->mix.global_loads;
    review_names(review, line->line, &names);
    double bytes = filter_bytes(review, names.filter.name);
    double sectors = (double)review->model.counters.global_load_sectors;
    if (ratio(moved, review->mix.multiply_adds) < 0.1 || names.filter.index[0] == '\0' ||
        bytes > hardware->constant_bytes)
        return false;
    change_global_loads(&change->after, fmax(0, 1 - moved / loads), fmax(0, 1 - ratio(moved, sectors)));
    change->after.counters.global_load_wavefronts = review->model.counters.global_load_wavefronts -
                                                    (uint64_t)fmin(
                                                        moved, (double)review->model.counters.global_load_wavefronts);
    change_add_constant_loads(&change->after, moved, bytes);
    advice_name(advice, names.filter.name);
    advice_say(
        advice, line->line,
        "all threads of a warp load the same element of `%s` from global memory, once for each multiply-add: keep "
        "the filter (%.0f bytes) in constant memory, whose cache hands one value to all of them",
        names.filter.name, bytes);
    advice_sketch(advice, "__constant__ float c_%s[MOST_TAPS]; // as many as the statement allows", names.filter.name);
    advice_sketch(advice, "cudaMemcpyToSymbol(c_%s, %s, TAPS * sizeof(float), 0, cudaMemcpyDeviceToDevice);",
                  names.filter.name, names.filter.name);
    advice_sketch(advice, "... * c_%s%s", names.filter.name, names.filter.index);
    return true;
}
