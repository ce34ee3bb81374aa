#include "base/terminal.h"
#include "base/text.h"
#include "grader/report/advice.h"
#include "grader/report/advice_rules.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ==== advice global =============================================================================================== */

enum { DRAM_SECTOR_BYTES = 32, LINE_BYTES = 128 };

/* ---- neighbours -------------------------------------------------------------------------------------------------- */

static double excess_load_sectors(const SimLine *line)
{
    bool scattered = line->counters.global_load_sectors > 3 * line->ideal_load_sectors / 2;
    return scattered ? (double)(line->counters.global_load_sectors - line->ideal_load_sectors) : 0;
}

static double excess_store_sectors(const SimLine *line)
{
    bool scattered = line->counters.global_store_sectors > 3 * line->ideal_store_sectors / 2;
    return scattered ? (double)(line->counters.global_store_sectors - line->ideal_store_sectors) : 0;
}

/* Wavefronts of the L1 beyond those that the same bytes would need if they were contiguous. */
static double excess_load_wavefronts(const SimLine *line)
{
    double lines = (double)line->ideal_load_sectors * DRAM_SECTOR_BYTES / LINE_BYTES;
    double ideal = fmax((double)line->counters.global_load_requests, lines);
    return excess_load_sectors(line) > 0 ? fmax(0, (double)line->counters.global_load_wavefronts - ideal) : 0;
}

static double excess_sectors(const SimLine *line)
{
    return excess_load_sectors(line) + excess_store_sectors(line);
}

static void take_off(uint64_t *counter, double excess)
{
    *counter -= (uint64_t)fmin((double)*counter, excess);
}

/* A thread's own outputs side by side: one wide store does for all of them. */
static void sketch_wide_store(const KernelNames *names, Advice *advice)
{
    advice_sketch(advice, "// the 4 outputs of a thread are neighbours: one store of 16 bytes, to an aligned address");
    advice_sketch(advice, "*reinterpret_cast<float4*>(&%s[first]) = make_float4(%s[0], %s[1], %s[2], %s[3]);",
                  names->output, names->sum, names->sum, names->sum, names->sum);
}

static void sketch_neighbours(const KernelNames *names, const char *array, Advice *advice)
{
    const char *column = names->column[0] != '\0' ? names->column : "col";
    advice_sketch(advice, "int %s = blockIdx.x * blockDim.x + threadIdx.x; // the index along which %s is contiguous",
                  column, array);
    advice_sketch(advice, "%s[... + %s] // threadIdx.x must not be multiplied by anything", array, column);
}

/* How often each loaded byte is loaded. From LEAST_REREADS on, a tile in shared memory is worth its barriers. */
static double rereads(const KernelUnderReview *review)
{
    const SimCounters *counters = review->counters;
    return ratio((double)counters->global_load_bytes, (double)counters->unique_load_sectors * DRAM_SECTOR_BYTES);
}

static const double LEAST_REREADS = 4;

static bool keeps_several_sums(const KernelUnderReview *review)
{
    const SimLine *line = review_hot_line(review);
    KernelNames names;
    review_names(review, line == NULL ? 0 : line->line, &names);
    return names.has_several_sums;
}

/* Neighbouring threads of a warp access bytes that are far apart. After the change they are contiguous. Loads that lie
 * apart because each thread has outputs of its own side by side need a tile instead, which is advice of its own. */
bool rule_uncoalesced(const KernelUnderReview *review, Change *change, Advice *advice)
{
    const SimLine *line = review_worst_line(review, excess_sectors);
    if (line == NULL)
        return false;
    bool loads = excess_load_sectors(line) >= excess_store_sectors(line);
    const SimCounters *counters = &line->counters;
    SimCounters *after = &change->after.counters;
    double requests = (double)(loads ? counters->global_load_requests : counters->global_store_requests);
    double sectors = (double)(loads ? counters->global_load_sectors : counters->global_store_sectors);
    double ideal = (double)(loads ? line->ideal_load_sectors : line->ideal_store_sectors);
    KernelNames names;
    review_names(review, line->line, &names);
    if (loads && keeps_several_sums(review) && rereads(review) >= LEAST_REREADS)
        return false;
    take_off(&after->global_load_sectors, review_per_launch(review, review_sum(review, excess_load_sectors)));
    take_off(&after->global_load_wavefronts, review_per_launch(review, review_sum(review, excess_load_wavefronts)));
    take_off(&after->global_store_sectors, review_per_launch(review, review_sum(review, excess_store_sectors)));
    advice_name(advice, loads ? names.strided : names.output);
    advice_say(
        advice, line->line,
        "Neighbouring threads %s elements of `%s` that are far apart, so one access of a warp touches %s sectors where %s "
        "would be enough. Let neighbouring threads %s neighbouring elements",
        loads ? "read" : "write", advice->name, quantity_ratio(ratio(sectors, requests)).text,
        quantity_ratio(ratio(ideal, requests)).text, loads ? "read" : "write");
    if (!loads && names.has_several_sums)
        sketch_wide_store(&names, advice);
    else
        sketch_neighbours(&names, advice->name, advice);
    return true;
}

