#include "grader/explain/advice_rules.h"

#include "grader/terminal/quantity.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- lanes ------------------------------------------------------------------------------------------------------- */

static double divergent_branches(const SimLine *line)
{
    return (double)line->counters.divergent_branches;
}

/* Lanes that a warp has at work on average, and those that it could have: the incomplete last warp of a block has
 * fewer. */
typedef struct Lanes {
    double active, full;
} Lanes;

static Lanes lanes_of(const KernelUnderReview *review)
{
    double threads = review_threads_per_block(review);
    return (Lanes){
        .active = ratio((double)review->counters->lane_instructions, (double)review->counters->warp_instructions),
        .full = threads / (ceil(threads / SIM_WARP_SIZE) * SIM_WARP_SIZE) * SIM_WARP_SIZE,
    };
}

/* The kernel if all lanes were active: the same work of lanes in fewer instructions of warps. */
static void fill_lanes(Lanes lanes, KernelModel *after)
{
    SimCounters *counters = &after->counters;
    double kept = lanes.active / lanes.full;
    counters->warp_instructions = change_scaled(counters->warp_instructions, kept);
    counters->global_load_requests = change_scaled(counters->global_load_requests, kept);
    counters->global_load_wavefronts = change_scaled(counters->global_load_wavefronts, kept);
    counters->shared_load_wavefronts = change_scaled(counters->shared_load_wavefronts, kept);
    change_waiting(after, kept);
}

static bool is_loop(const KernelUnderReview *review, int line)
{
    char text[160];
    review_line_text(review, line, text, sizeof text);
    return strncmp(text, "for", 3) == 0 || strncmp(text, "while", 5) == 0 || strstr(text, " for (") != NULL;
}

static double diverged_share(const SimLine *line)
{
    return fmin(1, ratio((double)line->counters.divergent_branches, (double)line->executions));
}

bool rule_divergence(const KernelUnderReview *review, Change *change, Advice *advice)
{
    const SimLine *line = review_worst_line(review, divergent_branches);
    Lanes lanes = lanes_of(review);
    if (line == NULL || lanes.active > 0.8 * lanes.full || is_loop(review, line->line))
        return false;
    char text[160];
    KernelNames names;
    review_names(review, line->line, &names);
    review_line_text(review, line->line, text, sizeof text);
    fill_lanes(lanes, &change->after);
    advice_name(advice, names.sum);
    advice_say(
        advice, line->line,
        "threads of a warp take different branches in %s of the executions of this line, and only %s of %s threads "
        "are active on average: let whole warps take the same branch, or compute without a branch",
        quantity_percent(diverged_share(line), 0).text, quantity_ratio(lanes.active).text,
        quantity_ratio(lanes.full).text);
    advice_sketch(advice, "// instead of: %s", text);
    advice_sketch(advice, "float value = condition ? %s%s : 0.0f; // every thread goes the same way", names.input.name,
                  names.input.index[0] != '\0' ? names.input.index : "[...]");
    advice_sketch(advice, "%s += value * %s%s;", names.sum, names.filter.name,
                  names.filter.index[0] != '\0' ? names.filter.index : "[...]");
    return true;
}

/* Lane-instructions that lanes miss in the lines below a loop, by the indentation of the source. */
static double idle_below(const KernelUnderReview *review, int loop)
{
    const ExecutionProfile *profile = review->explanation->profile;
    int indent = line_indent(review->source, loop), end = loop + 1;
    double idle = 0;
    for (int below = 0; end < loop + 100 && (below < 0 || below > indent || end == loop + 1); end++)
        below = line_indent(review->source, end);
    for (uint32_t i = 0; i < profile->line_count; i++) {
        const SimLine *line = &profile->lines[i].counts;
        if (profile->lines[i].kernel == review->index && explain_is_own_line(review->explanation, &profile->lines[i]) &&
            line->line > loop && line->line < end)
            idle += SIM_WARP_SIZE * (double)line->counters.warp_instructions - (double)line->counters.lane_instructions;
    }
    return idle;
}

/* The loop in which lanes miss most, among those that lanes leave at different times. */
static const SimLine *worst_loop(const KernelUnderReview *review)
{
    const ExecutionProfile *profile = review->explanation->profile;
    const SimLine *worst = NULL;
    double most = -1;
    for (uint32_t i = 0; i < profile->line_count; i++) {
        const ProfileLine *line = &profile->lines[i];
        if (line->kernel != review->index || !explain_is_own_line(review->explanation, line) ||
            line->counts.counters.divergent_branches == 0 || !is_loop(review, line->counts.line))
            continue;
        double idle = idle_below(review, line->counts.line);
        if (idle > most) {
            most = idle;
            worst = &line->counts;
        }
    }
    return worst;
}

