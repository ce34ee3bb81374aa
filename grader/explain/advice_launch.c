#include "grader/explain/advice_rules.h"

#include "grader/terminal/quantity.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the block --------------------------------------------------------------------------------------------------- */

enum { LEAST_THREADS = 64, GOOD_THREADS = 256 };

/* Lanes of a last, incomplete warp do nothing; and of blocks of one warp, so few are resident that half of a
 * multiprocessor's warps are missing. */
bool rule_block_shape(const KernelUnderReview *review, Change *change, Advice *advice)
{
    double threads = review_threads_per_block(review), blocks = review_blocks_per_launch(review);
    double filled = threads / (ceil(threads / SIM_WARP_SIZE) * SIM_WARP_SIZE);
    const uint32_t *block = review->kernel->profile->shape.block;
    bool flat = block[1] * block[2] == 1, odd = filled < 1;
    LaunchShape *shape = &change->after.input.shape;
    if ((!odd && threads >= LEAST_THREADS) || threads * blocks < GOOD_THREADS)
        return false;
    SimCounters *after = &change->after.counters;
    after->warp_instructions = change_scaled(after->warp_instructions, filled);
    after->shared_load_wavefronts = change_scaled(after->shared_load_wavefronts, filled);
    after->global_load_requests = change_scaled(after->global_load_requests, filled);
    after->global_load_wavefronts = change_scaled(after->global_load_wavefronts, filled);
    change_lanes(&change->after, filled);
    shape->block[0] = GOOD_THREADS;
    shape->block[1] = shape->block[2] = shape->grid[1] = shape->grid[2] = 1;
    shape->grid[0] = (uint32_t)ceil(threads * blocks / GOOD_THREADS);
    change->after.function.static_shared_bytes = (uint32_t)(review->model.function.static_shared_bytes * GOOD_THREADS /
                                                            threads);
    advice_name(advice, "blockDim");
    advice_say(advice, first_line_with(review->source, "<<<"),
               "blocks of %u x %u x %u = %.0f threads %s: use a multiple of 32, of at least 64, such as 256", block[0],
               block[1], block[2], threads,
               odd ? "leave lanes of their last warp without work"
                   : "are too small, since a multiprocessor holds only 32 of them");
    if (flat)
        advice_sketch(advice, "%s<<<(OUTPUTS + %d - 1) / %d, %d>>>(...);", review->kernel->name, GOOD_THREADS,
                      GOOD_THREADS, GOOD_THREADS);
    else
        advice_sketch(advice, "dim3 threads(32, 8); // a warp is a row of 32");
    if (!flat)
        advice_sketch(advice, "dim3 blocks((COLUMNS + 31) / 32, (ROWS + 7) / 8);");
    return true;
}

/* ---- what is resident -------------------------------------------------------------------------------------------- */

/* Registers of a thread with which more blocks fit: half of them, but no fewer than hold what it needs at the same time, since
 * the rest would be spilled. A thread that keeps several sums needs most of what it has. */
static uint32_t fewer_registers(const ProfileKernel *profile)
{
    uint32_t half = (profile->registers + 1) / 2;
    return half > profile->live_registers ? half : profile->live_registers;
}

/* The fraction of its shared memory that a block could do with: half, but no less than what it stores there, since a smaller tile
 * would be other work, with more halo. */
static double less_shared(const KernelUnderReview *review)
{
    enum { WAVEFRONT_BYTES = 128, DRAM_SECTOR_BYTES = 32 };
    const ProfileKernel *profile = review->kernel->profile;
    const SimCounters *counters = &review->model.counters;
    double stored = (double)counters->shared_store_wavefronts * WAVEFRONT_BYTES +
                    (double)counters->bulk_load_sectors * DRAM_SECTOR_BYTES;
    double bytes = (double)profile->static_shared_bytes + profile->shape.dynamic_shared_bytes;
    return fmin(1, fmax(0.5, ratio(stored / review_blocks_per_launch(review), bytes)));
}

/* Too few warps are resident to hide latency. After the change each thread or block takes half of what limits them, if it
 * can do with that. */
bool rule_low_occupancy(const KernelUnderReview *review, Change *change, Advice *advice)
{
    const ExplainedKernel *kernel = review->kernel;
    const ProfileKernel *profile = kernel->profile;
    SimFunctionInfo *function = &change->after.function;
    bool registers = strcmp(kernel->occupancy_limit, "registers") == 0;
    bool shared = strstr(kernel->occupancy_limit, "shared") != NULL;
    if (kernel->cost.occupancy >= 0.5 || kernel->waves <= 1 || !(registers || shared))
        return false;
    KernelNames names;
    review_names(review, 0, &names);
    if (!shared || strstr(kernel->occupancy_limit, "registers") != NULL)
        function->registers = fewer_registers(profile);
    if (shared) {
        double kept = less_shared(review);
        function->static_shared_bytes = (uint32_t)(kept * function->static_shared_bytes);
        change->after.input.shape.dynamic_shared_bytes = (uint32_t)(kept * profile->shape.dynamic_shared_bytes);
    }
    uint32_t resident = kernel_model_resident_blocks(&change->after);
    if (resident <= kernel->resident_blocks)
        return false;
    advice_name(advice, names.sum);
    advice_say(
        advice, review_kernel_line(review),
        "kernel %.80s keeps only %s of the warps resident that a multiprocessor can hold, limited by %s (%u "
        "registers per thread, %u bytes of shared memory per block), and they are too few to hide what they wait "
        "for: %s",
        kernel->name, quantity_percent(kernel->cost.occupancy, 0).text, kernel->occupancy_limit, profile->registers,
        profile->static_shared_bytes + profile->shape.dynamic_shared_bytes,
        shared ? "use half of it" : "let the compiler use fewer registers, which hold what a thread needs at a time");
    if (shared)
        advice_sketch(advice, "__shared__ float tile[ROWS / 2][COLUMNS]; // and twice as many blocks");
    else
        advice_sketch(advice, "__global__ void __launch_bounds__(%.0f, %u) // resident blocks; it must not spill",
                      review_threads_per_block(review), resident);
    return true;
}