/* ---- a tile ------------------------------------------------------------------------------------------------------ */

static double global_loads(const SimLine *line)
{
    return (double)line->counters.global_load_requests;
}

/* A tap that a whole warp reads is one sector; the input is what a tile is for. */
static double loaded_sectors(const SimLine *line)
{
    return (double)line->counters.global_load_sectors;
}

static void sketch_tile(const KernelUnderReview *review, const KernelNames *names, Advice *advice)
{
    const uint32_t *block = review->kernel->profile->shape.block;
    if (block[1] > 1) {
        advice_sketch(advice, "__shared__ float s_tile[%u + HALO][%u + HALO]; // HALO = filter size - 1", block[1],
                      block[0]);
        advice_sketch(advice, "for (int y = threadIdx.y; y < %u + HALO; y += %u)", block[1], block[1]);
        advice_sketch(advice, "    for (int x = threadIdx.x; x < %u + HALO; x += %u)", block[0], block[0]);
        advice_sketch(advice, "        s_tile[y][x] = ...; // the element of %s, or 0 outside it", names->input.name);
    } else {
        advice_sketch(advice, "__shared__ float s_tile[%u + HALO]; // HALO = filter size - 1", block[0]);
        advice_sketch(advice, "for (int x = threadIdx.x; x < %u + HALO; x += %u)", block[0], block[0]);
        advice_sketch(advice, "    s_tile[x] = %s[blockIdx.x * %u + x]; // 0 outside it", names->input.name, block[0]);
    }
    advice_sketch(advice, "__syncthreads(); // then read s_tile instead of %s", names->input.name);
}

/* Elements of a block's tile, with its halo, for each of its threads. */
static double tile_loads_per_thread(const KernelUnderReview *review)
{
    const ProfileKernel *profile = review->kernel->profile;
    double outputs = review_outputs_per_thread(review), halo = review_taps_in_a_row(review) - 1, loads = outputs;
    int dimensions = profile->shape.grid[2] > 1 ? 3 : profile->shape.grid[1] > 1 ? 2 : 1;
    for (int i = 0; i < dimensions; i++) {
        double extent = profile->shape.block[i] * (i == (dimensions > 1) ? outputs : 1); /* side by side or below */
        loads *= (extent + halo) / extent;
    }
    return loads;
}

/* An estimate of the instructions that a test such as `y >= 0 && y < rows ? input[y * cols + x] : 0.0f` adds to a load:
 * two comparisons, the row, the choice. */
enum { BORDER_TEST_INSTRUCTIONS = 4 };

/* Whether a line tests, or stands below a test, whether an index is inside of the input. */
static bool tests_border(const KernelUnderReview *review, int line)
{
    char text[200], above[200];
    review_line_text(review, line, text, sizeof text);
    review_line_text(review, line - 1, above, sizeof above);
    return (strstr(text, ">= 0") != NULL && strstr(text, "&&") != NULL) ||
           (strstr(above, ">= 0") != NULL && strstr(above, "&&") != NULL);
}

/* Instructions that test for the border where lines load. A tile with zeros beyond the border needs none. */
static double border_tests(const KernelUnderReview *review)
{
    const ExecutionProfile *profile = review->explanation->profile;
    double loads = 0;
    for (uint32_t i = 0; i < profile->line_count; i++) {
        const ProfileLine *line = &profile->lines[i];
        if (line->kernel == review->index && explain_is_own_line(review->explanation, line) &&
            tests_border(review, line->counts.line))
            loads += (double)line->counts.counters.global_load_requests;
    }
    return BORDER_TEST_INSTRUCTIONS * review_per_launch(review, loads);
}

/* Most of the loaded bytes were loaded before. After the change a block loads what it needs once; each of the loads is one
 * from shared memory instead, so that only what waits for the L2 or needs many wavefronts gets faster. */
bool rule_reread(const KernelUnderReview *review, Change *change, Advice *advice)
{
    const SimLine *line = review_worst_line(review, loaded_sectors);
    double times = rereads(review), loads = review->mix.global_loads;
    if (line == NULL || times < LEAST_REREADS || ratio(loads, review->mix.multiply_adds) < 0.2)
        return false;
    KernelNames names;
    double warps = review_per_launch(review, review_warps(review));
    double tile = tile_loads_per_thread(review), kept = fmin(1, tile * warps / loads);
    review_names(review, line->line, &names);
    change_global_loads(&change->after, kept, kept);
    change_add_shared(&change->after, loads, tile * warps, tile * sizeof(float) * review_threads_per_block(review));
    change_others(&change->after, fmax(0.2, 1 - ratio(border_tests(review), review->mix.others)));
    advice_name(advice, names.input.name);
    advice_say(
        advice, line->line,
        "Each element of `%s` is read from global memory %.0f times, with %s loads per multiply-add. Load each tile, "
        "and the filter, into shared memory once",
        names.input.name, times, quantity_ratio(ratio(loads, review->mix.multiply_adds)).text);
    sketch_tile(review, &names, advice);
    return true;
}

/* ---- sums -------------------------------------------------------------------------------------------------------- */

