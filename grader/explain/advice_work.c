#include "grader/explain/advice_work.h"

#include "base/text.h"
#include "grader/terminal/quantity.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- instructions ------------------------------------------------------------------------------------------------ */

static double divergent_branches(const SimLine *line)
{
    return (double)line->counters.divergent_branches;
}

/* Some lanes of a warp are inactive while others execute. The incomplete last warp of a block does not count. */
bool rule_divergence(const KernelUnderReview *review, Advice *advice)
{
    const SimLine *line = review_worst_line(review, divergent_branches);
    double threads = review_threads_per_block(review);
    double full = threads / (ceil(threads / SIM_WARP_SIZE) * SIM_WARP_SIZE) * SIM_WARP_SIZE;
    double lanes = ratio((double)review->counters->lane_instructions, (double)review->counters->warp_instructions);
    if (line == NULL || lanes > 0.8 * full)
        return false;
    KernelModel changed = review->model;
    double kept = lanes / full;
    changed.counters.warp_instructions = (uint64_t)((double)changed.counters.warp_instructions * kept);
    changed.input.longest_warp_instructions = (uint64_t)((double)changed.input.longest_warp_instructions * kept);
    changed.input.longest_warp_loads = (uint64_t)((double)changed.input.longest_warp_loads * kept);
    changed.input.longest_warp_shared = (uint64_t)((double)changed.input.longest_warp_shared * kept);
    changed.counters.global_load_requests = (uint64_t)((double)changed.counters.global_load_requests * kept);
    changed.counters.global_load_wavefronts = (uint64_t)((double)changed.counters.global_load_wavefronts * kept);
    changed.counters.shared_load_wavefronts = (uint64_t)((double)changed.counters.shared_load_wavefronts * kept);
    advice->gain = review_gain(review, &changed);
    double diverged = fmin(1, ratio((double)line->counters.divergent_branches, (double)line->executions));
    advice_say(
        advice, line->line,
        "threads of a warp take different branches in %s of the executions of this line, and only %s of %s threads "
        "are active on average: let whole warps take the same branch, or compute without a branch",
        quantity_percent(diverged, 0).text, quantity_ratio(lanes).text, quantity_ratio(full).text);
    return true;
}

static double double_instructions(const SimLine *line)
{
    return (double)line->counters.fp64;
}

bool rule_double_precision(const KernelUnderReview *review, Advice *advice)
{
    const SimLine *line = review_worst_line(review, double_instructions);
    if (line == NULL)
        return false;
    KernelModel changed = review->model;
    changed.counters.fp32 += changed.counters.fp64;
    changed.counters.fma32 += changed.counters.fma64;
    changed.counters.fp64 = changed.counters.fma64 = 0;
    /* the conversions between float and double count as special instructions */
    changed.counters.special = 0;
    advice->gain = review_gain(review, &changed);
    advice_say(
        advice, line->line,
        "this line computes in double precision: write literals with an f (0.0f), and use float and its functions "
        "(fmaf, not fma) everywhere");
    return true;
}

/* What ptxas makes of a 32-bit division by a divisor that it does not know. */
enum { DIVISION_INSTRUCTIONS = 20 };

static double divisions(const SimLine *line)
{
    return (double)line->divisions;
}

/* The model without the instructions that divisions consist of, which are in the machine code where that is known. */
static KernelModel without_divisions(const KernelUnderReview *review)
{
    KernelModel model = review->model;
    SimMachineRatios *machine = &model.input.machine;
    double lanes = review_sum(review, divisions) / (double)model.launches * DIVISION_INSTRUCTIONS;
    double issued = machine->issue * (double)model.counters.warp_instructions;
    double kept = fmax(0.05, 1 - ratio(lanes / SIM_WARP_SIZE, issued));
    machine->issue *= kept;
    machine->alu *= kept;
    machine->multiply *= kept;
    machine->waiting *= kept;
    model.input.counters = &review->model.counters;
    model.input.function = &review->model.function;
    return model;
}

/* A division is one instruction of PTX, and so of the counters, but many instructions of the hardware. Where the
 * machine code is known, the model has them already; else they are added. */
