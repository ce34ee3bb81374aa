/* Checks the limits of a grid, has its blocks run, and concludes from what they counted.  */
#include "simgpu/launch.h"

#include "base/arena.h"
#include "base/chacha20.h"
#include "simgpu/block/block_races.h"
#include "simgpu/block/cluster.h"
#include "simgpu/block/launch.h"
#include "simgpu/block/raw_finding.h"
#include "simgpu/block/sanitizer.h"
#include "simgpu/block/worker.h"
#include "simgpu/code/code.h"
#include "simgpu/code/instruction.h"
#include "simgpu/cost/cost.h"
#include "simgpu/cost/counters.h"
#include "simgpu/cost/launch_limits.h"
#include "simgpu/cost/machine_program.h"
#include "simgpu/engine/interpreter.h"
#include "simgpu/engine/request.h"
#include "simgpu/gpu.h"
#include "simgpu/memory/validity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ==== block sample ================================================================================================ */

/* A random sample of a grid's blocks, which stands for all of them where all would take too long.
 *
 * Sample   the blocks for which run_is_certain() holds run in any case. The others form strips of
 *          neighbours, and strips run in an order that is drawn from SimLaunch.sample_key, so that nobody can foresee
 *          which. The first PILOT strips show how much a strip takes. Then as many run as the limit of
 *          SimLaunch.sample_lane_instructions leaves room for, and more while the estimate is less certain than
 *          MOST_ERROR. If that would be most of the grid, all of it runs. So it does where a block inside of the
 *          grid stores less than a fourth of what another does: one that leaves out its output would not be missed. Where
 *          the filter reaches past the border, sums in memory are stored less often, by up to a half.
 * Estimate what the drawn blocks did, times the number of blocks over the number of drawn ones, plus what the blocks did
 *          that run in any case. Its uncertainty is that of the mean of the strips' instructions: Cochran, Sampling
 *          Techniques (1977), sections 2.6 (the correction for a finite population) and 9A.2 (clusters of equal size).
 * Limits   blocks must not depend on each other. A kernel that could tell others what it did, by atomic operations,
 *          fences or volatile accesses, runs whole. That a kernel reads what its other blocks have stored, and that
 *          memory which a sample has stored into is used later on, is for the caller to find out: SimReport.touched. */

enum {
    LEAST_BLOCKS = 2048, /* of a grid, fewer of which are not worth it */
    STRIPS = 4096,       /* of a grid, at most */
    PILOT = 64           /* strips */
};
static const double MOST_ERROR = 0.005;  /* the uncertainty that no score is without (grader/judge/timing.h) */
static const double MOST_SHARE = 0.75;   /* of the strips; where more would run, all do */
static const uint64_t LEAST_OF_MOST = 4; /* bytes that a block inside stores at most, for one of those of another */

/* ---- which grids ------------------------------------------------------------------------------------------------- */

static bool is_alone(const Code *code)
{
    for (int i = 0; i < code->instruction_count; i++)
        if (instruction_facts(&code->instructions[i]).is_seen)
            return false;
    return !code->uses_cluster;
}

static bool block_sample_is_possible(const GridRun *run)
{
    const Launch *launch = &run->launch;
    const SimLaunch *request = launch->request;
    return request->sample_lane_instructions > 0 && request->sample_key != NULL && launch->is_timed &&
           launch->cluster_blocks == 1 && launch->blocks >= LEAST_BLOCKS && launch->provenance == NULL &&
           (launch->sanitizer_plan == NULL || launch->sanitizer_plan->is_sample) && request->footprint == NULL &&
           is_alone(launch->code);
}

/* ---- the strips -------------------------------------------------------------------------------------------------- */

typedef struct Drawing { /* the strips of a grid: first those that run in any case, of one block each */
    Strip *strips;
    uint64_t certain, count;
} Drawing;

/* The draws are not exactly uniform: they are off by less than count / 2^32. */
static void shuffle(Strip *strips, uint64_t count, const Chacha20Key *key)
{
    const uint32_t purpose = 0x5a3b; /* others draw with the same key: simgpu/block, simgpu/cost/reuse.c */
    Chacha20Block block = {{0}};
    for (uint64_t i = count; i > 1; i--) {
        const uint64_t word = i % CHACHA20_WORDS;
        if (i == count || word == CHACHA20_WORDS - 1)
            block = chacha20_block(key, (uint32_t)(i / CHACHA20_WORDS), purpose, 0, 0);
        const uint64_t other = block.words[word] * i >> 32;
        const Strip strip = strips[i - 1];
        strips[i - 1] = strips[other];
        strips[other] = strip;
    }
}