static double global_stores(const SimLine *line)
{
    return (double)(line->counters.global_store_requests + line->counters.atomic_requests);
}

/* One store per output is enough; a sum in global memory is loaded and stored for every term. */
bool rule_global_accumulation(const KernelUnderReview *review, Change *change, Advice *advice)
{
    const SimCounters *counters = review->counters;
    const SimLine *line = review_worst_line(review, global_stores);
    double stored = (double)counters->global_store_sectors + (double)counters->atomic_lanes / 8;
    double times = ratio(stored, (double)counters->unique_store_sectors);
    if (line == NULL || times < 4 || (counters->atomic_lanes == 0 && review_executions_per_warp(review, line) < 4))
        return false;
    KernelNames names;
    SimCounters *after = &change->after.counters;
    double needless = (double)after->global_store_requests * (1 - 1 / times);
    double loads = (double)after->global_load_requests;
    double saved = line->counters.global_load_requests > 0 ? fmin(needless, loads) : 0;
    review_names(review, line->line, &names);
    change_global_stores(&change->after, 1 / times, 1 / times);
    change_global_loads(&change->after, loads > saved ? 1 - saved / loads : 1, loads > saved ? 1 - saved / loads : 1);
    after->atomic_requests = change_scaled(after->atomic_requests, 1 / times);
    after->atomic_lanes = change_scaled(after->atomic_lanes, 1 / times);
    advice_name(advice, names.output);
    advice_say(
        advice, line->line,
        "Each element of `%s` is stored %.0f times%s. Keep the sum in a local variable, and store it once at the end",
        names.output, times, counters->atomic_lanes > 0 ? " by atomic operations" : "");
    advice_sketch(advice, "float sum = 0.0f; // a register of the thread");
    advice_sketch(advice, "for (int %s = 0; ...; %s++)", names.loop, names.loop);
    advice_sketch(advice, "    sum += ...;");
    advice_sketch(advice, "%s[...] = sum; // once, after the loop", names.output);
    return true;
}

/* ---- waiting for a tile ------------------------------------------------------------------------------------------ */

static bool copies_asynchronously(const char *source)
{
    return strstr(source, "memcpy_async") != NULL || strstr(source, "cp.async") != NULL;
}

/* The array that a line such as `s_tile[i] = input[from];` loads from: the last one on it, or that of the names. */
static void loaded_array(const KernelUnderReview *review, int line, const KernelNames *names, char *name, size_t size)
{
    char text[200];
    review_line_text(review, line, text, sizeof text);
    const char *bracket = strchr(text, '='), *start;
    snprintf(name, size, "%s", names->input.name);
    while (bracket != NULL && (bracket = strchr(bracket + 1, '[')) != NULL) {
        for (start = bracket; start > text && text_in_word(start[-1]); start--)
            ;
        if (start < bracket)
            snprintf(name, size, "%.*s", (int)(bracket - start), start);
    }
}

/* A block loads tile after tile, and all its threads wait for each of them. After the change the next tile is on its way
 * while the threads compute with this one. */
bool rule_async_copies(const KernelUnderReview *review, Change *change, Advice *advice)
{
    enum { LEAST_TILES = 4 };
    const SimCounters *counters = review->counters;
    const SimLine *line = review_worst_line(review, global_loads);
    double barriers = (double)counters->barriers /
                      review_warps(review); /* two for each tile: when it is full, and used up */
    if (line == NULL || barriers < 2 * LEAST_TILES || copies_asynchronously(review->source) ||
        2 * counters->shared_store_requests < counters->global_load_requests) /* most of what it loads goes to a tile */
        return false;
    KernelNames names;
    double tiles = fmin(barriers / 2, review_executions_per_warp(review, line)),
           chain_s = change_chain_seconds(&change->after);
    const HardwareProfile *hardware = review->explanation->hardware; /* into shared memory, and out again */
    double waited_s = (tiles - 1) * (hardware->l2_latency_s + hardware->shared_latency_s);
    if (tiles < LEAST_TILES)
        return false;
    char array[NAME_ROOM];
    review_names(review, line->line, &names);
    loaded_array(review, line->line, &names, array, sizeof array);
    change_waiting(&change->after, fmax(0.3, 1 - ratio(waited_s, chain_s)));
    change_add_shared(&change->after, 0, 0, review->kernel->profile->static_shared_bytes);
    advice_name(advice, array);
    advice_say(
        advice, line->line,
        "Each block loads %.0f tiles of `%s` one after the other, and all its threads wait at the barrier for each of "
        "them. Use two tiles in turn, and start copying the next tile before computing with the current one",
        tiles, array);
    advice_sketch(advice, "#include <cuda_pipeline.h> // two tiles: s_tile[2][...]");
    advice_sketch(advice, "__pipeline_memcpy_async(&s_tile[next][i], &%s[...], 4); __pipeline_commit();", array);
    advice_sketch(advice, "... compute with s_tile[next ^ 1] ...");
    advice_sketch(advice, "__pipeline_wait_prior(0); __syncthreads(); next ^= 1;");
    return true;
}