bool rule_integer_division(const KernelUnderReview *review, Advice *advice)
{
    const SimLine *line = review_worst_line(review, divisions);
    if (line == NULL || review_executions_per_warp(review, line) < 4)
        return false;
    KernelModel composed = review->model;
    double lanes = review_sum(review, divisions) / (double)composed.launches * DIVISION_INSTRUCTIONS;
    double each = ratio(lanes, (double)composed.counters.lane_instructions);
    composed.counters.integer += (uint64_t)lanes;
    composed.counters.warp_instructions += (uint64_t)(each * (double)composed.counters.warp_instructions);
    composed.input.longest_warp_instructions += (uint64_t)(each * (double)composed.input.longest_warp_instructions);
    composed.input.counters = &composed.counters;
    composed.input.function = &composed.function;
    KernelModel without = without_divisions(review);
    bool known = review->model.input.machine.issue > 0;
    double with_s = kernel_model_seconds(known ? &review->model : &composed);
    double without_s = kernel_model_seconds(known ? &without : &review->model);
    advice->gain = (with_s - without_s) / (review->explanation->seconds + (known ? 0 : with_s - without_s));
    advice_say(
        advice, line->line,
        "each thread divides integers %.0f times in a loop, and each division takes about %d instructions: update "
        "the indices by additions, or nest loops over rows and columns",
        review_executions_per_warp(review, line), DIVISION_INSTRUCTIONS);
    return true;
}

static double integer_instructions(const SimLine *line)
{
    return (double)line->counters.integer;
}

bool rule_too_much_integer(const KernelUnderReview *review, Advice *advice)
{
    const SimCounters *counters = review->counters;
    const SimLine *line = review_worst_line(review, integer_instructions);
    double each = ratio((double)counters->integer, (double)counters->fp32);
    if (line == NULL || each < 3 || review_executions_per_warp(review, line) < 4)
        return false;
    const KernelModel plain = without_divisions(review); /* divisions have a rule of their own */
    KernelModel changed = plain;
    double kept = 1 / each, share = ratio((double)counters->integer, (double)counters->lane_instructions);
    changed.counters.integer = (uint64_t)((double)changed.counters.integer * kept);
    double instructions = 1 - share * (1 - kept);
    changed.counters.warp_instructions = (uint64_t)((double)changed.counters.warp_instructions * instructions);
    changed.input.longest_warp_instructions = (uint64_t)((double)changed.input.longest_warp_instructions *
                                                         instructions);
    changed.input.counters = &changed.counters;
    advice->gain = (kernel_model_seconds(&plain) - kernel_model_seconds(&changed)) / review->explanation->seconds;
    advice_say(
        advice, line->line,
        "%s integer instructions are executed for every floating-point instruction: move what does not change out "
        "of the loop, increment pointers instead of computing indices, and unroll the loop",
        quantity_ratio(each).text);
    return true;
}

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

/* A tile that is written and then read needs two barriers; beyond that, some barriers protect nothing. The model
 * does not count barriers, so their time is added here to that of the call. */
bool rule_needless_barriers(const KernelUnderReview *review, Advice *advice)
{
    const SimLine *line = review_worst_line(review, barriers);
    const SimLine *writer = review_worst_line(review, shared_store_executions);
    double writes = writer == NULL ? 0 : (double)writer->executions;
    double power = review->explanation->hardware->combine_power;
    if (line == NULL || review_executions_per_warp(review, line) < 4 || barriers(line) <= 2.5 * writes)
        return false;
    double without_s = kernel_model_seconds(&review->model);
    double with_s = pow(pow(without_s, power) + pow(barrier_seconds(review), power), 1 / power);
    advice->gain = (with_s - without_s) / (review->explanation->seconds + with_s - without_s);
    advice_say(
        advice, line->line,
        "each warp waits at __syncthreads() %.0f times but writes shared memory only %.0f times: a barrier is "
        "needed only between a write to shared memory and a read by another thread; move this one out of the loop",
        review_executions_per_warp(review, line), writer == NULL ? 0.0 : review_executions_per_warp(review, writer));
    return true;
}

/* ---- the launch -------------------------------------------------------------------------------------------------- */

/* The line that defines the kernel; 0: not found by its usual form. */
static int line_of_kernel(const KernelUnderReview *review)
{
    const char *full = review->kernel->name, *colon = strrchr(full, ':'), *last = colon == NULL ? full : colon + 1;
    char name[sizeof review->kernel->name];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(last, "<"), last);
    for (const char *at = review->source; (at = strstr(at, "__global__")) != NULL; at++) {
        const char *found = text_find_word(at, name);
        if (found != NULL && found < at + strcspn(at, "{;"))
            return text_line_at(review->source, (size_t)(found - review->source));
    }
    return 0;
}