static Drawing drawing_new(const Launch *launch)
{
    const uint64_t length = (launch->blocks + STRIPS - 1) / STRIPS, count = (launch->blocks + length - 1) / length;
    Drawing drawing = {.strips = zeroed(launch->blocks < 2 * STRIPS ? launch->blocks + count : 2 * STRIPS + count,
                                        sizeof *drawing.strips)};
    for (uint64_t block = 0; block < launch->blocks; block++)
        if (run_is_certain(launch, block))
            drawing.strips[drawing.certain++] = (Strip){block, block + 1};
    drawing.count = drawing.certain;
    for (uint64_t i = 0; i < count; i++)
        drawing.strips[drawing.count++] = (Strip){i * length, (i + 1) * length < launch->blocks ? (i + 1) * length
                                                                                                : launch->blocks};
    shuffle(drawing.strips + drawing.certain, count, launch->request->sample_key);
    return drawing;
}

/* ---- the estimate ------------------------------------------------------------------------------------------------ */

typedef struct SampleSums { /* of a run so far */
    SimCounters counters;
    Executed *executed;
    SimLine *lines;
} SampleSums;

static SampleSums sums_of(const GridRun *run)
{
    const size_t blocks = (size_t)run->launch.code->block_count;
    SampleSums sums = {.counters = run->counters, .executed = zeroed(blocks, sizeof *sums.executed)};
    memcpy(sums.executed, run->executed, blocks * sizeof *sums.executed);
    if (run->lines != NULL) {
        sums.lines = zeroed((size_t)run->lines->count, sizeof *sums.lines);
        memcpy(sums.lines, run->lines->lines, (size_t)run->lines->count * sizeof *sums.lines);
    }
    return sums;
}

static uint64_t extrapolated(uint64_t certain, uint64_t all, double factor)
{
    return certain + (uint64_t)((double)(all - certain) * factor + 0.5);
}

static void extrapolate_counters(SimCounters *counters, const SimCounters *certain, double factor)
{
    for (size_t i = 0; i < sizeof *counters / sizeof(uint64_t); i++)
        ((uint64_t *)counters)[i] = extrapolated(((const uint64_t *)certain)[i], ((uint64_t *)counters)[i], factor);
}

static void extrapolate_line(SimLine *line, const SimLine *certain, double factor)
{
#define LINE_COUNTER(NAME, UNIT) line->NAME = extrapolated(certain->NAME, line->NAME, factor);
#include "simgpu/cost/counters.def"
    extrapolate_counters(&line->counters, &certain->counters, factor);
}

static void extrapolate(GridRun *run, const SampleSums *certain, double factor)
{
    extrapolate_counters(&run->counters, &certain->counters, factor);
    for (int i = 0; i < run->launch.code->block_count; i++) {
        run->executed[i].warps = extrapolated(certain->executed[i].warps, run->executed[i].warps, factor);
        run->executed[i].lanes = extrapolated(certain->executed[i].lanes, run->executed[i].lanes, factor);
    }
    for (int i = 0; run->lines != NULL && i < run->lines->count; i++)
        extrapolate_line(&run->lines->lines[i], &certain->lines[i], factor);
}

/* Half the width of the 95 % interval of the instructions of a block, relative to their mean: that of a ratio of two sums
 * over the strips that ran, of `count`. What rounding leaves of equal blocks is no variance. */
static double error_of(const GridRun *run, uint64_t count)
{
    const long double normal = 1.96L, rounding = 1e-15L, n = run->strips_run;
    const long double b = run->moments.b, x = run->moments.x, bb = run->moments.bb, bx = run->moments.bx,
                      xx = run->moments.xx, mean = x / b;
    const long double squares = xx - 2 * mean * bx + mean * mean * bb;
    if (!(squares > rounding * xx))
        return 0;
    return (double)(normal * sqrtl(squares / (n - 1) * n * (1 - n / (long double)count)) / x);
}

/* Strips that the limit leaves room for. Machine instructions count: of those of PTX, ptxas may leave many out. */
static uint64_t strips_within(const GridRun *run)
{
    const double lanes = (double)run->moments.x / (double)run->strips_run * SIM_WARP_SIZE;
    const double room = (double)run->launch.request->sample_lane_instructions / fmax(1, lanes);
    return room < PILOT ? PILOT : room > STRIPS ? STRIPS : (uint64_t)room;
}

/* ---- the run ----------------------------------------------------------------------------------------------------- */