/* ==== advice warps ================================================================================================ */

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
        "Threads of a warp take different branches in %s of the executions of this line, and only %s of %s threads are "
        "active on average. Let whole warps take the same branch, or compute without a branch",
        quantity_percent(diverged_share(line), 0).text, quantity_ratio(lanes.active).text,
        quantity_ratio(lanes.full).text);
    advice_sketch(advice, "// instead of: %s", text);
    advice_sketch(advice, "float value = condition ? %s%s : 0.0f; // every thread does the same", names.input.name,
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
        "Threads of a warp run this loop for different numbers of iterations, and all wait for the slowest: only %s of %s "
        "threads are active on average. Give neighbouring threads equal work",
        quantity_ratio(lanes.active).text, quantity_ratio(lanes.full).text);
    advice_sketch(advice, "// instead of: %s", text);
    advice_sketch(advice, "for (int %s = 0; %s < SAME_FOR_ALL; %s++) // missing elements count as zeros", names.loop,
                  names.loop, names.loop);
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
    input->block_shares = (BlockShares){0};
    input->longest_warp_instructions = change_scaled(input->longest_warp_instructions, 1 / times);
    input->longest_warp_loads = change_scaled(input->longest_warp_loads, 1 / times);
    input->longest_warp_shared = change_scaled(input->longest_warp_shared, 1 / times);
    input->longest_warp_constant = change_scaled(input->longest_warp_constant, 1 / times);
    advice_name(advice, names.column);
    advice_say(
        advice, line,
        "One warp executes %s times as many instructions as the average warp, so most multiprocessors are idle while its "
        "block works. Divide the outputs evenly among the blocks",
        quantity_ratio(times).text);
    advice_sketch(advice, "int %s = blockIdx.x * blockDim.x + threadIdx.x; // one output per thread",
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
        "Each warp waits at __syncthreads() %.0f times but writes shared memory only %.0f times. A barrier is needed only "
        "between a write to shared memory and a read by another thread: move this one out of the loop",
        review_executions_per_warp(review, line), writer == NULL ? 0.0 : review_executions_per_warp(review, writer));
    advice_sketch(advice, "__syncthreads(); // once, after the writes");
    advice_sketch(advice, "for (int %s = 0; %s < %s; %s++) // no barrier inside", names.loop, names.loop,
                  names.loop_end[0] != '\0' ? names.loop_end : "TAPS", names.loop);
    return true;
}

/* ==== advice registers ============================================================================================ */

/* ---- several outputs --------------------------------------------------------------------------------------------- */

/* Instructions that a register tile cannot do without for each multiply-add: what fills the window at the start of each
 * row of taps, and the counting of an unrolled loop. The fastest reference solutions have 0.15 to 0.3 of them. */
static const double LEAST_OTHERS = 0.15;

/* Loads that move with the output: at most one for each multiply-add. The others are taps, which all outputs share. */
static double input_share(const InstructionMix *mix)
{
    return fmin(1, ratio(mix->multiply_adds, change_loads(mix)));
}

/* Outputs side by side are the only ones in one dimension: a warp's loads from global memory lie `outputs` apart then,
 * so each takes as many more wavefronts. In two dimensions they stand below one another. */
static void compute_together(const KernelUnderReview *review, int outputs, KernelModel *after)
{
    const InstructionMix *mix = &review->mix;
    double taps = review_taps_in_a_row(review), inputs = input_share(mix);
    double window = (taps + outputs - 1) / (taps * outputs), kept = inputs * window + (1 - inputs) / outputs;
    double chain_s = change_chain_seconds(after), warps = review_warps(review) / (double)after->launches;
    double spread = after->input.shape.grid[1] > 1 ? 1 : ceil(outputs / 4.0);
    double least = LEAST_OTHERS * ratio(mix->multiply_adds, mix->others);
    change_others(after, fmax(1.0 / outputs, fmin(1, least)));
    change_global_loads(after, kept, fmin(1, kept * spread));
    change_shared_loads(after, kept);
    change_constant_loads(after, kept);
    change_texture_loads(after, kept);
    /* a warp issues the multiply-adds of its other outputs while it waits, one a cycle of a scheduler */
    double more_s = (outputs - 1) * mix->multiply_adds / warps / review->explanation->hardware->clock_hz;
    change_waiting(after, 1 + ratio(more_s, chain_s));
    change_outputs_per_thread(after, outputs, 2 * outputs);
}

/* The number of outputs that gains most. */
static int best_outputs(const KernelUnderReview *review, KernelModel *best)
{
    static const int candidates[] = {2, 4, 8};
    double best_s = INFINITY;
    int outputs = 0;
    for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++) {
        KernelModel after = review->model;
        compute_together(review, candidates[i], &after);
        double seconds = kernel_model_seconds(&after);
        if (seconds < 0.97 * best_s) {
            best_s = seconds;
            outputs = candidates[i];
            *best = after;
        }
    }
    return outputs;
}