/* Too few warps are resident to hide latency. The changed model has as many blocks as would fit if registers and shared
 * memory set no limit. */
bool rule_low_occupancy(const KernelUnderReview *review, Advice *advice)
{
    const ExplainedKernel *kernel = review->kernel;
    if (kernel->cost.occupancy >= 0.5 || kernel->waves <= 1)
        return false;
    KernelModel changed = review->model;
    changed.function.registers = 0;
    changed.function.static_shared_bytes = 0;
    changed.input.shape.dynamic_shared_bytes = 0;
    advice->gain = review_gain(review, &changed);
    advice_say(advice, line_of_kernel(review),
               "kernel %.80s keeps only %s of the warps resident that a multiprocessor can hold, limited by %s (%u "
               "registers per thread, %u bytes of shared memory per block): use less of it, or smaller tiles",
               kernel->name, quantity_percent(kernel->cost.occupancy, 0).text, kernel->occupancy_limit,
               kernel->profile->registers,
               kernel->profile->static_shared_bytes + kernel->profile->shape.dynamic_shared_bytes);
    return true;
}

/* Some multiprocessors have no block. The changed model divides the same work among one block for each of them. */
bool rule_too_few_blocks(const KernelUnderReview *review, Advice *advice)
{
    const ExplainedKernel *kernel = review->kernel;
    uint32_t multiprocessors = review->explanation->hardware->multiprocessors;
    double blocks = review_blocks_per_launch(review);
    if (blocks >= multiprocessors)
        return false;
    KernelModel changed = review->model;
    double more = multiprocessors / blocks;
    changed.input.shape.grid[0] = multiprocessors;
    changed.input.shape.grid[1] = changed.input.shape.grid[2] = 1;
    changed.input.longest_warp_instructions = (uint64_t)((double)changed.input.longest_warp_instructions / more);
    changed.input.longest_warp_loads = (uint64_t)((double)changed.input.longest_warp_loads / more);
    changed.input.longest_warp_shared = (uint64_t)((double)changed.input.longest_warp_shared / more);
    changed.input.longest_warp_constant = (uint64_t)((double)changed.input.longest_warp_constant / more);
    advice->gain = review_gain(review, &changed);
    advice_say(advice, line_of_kernel(review),
               "kernel %.80s has only %.0f block%s for %u multiprocessors, so the others are idle: let each thread do "
               "less, or use smaller blocks",
               kernel->name, blocks, blocks > 1 ? "s" : "", multiprocessors);
    return true;
}

/* ---- the call as a whole ----------------------------------------------------------------------------------------- */

/* The first line of the source that contains a word, to find a call in the host code; 0: none does. */
static int line_with(const char *source, const char *word)
{
    const char *found = strstr(source, word);
    return found == NULL ? 0 : text_line_at(source, (size_t)(found - source));
}

bool rule_many_launches(const KernelUnderReview *review, Advice *advice)
{
    const Explanation *explanation = review->explanation;
    uint64_t launches = explanation->profile->kernels_left_out;
    for (uint32_t i = 0; i < explanation->profile->kernel_count; i++)
        launches += explanation->profile->kernels[i].launches;
    if (launches < 4)
        return false;
    advice->gain = (double)(launches - 2) * explanation->hardware->launch_s / explanation->seconds;
    advice_say(advice, line_with(review->source, "<<<"),
               "the call launches %llu kernels, and each launch takes %s before its work begins: let one kernel do the "
               "work of several, with a loop or a larger grid",
               (unsigned long long)launches, quantity_time(1e3 * explanation->hardware->launch_s).text);
    return true;
}

bool rule_host_copies(const KernelUnderReview *review, Advice *advice)
{
    const ProfileCopies *copies = &review->explanation->profile->host_copies;
    if (copies->count == 0)
        return false;
    advice->gain = copies->seconds / review->explanation->seconds;
    advice_say(advice, line_with(review->source, "cudaMemcpy"),
               "%llu copies move %s bytes between host and device: the arrays are already in device memory, so work on "
               "them there; copy a filter to constant memory with cudaMemcpyToSymbol() and cudaMemcpyDeviceToDevice",
               (unsigned long long)copies->count, quantity_count((double)copies->bytes).text);
    return true;
}