static uint64_t stored_bytes(const SimMarked *marked)
{
    const uint32_t *words = (const uint32_t *)(uintptr_t)marked->address;
    const uint64_t count = marked->bytes / sizeof *words;
    uint64_t stored = 0;
    for (uint64_t first = 0; first < count; first += marked->word_count)
        for (uint32_t i = 0; i < marked->word_count && first + i < count; i++)
            stored += words[first + i] != marked->words[i];
    return stored * sizeof *words;
}

static void forget_strips(GridRun *run)
{
    run->strips_run = run->blocks_run = 0;
    run->moments = (StripMoments){0};
    memset(run->stores, 0, sizeof run->stores);
}

static void run_drawn(SimGpu *gpu, GridRun *run, const Drawing *drawing, int helpers)
{
    const uint64_t first = drawing->certain, count = drawing->count - first;
    uint64_t done = 0, wanted = PILOT < count ? PILOT : count;
    while (done < wanted && run_strips(gpu, run, first + done, first + wanted, helpers)) {
        done = wanted;
        wanted = strips_within(run);
        if (wanted <= done && error_of(run, count) > MOST_ERROR)
            wanted = 2 * done;
        if (LEAST_OF_MOST * run->stores[BLOCK_INSIDE].least < run->stores[BLOCK_INSIDE].most)
            wanted = count;
        if ((double)wanted > MOST_SHARE * (double)count)
            wanted = count;
    }
}

/* The blocks of a place in the grid, without those that run in any case. */
static uint64_t blocks_in(const Launch *launch, const Drawing *drawing, BlockPlace place)
{
    const uint32_t *grid = launch->request->shape.grid;
    uint64_t inside = 1;
    for (int i = 0; i < 3; i++)
        inside *= grid[i] > 1 ? grid[i] - 1 : 1;
    uint64_t count = place == BLOCK_INSIDE ? inside : launch->blocks - inside;
    for (uint64_t i = 0; i < drawing->certain; i++)
        count -= run_place_of(launch, drawing->strips[i].first) == place;
    return count;
}

/* The part of what all blocks but the certain ones store that the drawn ones do, if blocks in the same place are alike.
 * Those at the border write as much of the output as those inside or less, however often they store: so it is at least what
 * it would be if they wrote nothing, and hardly more than the share of the blocks. */
static double drawn_part(const GridRun *run, const Drawing *drawing, double share)
{
    const double MOST_ABOVE = 0.015;
    const double inside = (double)blocks_in(&run->launch, drawing, BLOCK_INSIDE);
    const double least = inside > 0 ? fmin(share, (double)run->stores[BLOCK_INSIDE].blocks / inside) : share;
    double all = 0, drawn = 0;
    for (BlockPlace place = 0; place < BLOCK_PLACES; place++) {
        const BlockStores *stores = &run->stores[place];
        drawn += (double)stores->bytes;
        all += stores->blocks == 0
                   ? 0
                   : (double)stores->bytes / (double)stores->blocks * (double)blocks_in(&run->launch, drawing, place);
    }
    const double part = all > 0 ? drawn / all : share;
    if (run->stores[BLOCK_INSIDE].least != run->stores[BLOCK_INSIDE].most)
        return least; /* a sum in memory is stored more often where more of the filter is inside */
    return fmin(share * (1 + MOST_ABOVE), fmax(least, part));
}

/* Runs the grid, or a sample of it, and fills in the sums, the share and the error. */
static void block_sample_run(SimGpu *gpu, GridRun *run, int helpers)
{
    const Drawing drawing = drawing_new(&run->launch);
    run->strips = drawing.strips;
    if (run_strips(gpu, run, 0, drawing.certain, helpers)) {
        const SampleSums certain = sums_of(run);
        run->certain_bytes = stored_bytes(&run->launch.request->marked);
        const uint64_t left = run->launch.blocks - run->blocks_run;
        forget_strips(run);
        run->skips_certain = true;
        run_drawn(gpu, run, &drawing, helpers);
        if (run->blocks_run < left && run->blocks_run > 0) {
            run->sampled_share = 1 - (double)(left - run->blocks_run) / (double)run->launch.blocks;
            run->sample_error = error_of(run, drawing.count - drawing.certain);
            run->drawn_share = drawn_part(run, &drawing, (double)run->blocks_run / (double)left) * (double)left /
                               (double)run->launch.blocks;
            extrapolate(run, &certain, (double)left / (double)run->blocks_run);
        }
        free(certain.executed);
        free(certain.lines);
    }
    run->strips = NULL;
    free(drawing.strips);
}

/* ==== launch heap ================================================================================================= */

/* The stack of a kernel's threads, and the heap of device malloc(). */