/* The index of the element `o` outputs further on: "[(row + 3 + r) * cols + col + s]". */
static void index_of_output(const KernelNames *names, int outputs, const char *o, char *index, size_t size)
{
    const char *place = names->row[0] != '\0' ? names->row : names->column;
    char moved[INDEX_ROOM], by[2 * NAME_ROOM];
    snprintf(by, sizeof by, "(%s + %s)", place, o);
    replace_word(names->input.index, place, by, moved, sizeof moved);
    const char *thread = names->row[0] != '\0' ? "threadIdx.y" : "threadIdx.x";
    snprintf(by, sizeof by, "(%d * %s + %s)", outputs, thread, o);
    replace_word(moved, thread, by, index, size);
}

static void sketch_outputs(const KernelNames *names, int outputs, Advice *advice)
{
    char index[2 * INDEX_ROOM], last[16];
    bool below = names->row[0] != '\0';
    snprintf(last, sizeof last, "%d", outputs - 1);
    index_of_output(names, outputs, last, index, sizeof index);
    if ((below ? names->row : names->column)[0] != '\0')
        advice_sketch(advice, "int %s = %d * (%s); // the first of %d outputs", below ? names->row : names->column,
                      outputs, below ? names->row_is : names->column_is, outputs);
    advice_sketch(advice, "float %s[%d] = {0.0f}, window[%d]; // window[o]: the element for output o", names->sum,
                  outputs, outputs);
    advice_sketch(advice,
                  "window[%d] = %s%s; // window[0..%d] still hold the previous elements; fill them before the loop",
                  outputs - 1, names->input.name, index[0] != '\0' ? index : "[...]", outputs - 2);
    advice_sketch(advice, "float tap = %s%s; // %s", names->filter.name,
                  names->filter.index[0] != '\0' ? names->filter.index : "[...]",
                  below ? "make the loop over rows of the filter the innermost one" : "loop over the taps of a row");
    advice_sketch(advice, "for (int o = 0; o < %d; o++) %s[o] += window[o] * tap; // #pragma unroll", outputs,
                  names->sum);
    advice_sketch(advice, "for (int o = 0; o < %d; o++) window[o] = window[o + 1]; // #pragma unroll", outputs - 1);
}

/* Whether the thread keeps several sums, and stores as many outputs: what this rule would advise. */
static bool has_several_outputs(const KernelUnderReview *review, const KernelNames *names)
{
    const double ENOUGH = 3.6; /* four, but for threads beyond the end */
    return names->has_several_sums && review_outputs_per_thread(review) >= ENOUGH;
}

/* Whether the outputs of a thread share taps, but no inputs. With loads from global memory there may be a reason: neighbouring
 * threads should load neighbours. */
static bool are_apart(const InstructionMix *mix)
{
    const double LOADS_APART = 0.8; /* for each multiply-add */
    return ratio(change_loads(mix), mix->multiply_adds) > LOADS_APART && mix->shared_loads > 2 * mix->global_loads;
}

/* A multiprocessor serves a warp's load in a cycle, but takes eight for a texel each of its 32 lanes. */
static double turns_of_loads(const InstructionMix *mix)
{
    const double TEXTURE_TURNS = 8;
    return change_loads(mix) + (TEXTURE_TURNS - 1) * mix->texture_loads;
}

/* Every multiply-add costs loads and index arithmetic of its own. A thread with several outputs loads a tap once for all
 * of them, and each element once for as many outputs as it belongs to. */
bool rule_several_outputs(const KernelUnderReview *review, Change *change, Advice *advice)
{
    static const char *const times_words[] = {[2] = "twice", [4] = "four times", [8] = "eight times"};
    const SimLine *line = review_hot_line(review);
    const InstructionMix *mix = &review->mix;
    double loads = change_loads(mix);
    double each = ratio(mix->all - mix->multiply_adds, mix->multiply_adds);
    KernelNames names;
    if (line == NULL || review_taps_per_thread(review) < 2 || ratio(turns_of_loads(mix), mix->multiply_adds) < 0.4)
        return false;
    review_names(review, line->line, &names);
    bool apart = names.has_several_sums && are_apart(mix);
    int outputs = has_several_outputs(review, &names) && !apart ? 0 : best_outputs(review, &change->after);
    if (outputs == 0)
        return false;
    advice_name(advice, names.sum);
    char step[100];
    if (names.has_several_sums && !apart)
        snprintf(step, sizeof step, "Give each thread %s as many outputs", times_words[outputs]);
    else
        snprintf(step, sizeof step, "Let each thread compute %d neighbouring outputs%s", outputs,
                 names.row[0] != '\0' ? ", below one another" : "");
    advice_say(
        advice, line->line,
        "Each multiply-add into `%s` needs %s loads and %s instructions in total. %s, kept in registers, so that "
        "each element of `%s` and each tap of `%s` is loaded once for all of them",
        names.sum, quantity_ratio(ratio(loads, mix->multiply_adds)).text, quantity_ratio(1 + each).text, step,
        names.input.name, names.filter.name);
    sketch_outputs(&names, outputs, advice);
    return true;
}

/* ---- a patch of outputs ------------------------------------------------------------------------------------------ */