/* Some multiprocessors have no block. The changed model divides the same work among one block for each of them. */
bool rule_too_few_blocks(const KernelUnderReview *review, Change *change, Advice *advice)
{
    const ExplainedKernel *kernel = review->kernel;
    uint32_t multiprocessors = review->explanation->hardware->multiprocessors;
    double blocks = review_blocks_per_launch(review);
    CostInput *input = &change->after.input;
    if (blocks >= multiprocessors)
        return false;
    double part = blocks / multiprocessors;
    input->shape.grid[0] = multiprocessors;
    input->shape.grid[1] = input->shape.grid[2] = 1;
    input->longest_warp_instructions = change_scaled(input->longest_warp_instructions, part);
    input->longest_warp_loads = change_scaled(input->longest_warp_loads, part);
    input->longest_warp_shared = change_scaled(input->longest_warp_shared, part);
    input->longest_warp_constant = change_scaled(input->longest_warp_constant, part);
    advice_name(advice, "gridDim");
    advice_say(advice, first_line_with(review->source, "<<<"),
               "kernel %.80s has only %.0f block%s for %u multiprocessors, so the others are idle: let each thread do "
               "less, or use smaller blocks",
               kernel->name, blocks, blocks > 1 ? "s" : "", multiprocessors);
    advice_sketch(advice, "int blocks = (OUTPUTS + %.0f - 1) / %.0f; // one output a thread; or more, of at least %u",
                  review_threads_per_block(review), review_threads_per_block(review), 2 * multiprocessors);
    advice_sketch(advice, "%s<<<blocks, %.0f>>>(...);", kernel->name, review_threads_per_block(review));
    return true;
}

/* Each warp waits for its own previous instruction most of the time, and too few warps are there to fill the gaps. After
 * the change a thread has two chains of instructions that do not wait for each other. */
bool rule_latency(const KernelUnderReview *review, Change *change, Advice *advice)
{
    const double SHORTER = 0.6;
    const SimLine *line = review_hot_line(review);
    if (line == NULL || strcmp(review->kernel->cost.limiter, "latency") != 0 ||
        review_executions_per_warp(review, line) < 8)
        return false;
    KernelNames names;
    review_names(review, line->line, &names);
    if (names.has_several_sums)
        return false; /* these are independent chains already */
    change_waiting(&change->after, SHORTER);
    change->after.function.registers += 8;
    advice_name(advice, names.sum);
    advice_say(advice, line->line,
               "each warp waits for its own loads and sums, and %s of the warps that a multiprocessor can hold are too "
               "few to fill the time: add up taps in two sums that do not wait for each other, or start more, smaller "
               "blocks",
               quantity_percent(review->kernel->cost.occupancy, 0).text);
    advice_sketch(advice, "float %s = 0.0f, %s_odd = 0.0f;", names.sum, names.sum);
    advice_sketch(advice, "for (int %s = 0; %s + 1 < %s; %s += 2) {", names.loop, names.loop,
                  names.loop_end[0] != '\0' ? names.loop_end : "TAPS", names.loop);
    advice_sketch(advice, "    %s += ...; // tap %s", names.sum, names.loop);
    advice_sketch(advice, "    %s_odd += ...; // tap %s + 1, loaded before the first sum needs its value", names.sum,
                  names.loop);
    advice_sketch(advice, "}");
    return true;
}

/* ---- waves ------------------------------------------------------------------------------------------------------- */

/* The grid fills the multiprocessors a few times and then a little: the last wave takes as long as a full one. After the
 * change the same work is divided among as many blocks as fit in whole waves. */
bool rule_tail(const KernelUnderReview *review, Change *change, Advice *advice)
{
    const ExplainedKernel *kernel = review->kernel;
    double waves = kernel->waves, whole = floor(waves);
    double blocks = whole * kernel->resident_blocks * review->explanation->hardware->multiprocessors;
    CostInput *input = &change->after.input;
    if (whole < 1 || waves > 6 || ceil(waves) / waves < 1.1)
        return false;
    double more = review_blocks_per_launch(review) / blocks;
    input->shape.grid[0] = (uint32_t)blocks;
    input->shape.grid[1] = input->shape.grid[2] = 1;
    input->longest_warp_instructions = change_scaled(input->longest_warp_instructions, more);
    input->longest_warp_loads = change_scaled(input->longest_warp_loads, more);
    input->longest_warp_shared = change_scaled(input->longest_warp_shared, more);
    input->longest_warp_constant = change_scaled(input->longest_warp_constant, more);
    advice_name(advice, "gridDim");
    advice_say(
        advice, first_line_with(review->source, "<<<"),
        "the grid fills all multiprocessors %s times, and the last, incomplete wave takes as long as a full one: "
        "start %.0f blocks, which are whole waves, and let each of them go on with the next tile",
        quantity_ratio(waves).text, blocks);
    advice_sketch(advice, "for (int tile = blockIdx.x; tile < TILES; tile += gridDim.x) // around the kernel's body");
    advice_sketch(advice, "%s<<<%.0f, %.0f>>>(...);", kernel->name, blocks, review_threads_per_block(review));
    return true;
}