/* Lanes run the same loop for different times, and all wait for the longest. */
bool rule_imbalance_lanes(const KernelUnderReview *review, Change *change, Advice *advice)
{
    const SimLine *line = review_worst_line(review, divergent_branches);
    Lanes lanes = lanes_of(review);
    if (line == NULL || lanes.active > 0.8 * lanes.full || !is_loop(review, line->line))
        return false;
    char text[160];
    KernelNames names;
    line = worst_loop(review);
    review_names(review, line->line, &names);
    review_line_text(review, line->line, text, sizeof text);
    fill_lanes(lanes, &change->after);
    advice_name(advice, names.loop);
    advice_say(
        advice, line->line,
        "threads of a warp run this loop for different numbers of turns, and the others wait for the longest: only "
        "%s of %s threads are active on average. Give neighbouring threads equal work",
        quantity_ratio(lanes.active).text, quantity_ratio(lanes.full).text);
    advice_sketch(advice, "// instead of: %s", text);
    advice_sketch(advice, "for (int %s = 0; %s < SAME_FOR_ALL; %s++) // zeros in the place of what is missing",
                  names.loop, names.loop, names.loop);
    return true;
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

/* One warp does much more than the others, and its block ends last. After the change all warps are alike. */
bool rule_imbalance_blocks(const KernelUnderReview *review, Change *change, Advice *advice)
{
    const double MOST_TIMES = 3;
    double average = (double)review->counters->warp_instructions / review_warps(review);
    double times = ratio((double)review->kernel->profile->longest.instructions, average);
    CostInput *input = &change->after.input;
    int line = review_kernel_line(review);
    if (times < MOST_TIMES)
        return false;
    KernelNames names;
    review_names(review, 0, &names);
    input->longest_warp_instructions = change_scaled(input->longest_warp_instructions, 1 / times);
    input->longest_warp_loads = change_scaled(input->longest_warp_loads, 1 / times);
    input->longest_warp_shared = change_scaled(input->longest_warp_shared, 1 / times);
    input->longest_warp_constant = change_scaled(input->longest_warp_constant, 1 / times);
    advice_name(advice, names.column);
    advice_say(
        advice, line,
        "one warp executes %s times as many instructions as the others do on average, so most multiprocessors have "
        "nothing to do while its block works: divide the outputs evenly among the blocks",
        quantity_ratio(times).text);
    advice_sketch(advice, "int %s = blockIdx.x * blockDim.x + threadIdx.x; // one output of each thread of each block",
                  names.column[0] != '\0' ? names.column : "i");
    advice_sketch(advice, "%s<<<(OUTPUTS + %.0f - 1) / %.0f, %.0f>>>(...);", review->kernel->name,
                  review_threads_per_block(review), review_threads_per_block(review), review_threads_per_block(review));
    return true;
}

/* ---- barriers ---------------------------------------------------------------------------------------------------- */

static double barriers(const SimLine *line)
{
    return (double)line->counters.barriers;
}

static double shared_store_executions(const SimLine *line)
{
    return line->counters.shared_store_requests > 0 ? (double)line->executions : 0;
}

/* CUDA C++ Programming Guide, Synchronization Instruction: 16 threads per clock cycle and multiprocessor (7.x, 8.x). */
enum { BARRIER_THREADS = 16 };

static double barrier_seconds(const KernelUnderReview *review)
{
    const HardwareProfile *hardware = review->explanation->hardware;
    double busy = fmin(hardware->multiprocessors, review_blocks_per_launch(review));
    return (double)review->counters->barriers * SIM_WARP_SIZE / BARRIER_THREADS / hardware->clock_hz / busy;
}

/* A tile that is written and then read needs two barriers; beyond that, some barriers protect nothing. The model does
 * not count barriers. */
bool rule_needless_barriers(const KernelUnderReview *review, Change *change, Advice *advice)
{
    const SimLine *line = review_worst_line(review, barriers);
    const SimLine *writer = review_worst_line(review, shared_store_executions);
    double writes = writer == NULL ? 0 : (double)writer->executions;
    double power = review->explanation->hardware->combine_power;
    if (line == NULL || review_executions_per_warp(review, line) < 4 || barriers(line) <= 2.5 * writes)
        return false;
    KernelNames names;
    double without_s = kernel_model_seconds(&review->model);
    review_names(review, line->line, &names);
    change->unmodelled_s = pow(pow(without_s, power) + pow(barrier_seconds(review), power), 1 / power) - without_s;
    advice_name(advice, names.loop);
    advice_say(
        advice, line->line,
        "each warp waits at __syncthreads() %.0f times but writes shared memory only %.0f times: a barrier is "
        "needed only between a write to shared memory and a read by another thread; move this one out of the loop",
        review_executions_per_warp(review, line), writer == NULL ? 0.0 : review_executions_per_warp(review, writer));
    advice_sketch(advice, "__syncthreads(); // once, behind the writes");
    advice_sketch(advice, "for (int %s = 0; %s < %s; %s++) // no barrier inside", names.loop, names.loop,
                  names.loop_end[0] != '\0' ? names.loop_end : "TAPS", names.loop);
    return true;
}