/* The patch that the fastest reference solutions of two dimensions have, in blocks of as many threads. */
enum { PATCH_ROWS = 4, PATCH_COLUMNS = 8, PATCH_OUTPUTS = PATCH_ROWS * PATCH_COLUMNS, PATCH_THREADS = 128, VECTOR = 4 };

/* Taps in a row of a filter of two directions or more; else 0. */
static double taps_in_two_directions(const KernelUnderReview *review)
{
    size_t extents[TENSOR_MAX_RANK];
    int rank = review_filter_extents(review, extents);
    return rank < 2 ? 0 : (double)extents[rank - 1];
}

/* A patch walks down the input: each row of inputs that it takes serves all its rows of outputs, and each tap a row of
 * them. Both come from shared memory four at a time. */
static void compute_patch(const KernelUnderReview *review, double taps, KernelModel *after)
{
    const InstructionMix *mix = &review->mix;
    double more = PATCH_OUTPUTS / review_outputs_per_thread(review),
           warps = review_warps(review) / (double)after->launches;
    double inputs = (taps + PATCH_ROWS - 1) * (taps + PATCH_COLUMNS - 1) / (taps * taps * PATCH_OUTPUTS);
    double shared_taps = mix->constant_loads > 0.5 * mix->shared_loads ? 0 : 1.0 / PATCH_COLUMNS;
    double loads = mix->multiply_adds * (inputs + shared_taps) / VECTOR;
    double wavefronts = mix->multiply_adds * (inputs + shared_taps / 2), chain_s = change_chain_seconds(after);
    double more_s = (more - 1) * mix->multiply_adds / warps / review->explanation->hardware->clock_hz;
    double blocks = review_blocks_per_launch(review) * review_threads_per_block(review) / (more * PATCH_THREADS);
    double side = sqrt(PATCH_THREADS * PATCH_OUTPUTS) + taps - 1;
    LaunchShape *shape = &after->input.shape;
    change_others(after, fmax(1 / more, fmin(1, LEAST_OTHERS * ratio(mix->multiply_adds, mix->others))));
    change_constant_loads(after, 1 / more);
    change_shared_loads(after, fmin(1, ratio(loads, mix->shared_loads)));
    after->counters.shared_load_wavefronts = (uint64_t)fmin((double)review->model.counters.shared_load_wavefronts,
                                                            wavefronts);
    change_waiting(after, 1 + ratio(more_s, chain_s));
    shape->block[0] = PATCH_THREADS;
    shape->block[1] = shape->block[2] = shape->grid[1] = shape->grid[2] = 1;
    shape->grid[0] = (uint32_t)ceil(blocks);
    shape->dynamic_shared_bytes = 0;
    after->function.static_shared_bytes = (uint32_t)(side * side * sizeof(float));
    after->function.registers = (uint32_t)(PATCH_OUTPUTS + PATCH_COLUMNS + taps + 32); /* sums, window, addresses */
}

/* A thread has several outputs in one direction already, from a tile in shared memory. In the other direction, too, they
 * share inputs. */
bool rule_register_patch(const KernelUnderReview *review, Change *change, Advice *advice)
{
    const double LEAST_LOADS = 0.1; /* for each multiply-add */
    const SimLine *line = review_hot_line(review);
    const InstructionMix *mix = &review->mix;
    double taps = taps_in_two_directions(review), loads = ratio(change_loads(mix), mix->multiply_adds);
    KernelNames names;
    if (line == NULL || taps < 2 || loads < LEAST_LOADS || mix->global_loads > 0.5 * mix->shared_loads)
        return false;
    review_names(review, line->line, &names);
    if (!has_several_outputs(review, &names) || names.has_patch_of_sums)
        return false;
    compute_patch(review, taps, &change->after);
    advice_name(advice, names.sum);
    advice_say(
        advice, line->line,
        "Each multiply-add into `%s` needs %s loads, because a thread has its outputs in one direction only. Let it "
        "compute a patch of %d rows by %d columns, so that each input row it loads is used for all %d output rows; load "
        "inputs and taps 16 bytes at a time",
        names.sum, quantity_ratio(loads).text, PATCH_ROWS, PATCH_COLUMNS, PATCH_ROWS);
    advice_sketch(advice, "float %s[%d][%d] = {{0.0f}}, window[%d + TAPS - 1]; // TAPS is a compile-time constant",
                  names.sum, PATCH_ROWS, PATCH_COLUMNS, PATCH_COLUMNS);
    advice_sketch(advice, "for (int r = 0; r < TAPS + %d; r++) { // fill window[] from row r of the tile, as float4",
                  PATCH_ROWS - 1);
    advice_sketch(advice, "    for (int o = 0; o < %d; o++) // rows of outputs; unroll all loops", PATCH_ROWS);
    advice_sketch(advice, "        if (r >= o && r - o < TAPS) // tap s of row r - o of `%s`, for all s",
                  names.filter.name);
    advice_sketch(advice, "            for (int c = 0; c < %d; c++) %s[o][c] += window[s + c] * tap;", PATCH_COLUMNS,
                  names.sum);
    advice_sketch(advice, "}");
    return true;
}

/* ---- unrolling --------------------------------------------------------------------------------------------------- */

