#include "grader/explain/advice_memory.h"

#include "grader/terminal/quantity.h"

#include <math.h>

enum { SECTOR_BYTES = 32, LINE_BYTES = 128 };

/* ---- memory ------------------------------------------------------------------------------------------------------ */

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
    double lines = (double)line->ideal_load_sectors * SECTOR_BYTES / LINE_BYTES;
    double ideal = fmax((double)line->counters.global_load_requests, lines);
    return excess_load_sectors(line) > 0 ? fmax(0, (double)line->counters.global_load_wavefronts - ideal) : 0;
}

static double excess_sectors(const SimLine *line)
{
    return excess_load_sectors(line) + excess_store_sectors(line);
}

/* Neighbouring threads of a warp access bytes that are far apart. The corrected counters are those of contiguous
 * bytes. */
bool rule_uncoalesced(const KernelUnderReview *review, Advice *advice)
{
    const SimLine *line = review_worst_line(review, excess_sectors);
    if (line == NULL)
        return false;
    bool loads = excess_load_sectors(line) >= excess_store_sectors(line);
    const SimCounters *counters = &line->counters;
    double requests = (double)(loads ? counters->global_load_requests : counters->global_store_requests);
    double sectors = (double)(loads ? counters->global_load_sectors : counters->global_store_sectors);
    double ideal = (double)(loads ? line->ideal_load_sectors : line->ideal_store_sectors);
    KernelModel changed = review->model;
    changed.counters.global_load_sectors -= review_per_launch(review, review_sum(review, excess_load_sectors));
    changed.counters.global_load_wavefronts -= review_per_launch(review, review_sum(review, excess_load_wavefronts));
    changed.counters.global_store_sectors -= review_per_launch(review, review_sum(review, excess_store_sectors));
    advice->gain = review_gain(review, &changed);
    advice_say(
        advice, line->line,
        "neighbouring threads %s addresses that are far apart, so one access of a warp touches %s sectors where %s "
        "would be enough: let neighbouring threads %s neighbouring elements",
        loads ? "read" : "write", quantity_ratio(ratio(sectors, requests)).text,
        quantity_ratio(ratio(ideal, requests)).text, loads ? "read" : "write");
    return true;
}

static double excess_wavefronts(const SimLine *line)
{
    double wavefronts = (double)(line->counters.shared_load_wavefronts + line->counters.shared_store_wavefronts);
    return wavefronts - (double)line->ideal_shared_wavefronts;
}

bool rule_bank_conflicts(const KernelUnderReview *review, Advice *advice)
{
    const SimLine *line = review_worst_line(review, excess_wavefronts);
    if (line == NULL)
        return false;
    double requests = (double)(line->counters.shared_load_requests + line->counters.shared_store_requests);
    double wavefronts = (double)(line->counters.shared_load_wavefronts + line->counters.shared_store_wavefronts);
    KernelModel changed = review->model;
    double all = (double)(changed.counters.shared_load_wavefronts + changed.counters.shared_store_wavefronts);
    double kept = 1 - ratio((double)review_per_launch(review, review_sum(review, excess_wavefronts)), all);
    changed.counters.shared_load_wavefronts = (uint64_t)((double)changed.counters.shared_load_wavefronts * kept);
    changed.counters.shared_store_wavefronts = (uint64_t)((double)changed.counters.shared_store_wavefronts * kept);
    advice->gain = review_gain(review, &changed);
    advice_say(advice, line->line,
               "threads of a warp access the same banks of shared memory, so each access takes %s wavefronts where %s "
               "would be enough: make each row of the array one element longer, or let neighbouring threads access "
               "neighbouring elements",
               quantity_ratio(ratio(wavefronts, requests)).text,
               quantity_ratio(ratio((double)line->ideal_shared_wavefronts, requests)).text);
    return true;
}

static void scale_loads(SimCounters *counters, double kept)
{
    counters->global_load_requests = (uint64_t)((double)counters->global_load_requests * kept);
    counters->global_load_sectors = (uint64_t)((double)counters->global_load_sectors * kept);
    counters->global_load_wavefronts = (uint64_t)((double)counters->global_load_wavefronts * kept);
}

static double global_loads(const SimLine *line)
{
    return (double)line->counters.global_load_requests;
}

/* Every multiply-add waits for a load of its own, and most of the loaded bytes were loaded before. The corrected
 * counters are those of a kernel that uses each loaded value in four multiply-adds, from a register. */