/* The driver gives a kernel what its calls need, where that is known. */
static uint32_t launch_stack_bytes(const SimLaunch *request)
{
    uint32_t bytes = request->stack_bytes > 0 ? request->stack_bytes : SIM_STACK_BYTES;
    uint32_t least = request->function->code.least_stack;
    return bytes > least ? bytes : least;
}

/* Begins the heap, where the kernel uses it. All blocks that it will ever see are numbered one behind the other. */
static void launch_take_heap(SimGpu *gpu, const SimLaunch *request, Launch *launch)
{
    if (!request->function->code.uses_heap)
        return;
    memory_begin_heap(&gpu->memory, request->heap_bytes > 0 ? request->heap_bytes : SIM_HEAP_BYTES);
    uint32_t resident = cost_resident_blocks(&gpu->profile, &request->function->info, launch->threads,
                                             request->shape.dynamic_shared_bytes);
    launch->resident_blocks = (uint64_t)resident * gpu->profile.multiprocessors;
    launch->first_heap_block = gpu->heap_blocks;
    gpu->heap_blocks += launch->blocks + launch->resident_blocks;
}

/* ==== touched ===================================================================================================== */

/* Tells the user which memory a launch has touched (SimReport.touched). */

static void add(SimReport *report, SimTouched *list, const Touched *range, bool is_store)
{
    if (range->low < range->high)
        list[report->touched_count++] = (SimTouched){range->low, range->high - range->low, is_store};
}

/* `loaded` and `stored` have one range for each allocation. */
static void touched_report(SimGpu *gpu, const Touched *loaded, const Touched *stored, SimReport *report)
{
    free(gpu->touched);
    report->touched = gpu->touched = zeroed(2 * (size_t)gpu->memory.count, sizeof *gpu->touched);
    for (int i = 0; i < gpu->memory.count; i++) {
        add(report, gpu->touched, &loaded[i], false);
        add(report, gpu->touched, &stored[i], true);
    }
}

/* ==== launch ====================================================================================================== */

/* ---- limits ------------------------------------------------------------------------------------------------------ */

/* A kernel is not refused because of an estimated number of registers. */
bool launch_is_possible(const SimGpu *gpu, const SimLaunch *launch, SimReport *report)
{
    const SimFunction *function = launch->function;
    const LaunchLimits limits = launch_limits(&gpu->profile);
    const LaunchNeeds needs = function_needs(function);
    char *text = report->fault.text;
    if (launch_limits_check(&limits, &needs, &launch->shape, text, sizeof report->fault.text) != LAUNCH_FITS) {
        report->outcome = SIM_BAD_LAUNCH;
        return false;
    }
    if (function->lowered == STATUS_OK)
        return true;
    report->outcome = function->lowered == STATUS_BAD_INPUT ? SIM_BAD_CODE : SIM_UNSUPPORTED;
    snprintf(text, sizeof report->fault.text, "kernel %.80s: %.300s", function->plain_name, function->refusal.text);
    return false;
}

/* ---- unequal blocks ---------------------------------------------------------------------------------------------- */

static BlockWorks works_new(uint64_t blocks)
{
    enum { MOST_RUNS = 1 << 16 };
    const uint64_t length = (blocks - 1) / MOST_RUNS + 1, count = (blocks - 1) / length + 1;
    return (BlockWorks){.runs = zeroed(count, sizeof(RunOfBlocks)), .length = length, .count = count};
}

static int by_ticket(const void *a, const void *b)
{
    const WorkTaken *one = a, *other = b;
    return one->ticket != other->ticket ? (one->ticket > other->ticket) - (one->ticket < other->ticket)
                                        : (one->work > other->work) - (one->work < other->work);
}

/* The blocks' own work in their order, and behind it what they took, in the order of the tickets: whichever block of the
 * simulator took it, on hardware that block does whose place is free. Of blocks that did not run, it is assumed that they are
 * like those before them. */
static void find_works(const GridRun *run, BlockWork *each)
{
    const BlockWorks *works = &run->works;
    size_t known = 0;
    while (known < works->count && works->runs[known].blocks == 0)
        known++;
    for (size_t i = 0; i < works->count && known < works->count; i++) {
        known = works->runs[i].blocks > 0 ? i : known;
        const RunOfBlocks *like = &works->runs[known];
        const uint64_t first = i * works->length, rest = run->launch.blocks - first;
        const double blocks = (double)(rest < works->length ? rest : works->length);
        const double factor = blocks / (double)like->blocks;
        each[i] = (BlockWork){(double)like->work * factor, (double)like->accesses * factor, blocks};
    }
    if (works->taken_count > 0)
        qsort(works->taken, works->taken_count, sizeof *works->taken, by_ticket);
    for (size_t i = 0; i < works->taken_count; i++)
        each[works->count + i] = (BlockWork){(double)works->taken[i].work, (double)works->taken[i].accesses, 1};
}