/* The shares that unrolling by 8 leaves of the instructions that count, compare and branch, and of a warp's waiting,
 * since loads of several taps are in flight together. */
static const double UNROLLED_OTHERS = 0.4, UNROLLED_WAITING = 0.6;

/* "#pragma unroll 8": so many turns are unrolled of a loop whose length the compiler does not know. */
static bool is_unrolled_in_part(const char *pragma)
{
    const char *const words = "#pragma unroll ";
    return strncmp(pragma, words, strlen(words)) == 0 && atoi(pragma + strlen(words)) > 1;
}

/* A loop of a few turns whose number the compiler knows, `for (int o = 0; o < 4; o++)`: it unrolls such a loop by itself. */
static bool is_short_loop(const KernelUnderReview *review, const char *text)
{
    enum { MOST_TURNS = 16 };
    char end[NAME_ROOM];
    int64_t turns;
    const char *less = strchr(text, '<');
    if (less == NULL)
        return false;
    less += less[1] == '=' ? 2 : 1;
    snprintf(end, sizeof end, "%.*s", (int)strcspn(less, ";&"), less);
    return constant_value(review->source, NULL, NULL, end, &turns) && turns <= MOST_TURNS;
}

/* The innermost loop around a line that neither a pragma nor the compiler unrolls, by the indentation of the source; 0: none is
 * near. Around a loop that is unrolled in part there is none that could be. */
static int rolled_loop(const KernelUnderReview *review, int line)
{
    enum { NEAR = 15 };
    char text[200], above[200];
    int inner = line_indent(review->source, line);
    for (int i = line; i > 1 && i >= line - NEAR; i--) {
        int indent = line_indent(review->source, i);
        if (indent < 0 || (i < line && indent >= inner))
            continue;
        inner = indent;
        review_line_text(review, i, text, sizeof text);
        review_line_text(review, i - 1, above, sizeof above);
        bool left = strcmp(above, "#pragma unroll 1") == 0 ||
                    (strncmp(above, "#pragma unroll", 14) != 0 && !is_short_loop(review, text));
        if (strncmp(text, "for (", 5) != 0)
            continue;
        if (left || is_unrolled_in_part(above))
            return left ? i : 0;
    }
    return 0;
}

/* Whether a loop has a branch or a choice between it and a line in it. */
static bool decides_inside(const KernelUnderReview *review, int loop, int line)
{
    char text[200];
    for (int i = loop + 1; i <= line; i++) {
        review_line_text(review, i, text, sizeof text);
        if (strncmp(text, "if (", 4) == 0 || strstr(text, " ? ") != NULL || strstr(text, " && ") != NULL)
            return true;
    }
    return false;
}

static int count_of(const char *text, char wanted)
{
    int count = 0;
    for (; *text != '\0'; text++)
        count += *text == wanted;
    return count;
}

/* How many turns of a loop the compiler has made one by itself: a line with one index then has several loads each time that it
 * is executed. Loads of unrolled loops inside are more, too, so the line with the fewest counts. */
static double turns_together(const KernelUnderReview *review, int loop, int hot)
{
    const ExecutionProfile *profile = review->explanation->profile;
    char text[200];
    double fewest = INFINITY;
    for (uint32_t i = 0; i < profile->line_count; i++) {
        const SimLine *line = &profile->lines[i].counts;
        const SimCounters *counters = &line->counters;
        double loads = (double)(counters->global_load_requests + counters->shared_load_requests +
                                counters->constant_requests);
        if (profile->lines[i].kernel != review->index ||
            !explain_is_own_line(review->explanation, &profile->lines[i]) || line->line <= loop || line->line > hot ||
            loads == 0)
            continue;
        review_line_text(review, line->line, text, sizeof text);
        fewest = fmin(fewest, ratio(loads, (double)line->executions) / fmax(1, count_of(text, '[')));
    }
    return isfinite(fewest) ? fewest : 1;
}

/* Instructions that count, compare, branch and advance a pointer in each iteration of a rolled loop. */
enum { LOOP_INSTRUCTIONS = 4 };

/* Instructions that unrolling saves. Conditions inside are left, with the addresses that depend on them: only the loop's own
 * instructions go then. */
static double saved_by_unrolling(const KernelUnderReview *review, int loop, const SimLine *line, double overhead)
{
    double saved = (1 - UNROLLED_OTHERS) * overhead;
    return decides_inside(review, loop, line->line)
               ? fmin(saved, LOOP_INSTRUCTIONS * review_per_launch(review, (double)line->executions))
               : saved;
}

/* Loads that one turn of the innermost loop starts together, so that they wait together, at least two: an input and a tap. */
static double loads_a_turn(const KernelUnderReview *review, const SimLine *line)
{
    return fmax(2, ratio(change_loads(&review->mix), review_per_launch(review, (double)line->executions)));
}

/* A loop that turns once for each multiply-add should have no other instruction for each; one around unrolled loops may
 * have two. */