bool rule_reread(const KernelUnderReview *review, Advice *advice)
{
    enum { REUSE = 4 };
    const SimCounters *counters = review->counters;
    const SimLine *line = review_worst_line(review, global_loads);
    double bytes = (double)counters->global_load_bytes;
    double times = ratio(bytes, (double)counters->unique_load_sectors * SECTOR_BYTES);
    double loads_per_fma = ratio((double)counters->global_load_requests * SIM_WARP_SIZE, (double)counters->fma32);
    if (line == NULL || times < 4 || loads_per_fma < 0.75)
        return false;
    KernelModel changed = review->model;
    scale_loads(&changed.counters, 1.0 / REUSE);
    changed.input.longest_warp_loads /= REUSE;
    advice->gain = review_gain(review, &changed);
    advice_say(advice, line->line,
               "each element is read from global memory %.0f times, with %s loads per multiply-add: read each tile "
               "into shared memory once, and let each thread compute several outputs from values in registers",
               times, quantity_ratio(loads_per_fma).text);
    return true;
}

static double global_stores(const SimLine *line)
{
    return (double)(line->counters.global_store_requests + line->counters.atomic_requests);
}

/* One store per output is enough; a sum in global memory is loaded and stored for every term. */
bool rule_global_accumulation(const KernelUnderReview *review, Advice *advice)
{
    const SimCounters *counters = review->counters;
    const SimLine *line = review_worst_line(review, global_stores);
    double stored = (double)counters->global_store_sectors + (double)counters->atomic_lanes / 8;
    double times = ratio(stored, (double)counters->unique_store_sectors);
    if (line == NULL || times < 4 || (counters->atomic_lanes == 0 && review_executions_per_warp(review, line) < 4))
        return false;
    KernelModel changed = review->model;
    uint64_t needless = changed.counters.global_store_requests -
                        (uint64_t)((double)changed.counters.global_store_requests / times);
    changed.counters.global_store_requests -= needless;
    changed.counters.global_store_sectors = (uint64_t)((double)changed.counters.global_store_sectors / times);
    changed.counters.atomic_requests = (uint64_t)((double)changed.counters.atomic_requests / times);
    changed.counters.atomic_lanes = (uint64_t)((double)changed.counters.atomic_lanes / times);
    double loads = (double)changed.counters.global_load_requests;
    double saved = line->counters.global_load_requests > 0 ? (double)needless : 0;
    scale_loads(&changed.counters, loads > saved ? 1 - saved / loads : 1);
    advice->gain = review_gain(review, &changed);
    advice_say(advice, line->line,
               "each output is stored %.0f times%s: add up the sum in a local variable, and store it once at the end",
               times, counters->atomic_lanes > 0 ? " by atomic operations" : "");
    return true;
}

static double local_sectors(const SimLine *line)
{
    return (double)line->counters.local_sectors;
}

bool rule_local_memory(const KernelUnderReview *review, Advice *advice)
{
    const SimLine *line = review_worst_line(review, local_sectors);
    if (line == NULL)
        return false;
    KernelModel changed = review->model;
    changed.counters.local_requests = changed.counters.local_sectors = 0;
    changed.input.longest_warp_loads = (uint64_t)((double)changed.input.longest_warp_loads *
                                                  ratio((double)review->counters->global_load_requests,
                                                        (double)(review->counters->global_load_requests +
                                                                 review->counters->local_requests)));
    advice->gain = review_gain(review, &changed);
    advice_say(
        advice, line->line,
        "an array of each thread lies in local memory, which is device memory (%u bytes per thread): index it only "
        "with constants, in unrolled loops, so that the compiler keeps it in registers",
        review->kernel->profile->local_bytes);
    return true;
}

/* ---- constant memory --------------------------------------------------------------------------------------------- */

static double constant_replays(const SimLine *line)
{
    return (double)line->counters.constant_replays;
}

bool rule_constant_addresses_differ(const KernelUnderReview *review, Advice *advice)
{
    const SimLine *line = review_worst_line(review, constant_replays);
    if (line == NULL)
        return false;
    KernelModel changed = review->model;
    changed.counters.constant_replays = 0;
    advice->gain = review_gain(review, &changed);
    advice_say(
        advice, line->line,
        "the threads of a warp read %s different constants at once, and constant memory serves one address at a "
        "time: let all threads of a warp read the same constant, or keep the array in shared memory",
        quantity_ratio(1 + ratio((double)line->counters.constant_replays, (double)line->counters.constant_requests))
            .text);
    return true;
}

static double constant_loads(const SimLine *line)
{
    return (double)line->counters.constant_requests;
}

bool rule_constants_too_long(const KernelUnderReview *review, Advice *advice)
{
    const SimLine *line = review_worst_line(review, constant_loads);
    if (line == NULL || !review->model.function.uniform_constant_loads)
        return false;
    KernelModel changed = review->model;
    changed.function.uniform_constant_loads = false;
    advice->gain = review_gain(review, &changed);
    advice_say(advice, line->line,
               "the array in constant memory is longer than the constant cache (%.0f bytes), and blocks that read "
               "different parts of it evict each other's: keep an array of this length in shared memory",
               review->explanation->hardware->constant_cache_bytes);
    return true;
}
