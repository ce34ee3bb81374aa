#include "grader/explain/advice_rules.h"

#include "base/text.h"
#include "grader/terminal/quantity.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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
    advice_sketch(advice, "// 4 outputs of a thread stand side by side: one store of 16 bytes, from an aligned place");
    advice_sketch(advice, "*reinterpret_cast<float4*>(&%s[first]) = make_float4(%s[0], %s[1], %s[2], %s[3]);",
                  names->output, names->sum, names->sum, names->sum, names->sum);
}

static void sketch_neighbours(const KernelNames *names, const char *array, Advice *advice)
{
    const char *column = names->column[0] != '\0' ? names->column : "col";
    advice_sketch(advice, "int %s = blockIdx.x * blockDim.x + threadIdx.x; // the index in which %s is contiguous",
                  column, array);
    advice_sketch(advice, "%s[... + %s] // threadIdx.x with no factor before it", array, column);
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
        "neighbouring threads %s elements of `%s` that are far apart, so one access of a warp touches %s sectors "
        "where %s would be enough: let neighbouring threads %s neighbouring elements",
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
        advice_sketch(advice, "__shared__ float s_tile[%u + HALO][%u + HALO]; // HALO: the filter's size less 1",
                      block[1], block[0]);
        advice_sketch(advice, "for (int y = threadIdx.y; y < %u + HALO; y += %u)", block[1], block[1]);
        advice_sketch(advice, "    for (int x = threadIdx.x; x < %u + HALO; x += %u)", block[0], block[0]);
        advice_sketch(advice, "        s_tile[y][x] = ...; // the element of %s, or 0 beyond the border",
                      names->input.name);
    } else {
        advice_sketch(advice, "__shared__ float s_tile[%u + HALO]; // HALO: the filter's size less 1", block[0]);
        advice_sketch(advice, "for (int x = threadIdx.x; x < %u + HALO; x += %u)", block[0], block[0]);
        advice_sketch(advice, "    s_tile[x] = %s[blockIdx.x * %u + x]; // 0 beyond the border", names->input.name,
                      block[0]);
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

/* What a test such as `y >= 0 && y < rows ? input[y * cols + x] : 0.0f` adds to a load: two comparisons, the row, the choice.
 * An estimate. */
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
    advice_say(advice, line->line,
               "each element of `%s` is read from global memory %.0f times, with %s loads per multiply-add: read each "
               "tile into shared memory once, and the filter",
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
    advice_say(advice, line->line,
               "each element of `%s` is stored %.0f times%s: add up the sum in a local variable, and store it once at "
               "the end",
               names.output, times, counters->atomic_lanes > 0 ? " by atomic operations" : "");
    advice_sketch(advice, "float sum = 0.0f; // a register of the thread");
    advice_sketch(advice, "for (int %s = 0; ...; %s++)", names.loop, names.loop);
    advice_sketch(advice, "    sum += ...;");
    advice_sketch(advice, "%s[...] = sum; // once, behind the loop", names.output);
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
        "each block loads %.0f tiles of `%s` one after the other, and all its threads wait at the barrier for each "
        "of them: use two tiles in turn, and start to copy the next one before computing with this one",
        tiles, array);
    advice_sketch(advice, "#include <cuda_pipeline.h> // two tiles: s_tile[2][...]");
    advice_sketch(advice, "__pipeline_memcpy_async(&s_tile[next][i], &%s[...], 4); __pipeline_commit();", array);
    advice_sketch(advice, "... compute with s_tile[next ^ 1] ...");
    advice_sketch(advice, "__pipeline_wait_prior(0); __syncthreads(); next ^= 1;");
    return true;
}