bool rule_unrolling(const KernelUnderReview *review, Change *change, Advice *advice)
{
    const SimLine *line = review_hot_line(review);
    const InstructionMix *mix = &review->mix;
    if (line == NULL || review_executions_per_warp(review, line) < 8)
        return false;
    double lanes = ratio((double)line->counters.lane_instructions, (double)line->counters.warp_instructions);
    double adds = ratio((double)(line->counters.fma32 + line->counters.fma64), lanes * (double)line->executions);
    const double MOST_AROUND = 2;
    int loop = rolled_loop(review, line->line);
    double overhead = mix->others - review_divisions_and_functions(review);
    if (loop == 0 || overhead < (adds > 1.5 ? MOST_AROUND : 1) * mix->multiply_adds ||
        turns_together(review, loop, line->line) >= 2)
        return false;
    KernelNames names;
    review_names(review, loop, &names);
    double saved = saved_by_unrolling(review, loop, line, overhead);
    change_others(&change->after, 1 - saved / mix->others);
    double share = saved / ((1 - UNROLLED_OTHERS) * overhead) * fmin(1, 2 / loads_a_turn(review, line));
    change_waiting(&change->after, 1 - (1 - UNROLLED_WAITING) * share);
    advice_name(advice, names.loop);
    advice_say(
        advice, loop,
        "The loop over `%s` is not unrolled. For each multiply-add, %s other instructions count, compare, branch and "
        "compute addresses, and the next load waits for them. Unroll it, with a length that the compiler knows "
        "or with a second loop for the rest",
        names.loop, quantity_ratio(ratio(overhead, mix->multiply_adds)).text);
    advice_sketch(advice, "#pragma unroll 8");
    advice_sketch(advice, "for (int %s = 0; %s < %s; %s++) // without break, continue or a test of the border inside",
                  names.loop, names.loop, names.loop_end[0] != '\0' ? names.loop_end : "TAPS", names.loop);
    return true;
}

/* ---- local memory ------------------------------------------------------------------------------------------------ */

static void remove_local_memory(KernelModel *after, uint32_t registers)
{
    SimMachineRatios *machine = &after->input.machine;
    InstructionMix mix = change_mix(after);
    double loads = mix.global_loads + mix.local;
    change_waiting(after, loads > 0 ? 1 - 0.5 * mix.local / loads : 1);
    after->counters.warp_instructions = change_scaled(after->counters.warp_instructions, 1 - ratio(mix.local, mix.all));
    after->counters.local_requests = after->counters.local_sectors = 0;
    machine->local = machine->local_sectors = 0;
    after->function.frame_bytes = after->function.local_bytes = 0;
    after->function.registers += registers;
}

/* Registers that do not fit are kept in local memory, though the source has no array there. */
bool rule_spills(const KernelUnderReview *review, Change *change, Advice *advice)
{
    const ProfileKernel *profile = review->kernel->profile;
    uint32_t spilled = profile->frame_bytes > profile->local_bytes ? profile->frame_bytes - profile->local_bytes : 0;
    int bounds = first_line_with(review->source, "__launch_bounds__"), line = review_kernel_line(review);
    if (spilled == 0 || review->mix.local <= (double)review->model.counters.local_requests)
        return false;
    KernelNames names;
    const SimLine *hot = review_hot_line(review);
    review_names(review, hot == NULL ? 0 : hot->line, &names);
    remove_local_memory(&change->after, spilled / 4);
    advice_name(advice, names.sum);
    advice_say(
        advice, bounds > 0 ? bounds : line,
        "The kernel uses %u registers and spills %u bytes of each thread to local memory, which is device memory. Let a "
        "thread keep fewer values at a time%s",
        profile->registers, spilled, bounds > 0 ? ", or ask for fewer resident blocks in __launch_bounds__" : "");
    if (bounds > 0)
        advice_sketch(advice, "__global__ void __launch_bounds__(%.0f) // without the least number of resident blocks",
                      review_threads_per_block(review));
    advice_sketch(advice, "float %s[OUTPUTS]; // half as many OUTPUTS: each of them is one register per thread",
                  names.sum);
    return true;
}

static double local_sectors(const SimLine *line)
{
    return (double)line->counters.local_sectors;
}

bool rule_local_memory(const KernelUnderReview *review, Change *change, Advice *advice)
{
    const SimLine *line = review_worst_line(review, local_sectors);
    if (line == NULL)
        return false;
    KernelNames names;
    char text[120];
    uint32_t bytes = review->kernel->profile->local_bytes;
    review_names(review, line->line, &names);
    review_line_text(review, line->line, text, sizeof text);
    remove_local_memory(&change->after, bytes <= 256 ? bytes / 4 : 0);
    advice_name(advice, names.input.name);
    advice_say(
        advice, line->line,
        "An array of each thread lies in local memory, which is device memory (%u bytes per thread). Index it only with "
        "constants, in unrolled loops, so that the compiler keeps it in registers",
        bytes);
    advice_sketch(advice, "#pragma unroll // with constant bounds, so that each index is known at compile time");
    advice_sketch(advice, "for (int %s = 0; %s < COUNT; %s++)", names.loop, names.loop, names.loop);
    advice_sketch(advice, "    %s", text);
    return true;
}