/* Warps that wait for others do not show it by what they execute: a kernel in which they do may not seem to make room. */
static double staying_of(const GridRun *run)
{
    const uint64_t stayed = run->works.stayed, most = run->works.stayed_most;
    for (int i = 0; i < run->launch.code->block_count; i++)
        if (run->launch.code->blocks[i].waits)
            return 0;
    return most > 0 ? (double)stayed / (double)most : 0;
}

static BlockShares block_shares_of(const SimGpu *gpu, const SimLaunch *request, const GridRun *run)
{
    const size_t count = run->works.count + run->works.taken_count;
    const double staying = staying_of(run);
    const double together = cost_blocks_together(&gpu->profile, &request->function->info, &request->shape, staying);
    const uint64_t most = (uint64_t)(gpu->profile.multiprocessors * together);
    BlockWork *each = zeroed(count, sizeof *each);
    find_works(run, each);
    BlockShares shares = block_shares_find(each, count, gpu->profile.multiprocessors,
                                           run->launch.blocks < most ? run->launch.blocks : most);
    shares.staying = staying;
    if (request->requests != NULL)
        block_timeline_find(each, count, gpu->profile.multiprocessors,
                            run->launch.blocks < most ? run->launch.blocks : most, &request->requests->timeline);
    free(each);
    return shares;
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

/* Adds the counters that follow from how often each basic block ran. */
static void add_executed(const Code *code, GridRun *run)
{
    for (int i = 0; i < code->block_line_count; i++) {
        const BlockLine *part = &code->block_lines[i];
        counters_add_executed(&run->counters, part, &run->executed[part->block]);
    }
    if (run->lines != NULL)
        lines_add_executed(run->lines, code, run->executed);
}

static uint64_t sectors_of(const Touched *touched)
{
    if (touched->low > touched->high)
        return 0;
    return (touched->high + SECTOR_BYTES - 1) / SECTOR_BYTES - touched->low / SECTOR_BYTES;
}

/* Models what loads and stores mean for caches and memory. Must precede note_in_l2(), because reuse_of() takes data
 * that earlier kernels used as cached. */
static Reuse count_traffic(GridRun *run)
{
    const Memory *memory = run->launch.memory;
    Reuse reuse = reuse_of(&run->launch.traces, memory, run->launch.code->memory_count);
    reuse_check(&reuse, &run->launch.traces, &run->launch.drawn, memory, run->launch.code->memory_count);
    run->counters.missing_load_sectors = (uint64_t)(reuse.missing * (double)run->counters.global_load_sectors);
    for (int i = 0; i < memory->count; i++) {
        run->counters.unique_load_sectors += sectors_of(&run->loaded[i]);
        run->counters.unique_store_sectors += sectors_of(&run->stored[i]);
        if (memory->allocations[i].is_constant && run->loaded[i].low < run->loaded[i].high)
            run->counters.unique_constant_bytes += run->loaded[i].high - run->loaded[i].low;
    }
    return reuse;
}

static void note_written(GridRun *run)
{
    Memory *memory = run->launch.memory;
    for (int i = 0; i < memory->count; i++)
        memory->allocations[i].kernel_wrote |= run->stored[i].low <= run->stored[i].high;
}

static void keep_in_l2(Allocation *allocation, const Touched *touched, uint64_t l2_bytes)
{
    if (touched->low > touched->high)
        return;
    const bool is_next = touched->low <= allocation->l2_end && touched->high >= allocation->l2_low;
    const uint64_t low = touched->low < allocation->l2_low ? touched->low : allocation->l2_low;
    const uint64_t end = touched->high > allocation->l2_end ? touched->high : allocation->l2_end;
    const bool joins = is_next && end - low <= l2_bytes;
    allocation->l2_low = joins ? low : touched->low;
    allocation->l2_end = joins ? end : touched->high;
}

/* The next kernel of the call finds in the L2 what this one has used, if the L2 can hold it. What lies between the lowest
 * and the highest address counts as used only where the launch moved as much: two accesses bring no array. */
static void note_in_l2(GridRun *run, uint64_t l2_bytes)
{
    Memory *memory = run->launch.memory;
    const SimCounters *counters = &run->counters;
    const uint64_t loaded = counters->unique_load_sectors, stored = counters->unique_store_sectors;
    const uint64_t loads = counters->missing_load_sectors + counters->texture_sectors + counters->bulk_load_sectors;
    const uint64_t stores = counters->global_store_sectors + counters->bulk_store_sectors + counters->atomic_sectors;
    const bool fits = (loaded + stored) * SECTOR_BYTES <= l2_bytes;
    for (int i = 0; i < memory->count && fits; i++) {
        if (loads >= loaded)
            keep_in_l2(&memory->allocations[i], &run->loaded[i], l2_bytes);
        if (stores >= stored)
            keep_in_l2(&memory->allocations[i], &run->stored[i], l2_bytes);
    }
}

/* Which bytes a launch has written is known only if the sanitizer checked it. If not, all bytes of the allocations that
 * it stored into count as written. */
static void settle_written(GridRun *run, bool is_sanitized)
{
    for (int i = 0; i < run->launch.memory->count && !is_sanitized; i++)
        if (run->stored[i].low <= run->stored[i].high)
            validity_free(&run->launch.memory->allocations[i]);
}

static void report_findings(GridRun *run, SimReport *report)
{
    const Launch *launch = &run->launch;
    for (int i = 0; i < launch->memory->count; i++)
        if (run->stored[i].low < run->stored[i].high)
            block_races_find(launch, i, run->stored[i].low, run->stored[i].high, run->found);
    report->finding_count = raw_findings_report(launch, run->found, report->findings, &report->findings_more);
}

static SimMachineRatios machine_ratios(SimFunction *function, const Executed *executed, const LoadShare *loads,
                                       const CostInput *input)
{
    const Code *code = &function->code;
    MachineWork work;
    if (!function->machine_known)
        return (SimMachineRatios){0};
    uint64_t *warps = zeroed((size_t)code->block_count, sizeof *warps);
    for (int i = 0; i < code->block_count; i++)
        warps[i] = executed[i].warps;
    machine_code_wait(&function->machine, code, input->profile, loads, cost_local_share(input));
    machine_total(&function->machine, code, warps, &work);
    const MachineWork least = machine_least(code, warps);
    const bool is_plausible = machine_is_plausible(&function->machine, warps, &work, &least,
                                                   (double)input->counters->warp_instructions);
    slow_path_add(&work, input->counters->slow_path_instructions);
    free(warps);
    SimMachineRatios ratios = cost_machine_ratios(input, &work, function->machine.direct_bytes);
    ratios.is_doubtful = !is_plausible;
    return ratios;
}

static void model_time(const SimGpu *gpu, const SimLaunch *launch, const GridRun *run, const LoadShare *loads,
                       SimReport *report)
{
    CostInput input = {
        .profile = &gpu->profile,
        .function = &launch->function->info,
        .shape = launch->shape,
        .counters = &report->counters,
        .longest_warp_instructions = run->longest.instructions,
        .longest_warp_loads = run->longest.loads,
        .longest_warp_shared = run->longest.shared_loads,
        .longest_warp_constant = run->longest.constant_loads,
        .block_shares = block_shares_of(gpu, launch, run),
    };
    report->block_shares = input.block_shares;
    input.machine = report->machine = machine_ratios(launch->function, run->executed, loads, &input);
    Cost cost = cost_model(&input);
    report->modelled_s = cost.seconds;
    report->device_s = cost.device_s;
    report->occupancy = cost.occupancy;
    report->limiter = cost.limiter;
}

static void report_watched(const GridRun *run, SimReport *report)
{
    const Launch *launch = &run->launch;
    int target = memory_find(launch->memory, launch->request->watched_target);
    report->watched_store = target >= 0 && run->stored[target].low <= run->stored[target].high;
    if (run->first_watched == launch->code->instruction_count)
        return;
    const Instruction *instruction = &launch->code->instructions[run->first_watched];
    bool known = instruction->line > 0 && instruction->file > 0 && instruction->file < launch->file_count &&
                 launch->files[instruction->file] != NULL;
    const char *file = known ? launch->files[instruction->file] : "";
    const char *slash = strrchr(file, '/');
    int length = snprintf(report->watched_load, sizeof report->watched_load, "kernel %.80s", launch->function_name);
    if (!known)
        return;
    report->watched_file = file;
    report->watched_line = instruction->line;
    snprintf(report->watched_load + length, sizeof report->watched_load - (size_t)length, " (%.120s:%d)",
             slash != NULL ? slash + 1 : file, instruction->line);
}

/* ---- the launch -------------------------------------------------------------------------------------------------- */

static TraceSet new_traces(const SimGpu *gpu, const SimLaunch *request, const Launch *launch)
{
    uint32_t resident = cost_resident_blocks(&gpu->profile, &request->function->info, launch->threads,
                                             request->shape.dynamic_shared_bytes);
    uint64_t frames = (uint64_t)launch->threads * request->function->info.frame_bytes;
    return trace_set_new(&gpu->profile, launch->blocks, resident, launch->shared_bytes, frames);
}

static void prepare_run(SimGpu *gpu, const SimLaunch *request, const LaunchHow *how, GridRun *run)
{
    const SimFunction *function = request->function;
    const PtxModule *ptx = &function->module->ptx;
    uint32_t threads = (uint32_t)launch_block_threads(&request->shape);
    bool has_dynamic = request->shape.dynamic_shared_bytes > 0;
    *run = (GridRun){.launch = {.code = &function->code,
                                .memory = &gpu->memory,
                                .textures = &gpu->textures,
                                .request = request,
                                .function = &function->info,
                                .function_name = function->plain_name,
                                .files = ptx->files,
                                .file_count = ptx->file_count,
                                .threads = threads,
                                .warps = (threads + SIM_WARP_SIZE - 1) / SIM_WARP_SIZE,
                                .capacity = (threads + SIM_WARP_SIZE - 1) / SIM_WARP_SIZE * SIM_WARP_SIZE,
                                .shared_bytes = has_dynamic ? function->code.dynamic_shared_offset +
                                                                  request->shape.dynamic_shared_bytes
                                                            : function->code.shared_bytes,
                                .stack_bytes = launch_stack_bytes(request),
                                .parameter_bytes = function->info.parameter_bytes,
                                .profile = &gpu->profile,
                                .is_timed = !request->is_untimed || (request->flags & SIM_COUNT_LINES),
                                .is_cooperative = (request->flags & SIM_COOPERATIVE) != 0,
                                .workspace = cooperative_workspace(gpu, request),
                                .blocks = launch_block_count(&request->shape),
                                .watched_source = memory_find(&gpu->memory, request->watched_source),
                                .cancelled = &gpu->cancelled,
                                .output = &gpu->output,
                                .translator = gpu->translator,
                                .provenance = gpu->provenance,
                                .fault_block = UINT64_MAX},
                     .first_watched = function->code.instruction_count};
    launch_take_heap(gpu, request, &run->launch);
    if (gpu->translator_settings.compiler != NULL && !how->interprets &&
        !(request->flags & (SIM_COUNT_LINES | SIM_COOPERATIVE)) && !function->code.reads_clock &&
        gpu->provenance == NULL && function->code.procedure_count == 0 && gpu->memory.heap.bytes == 0)
        run->job = gpu->translator->find(&request->function->jobs, &gpu->translator_settings, &function->code,
                                         request->shape.block);
    if (run->launch.is_timed) {
        run->launch.traces = new_traces(gpu, request, &run->launch);
        run->launch.drawn = trace_set_drawn(&run->launch.traces, run->launch.blocks, request->sample_key);
    }
    const LaunchNeeds needs = function_needs(function);
    launch_cluster(&needs, &request->shape, run->launch.cluster);
    run->launch.cluster_blocks = run->launch.cluster[0] * run->launch.cluster[1] * run->launch.cluster[2];
    run->launch.is_explicit_cluster = request->shape.cluster[0] > 0 || needs.cluster[0] > 0;
    run->launch.clusters = run->launch.blocks / run->launch.cluster_blocks;
    pthread_mutex_init(&run->launch.fault_lock, NULL);
    pthread_mutex_init(&run->launch.bulk_lock, NULL);
    pthread_mutex_init(&run->lock, NULL);
    run->launch.sanitizer_plan = sanitizer_plan_new(&run->launch);
    bool is_checked = run->launch.sanitizer_plan != NULL && request->footprint == NULL;
    run->found = is_checked ? raw_findings_new(&function->code) : NULL;
    run->executed = zeroed((size_t)function->code.block_count, sizeof *run->executed);
    run->works = works_new(run->launch.blocks);
    run->loaded = zeroed((size_t)gpu->memory.count, sizeof *run->loaded);
    run->stored = zeroed((size_t)gpu->memory.count, sizeof *run->stored);
    for (int i = 0; i < gpu->memory.count; i++)
        run->loaded[i] = run->stored[i] = (Touched){.low = UINT64_MAX};
    if (request->flags & SIM_COUNT_LINES)
        run->launch.lines = run->lines = lines_new(&run->launch);
}

static void finish_run(GridRun *run)
{
    pthread_mutex_destroy(&run->launch.fault_lock);
    pthread_mutex_destroy(&run->launch.bulk_lock);
    pthread_mutex_destroy(&run->lock);
    sanitizer_plan_free(run->launch.sanitizer_plan);
    trace_set_free(&run->launch.traces);
    trace_set_free(&run->launch.drawn);
    free(run->found);
    free(run->executed);
    free(run->works.runs);
    free(run->works.taken);
    free(run->loaded);
    free(run->stored);
}

/* The lines are valid until the next launch. */
static void report_lines(SimGpu *gpu, GridRun *run, SimReport *report)
{
    if (run->lines == NULL)
        return;
    report->line_count = (size_t)run->lines->count;
    report->lines = gpu->lines = lines_take(run->lines);
}

static void describe_stop(const SimLaunch *launch, SimReport *report)
{
    const char *name = launch->function->plain_name;
    if (report->fault.text[0] != '\0')
        return;
    if (report->outcome == SIM_TIME_LIMIT)
        snprintf(report->fault.text, sizeof report->fault.text,
                 "kernel %.80s: executes more than %llu warp instructions, perhaps in an endless loop", name,
                 (unsigned long long)launch->warp_instructions);
    else if (report->outcome == SIM_CANCELLED)
        snprintf(report->fault.text, sizeof report->fault.text, "kernel %.80s: was cancelled", name);
}

static void run_blocks(SimGpu *gpu, GridRun *run, int helpers)
{
    run->sampled_share = 1;
    if (run->launch.is_cooperative)
        run_together(run);
    else if (block_sample_is_possible(run))
        block_sample_run(gpu, run, helpers);
    else
        run_whole(gpu, run, helpers);
}

/* Each warp executes one instruction at least, so that some grids need not be begun. */
static bool is_beyond_limit(const SimLaunch *launch)
{
    const double threads = (double)launch_block_threads(&launch->shape), warps = ceil(threads / SIM_WARP_SIZE);
    return launch->warp_instructions > 0 &&
           (double)launch_block_count(&launch->shape) * warps > (double)launch->warp_instructions;
}

void launch_run(SimGpu *gpu, const SimLaunch *launch, const LaunchHow *how, SimReport *report)
{
    *report = (SimReport){.outcome = SIM_OK};
    free(gpu->lines);
    gpu->lines = NULL;
    if (!launch_is_possible(gpu, launch, report) || !cooperative_check(gpu, launch, report))
        return;
    if (is_beyond_limit(launch)) {
        report->outcome = SIM_TIME_LIMIT;
        describe_stop(launch, report);
        return;
    }
    GridRun run;
    prepare_run(gpu, launch, how, &run);
    if (launch->requests != NULL)
        request_log_begin(launch->requests, &launch->function->code, &launch->shape);
    if (gpu->provenance != NULL)
        provenance_begin_launch(gpu->provenance);
    const bool is_alone = launch->function->code.uses_heap || gpu->provenance != NULL;
    run_blocks(gpu, &run, is_alone ? 0 : how->helpers);
    if (launch->requests != NULL)
        request_log_end(launch->requests, &launch->function->code, &run.launch.traces, &gpu->memory);
    atomic_store(&gpu->cancelled, 0);
    Reuse reuse = {0};
    if (run.launch.is_timed)
        reuse = count_traffic(&run);
    else
        run.counters = (SimCounters){0}; /* the engines have counted different things */
    add_executed(&launch->function->code, &run);
    note_written(&run);
    if (run.launch.is_timed)
        note_in_l2(&run, gpu->profile.l2_bytes);
    settle_written(&run, run.found != NULL && !run.launch.sanitizer_plan->is_sample);
    report_watched(&run, report);
    touched_report(gpu, run.loaded, run.stored, report);
    report_lines(gpu, &run, report);
    report->counters = run.counters;
    report->longest = run.longest;
    report->sampled_share = run.sampled_share;
    report->sample_error = run.sample_error;
    report->drawn_share = run.drawn_share;
    report->certain_bytes = run.certain_bytes;
    report->outcome = (SimOutcome)atomic_load(&run.launch.stop);
    if (run.launch.outcome != SIM_OK) {
        report->outcome = run.launch.outcome;
        report->fault = run.launch.fault;
    }
    if (report->outcome != SIM_OK)
        describe_stop(launch, report);
    else if (run.launch.is_timed)
        model_time(gpu, launch, &run, reuse.loads, report);
    else
        report->modelled_s = report->device_s = gpu->profile.launch_s;
    if (report->outcome == SIM_OK && run.found != NULL)
        report_findings(&run, report);
    reuse_free(&reuse);
    finish_run(&run);
}
