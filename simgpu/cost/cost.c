#include "simgpu/cost/cost.h"

#include "base/arena.h"
#include "simgpu/cost/launch_limits.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* ==== block queue ================================================================================================= */

/* A block that joins the others finds as many in the queue as there are on average without it. The derivative of each
 * quantity by the wait is computed beside it: both enter the time in proportion, so the wait's share of it is
 * wait * derivative / time (Euler's theorem on homogeneous functions). */
BlockQueue block_queue(double blocks, double work_s, double wait_s)
{
    const int customers = (int)blocks; /* with a part of a block, the rest would do less than all work */
    double service = work_s / customers, queued = 0, queued_change = 0, seconds = 0, change = 0;
    if (!(work_s + wait_s > 0))
        return (BlockQueue){0};
    for (int count = 1; count <= customers; count++) {
        double response = service * (1 + queued), response_change = service * queued_change;
        seconds = response + wait_s;
        change = response_change + 1;
        queued = count * response / seconds;
        queued_change = count * (response_change - response * change / seconds) / seconds;
    }
    return (BlockQueue){seconds, fmin(1, fmax(0, wait_s * change / seconds))};
}

/* ==== handed out ================================================================================================== */

typedef struct Place {
    double ends; /* its last block, in units of work */
    uint32_t number;
} Place;

static bool ends_before(const Place *a, const Place *b)
{
    return a->ends < b->ends || (a->ends == b->ends && a->number < b->number);
}

static Place *places_new(size_t count)
{
    Place *heap = zeroed(count, sizeof *heap);
    for (size_t i = 0; i < count; i++)
        heap[i].number = (uint32_t)i;
    return heap;
}

/* The first place of a heap has got a block and ends later. */
static void sift_down(Place *heap, size_t count)
{
    for (size_t at = 0, next = 1; next < count; at = next, next = 2 * at + 1) {
        next += next + 1 < count && ends_before(&heap[next + 1], &heap[next]);
        if (!ends_before(&heap[next], &heap[at]))
            return;
        const Place place = heap[at];
        heap[at] = heap[next];
        heap[next] = place;
    }
}

/* The place that gets a block of so much work, and in `ends`, when the block begins. */
static Place deal(Place *heap, size_t count, double work)
{
    const Place place = heap[0];
    heap[0].ends += work;
    sift_down(heap, count);
    return place;
}

static bool are_alike(const BlockWork *works, size_t count)
{
    const BlockWork *first = works;
    for (const BlockWork *other = works; other < works + count; other++)
        if (other->work * first->blocks != first->work * other->blocks ||
            other->accesses * first->blocks != first->accesses * other->blocks)
            return false;
    return true;
}

/* What one multiprocessor does. */
typedef struct Dealt {
    double work, accesses, squares; /* of the work of each block */
} Dealt;

static BlockShares shares_of(const Dealt *dealt, uint32_t multiprocessors, double together)
{
    double work = 0, accesses = 0, most_accesses = 0;
    const Dealt *busiest = dealt;
    for (const Dealt *one = dealt; one < dealt + multiprocessors; one++) {
        work += one->work;
        accesses += one->accesses;
        busiest = one->work > busiest->work ? one : busiest;
        most_accesses = fmax(most_accesses, one->accesses);
    }
    const double of_accesses = accesses > 0 ? most_accesses / accesses : 0;
    return (BlockShares){.share = fmax(busiest->work / work, of_accesses),
                         .together = fmin(together, floor(busiest->work * busiest->work / busiest->squares + 0.5))};
}

BlockShares block_shares_find(const BlockWork *works, size_t count, uint32_t multiprocessors, uint64_t places)
{
    if (are_alike(works, count))
        return (BlockShares){0};
    Dealt *dealt = zeroed(multiprocessors, sizeof *dealt);
    Place *heap = places_new(places);
    double longest = 0, last = 0;
    for (size_t i = 0; i < count; i++) {
        const Place place = deal(heap, places, works[i].work);
        Dealt *to = &dealt[place.number % multiprocessors];
        to->work += works[i].work;
        to->accesses += works[i].accesses;
        to->squares += works[i].work * works[i].work / works[i].blocks;
        longest = fmax(longest, works[i].work / works[i].blocks);
        last = fmax(last, place.ends + works[i].work);
    }
    BlockShares shares = {0};
    if (longest > 0) {
        shares = shares_of(dealt, multiprocessors, ceil((double)places / multiprocessors));
        shares.waves = last / longest;
    }
    free(dealt);
    free(heap);
    return shares;
}

static double last_end(const BlockWork *works, size_t count, uint64_t places)
{
    Place *heap = places_new(places);
    double last = 0;
    for (size_t i = 0; i < count; i++)
        last = fmax(last, deal(heap, places, works[i].work).ends + works[i].work);
    free(heap);
    return last;
}

/* A block on a place, from `start` to `end` in columns. */
static void draw_block(BlockTimeline *timeline, uint32_t multiprocessor, uint32_t wave, double start, double end)
{
    const uint32_t row = multiprocessor / timeline->step;
    const bool is_shown = multiprocessor % timeline->step == 0;
    for (int column = (int)start; column < TIMELINE_COLUMNS && column < end; column++) {
        const double middle = column + 0.5;
        timeline->together[column] += fmin(end, column + 1) - fmax(start, column);
        if (is_shown && start <= middle && middle < end)
            timeline->waves[row][column] = (uint16_t)fmin(UINT16_MAX, fmax(wave, timeline->waves[row][column]));
    }
}

void block_timeline_find(const BlockWork *works, size_t count, uint32_t multiprocessors, uint64_t places,
                         BlockTimeline *timeline)
{
    const double last = last_end(works, count, places), column = last / TIMELINE_COLUMNS;
    *timeline = (BlockTimeline){.step = (multiprocessors - 1) / TIMELINE_ROWS + 1, .places = (uint32_t)places};
    timeline->rows = (multiprocessors - 1) / timeline->step + 1;
    Place *heap = places_new(places);
    uint32_t *waves = zeroed(places, sizeof *waves);
    for (size_t i = 0; i < count && column > 0; i++) {
        const Place place = deal(heap, places, works[i].work);
        if (works[i].work <= 0)
            continue;
        waves[place.number]++;
        timeline->most_waves = waves[place.number] > timeline->most_waves ? waves[place.number] : timeline->most_waves;
        draw_block(timeline, place.number % multiprocessors, waves[place.number], place.ends / column,
                   (place.ends + works[i].work) / column);
    }
    free(waves);
    free(heap);
}

/* ==== combine ===================================================================================================== */

static const double UNITS_POWER = 4;

/* The terms of combine.h. */
typedef struct Terms {
    double units, wait, rest, others;
} Terms;

/* By which fraction of a small change of the units and of the latency the time changes. The time is in proportion to all
 * its parts together, so the fractions of all parts add up to 1 (Euler's theorem on homogeneous functions). */
typedef struct Combined {
    double seconds, units_weight, latency_weight;
} Combined;

/* (a^p + b^p)^(1/p), scaled so that no power leaves the range of a double. */
static double power_sum(double a, double b, double power)
{
    double largest = fmax(a, b);
    return largest > 0 ? largest * pow(pow(a / largest, power) + pow(b / largest, power), 1 / power) : 0;
}

/* The fraction of such a sum that a term stands for. */
static double share(double term, double sum, double power)
{
    return sum > 0 ? pow(term / sum, power) : 0;
}

static Terms terms_of(const CostPart *parts, int count, double power)
{
    Terms terms = {0};
    for (int i = 0; i < count; i++) {
        const CostPart *part = &parts[i];
        if (part->is_unit)
            terms.units = power_sum(terms.units, part->seconds, UNITS_POWER);
        else if (part->wait_s > 0) {
            terms.wait = fmin(part->wait_s, part->seconds);
            terms.rest = part->seconds - terms.wait;
        } else
            terms.others = power_sum(terms.others, part->seconds, power);
    }
    return terms;
}

static Combined combined(const Terms *terms, double blocks, double power)
{
    const BlockQueue queue = block_queue(blocks, terms->units, terms->wait);
    double busy = fmax(0, queue.seconds - terms->wait), after = power_sum(busy, terms->rest, power);
    double turn = terms->wait + after, seconds = power_sum(turn, terms->others, power);
    if (!(turn > 0))
        return (Combined){.seconds = seconds};
    double of_turn = share(turn, seconds, power), of_busy = of_turn * after / turn * share(busy, after, power);
    double of_units = busy > 0 ? of_busy * (1 - queue.wait_share) * queue.seconds / busy : 0;
    return (Combined){.seconds = seconds, .units_weight = of_units, .latency_weight = of_turn - of_units};
}

double combine_seconds(const CostPart *parts, int count, double blocks, const HardwareProfile *profile)
{
    const Terms terms = terms_of(parts, count, profile->combine_power);
    return combined(&terms, blocks, profile->combine_power).seconds;
}

void combine_weights(const CostPart *parts, int count, double blocks, const HardwareProfile *profile, double *weights)
{
    const Terms terms = terms_of(parts, count, profile->combine_power);
    const Combined all = combined(&terms, blocks, profile->combine_power);
    for (int i = 0; i < count; i++) {
        if (parts[i].is_unit)
            weights[i] = all.units_weight * share(parts[i].seconds, terms.units, UNITS_POWER);
        else if (parts[i].wait_s > 0)
            weights[i] = all.latency_weight;
        else
            weights[i] = share(parts[i].seconds, all.seconds, profile->combine_power);
    }
}

/* ==== cost ======================================================================================================== */

enum { SECTOR_BYTES = 32 };

static double ratio(double part, double count)
{
    return count > 0 ? part / count : 0;
}

/* ---- time -------------------------------------------------------------------------------------------------------- */

typedef struct CostShape {
    double blocks, warps;
    double most_blocks; /* of a multiprocessor */
    double share;       /* fraction of all work that the busiest multiprocessor does */
    double waves;       /* how many times a multiprocessor is filled with blocks */
    double warps_per_block, resident;
    double together; /* blocks on a multiprocessor at once: `resident`, or fewer in a small grid */
} CostShape;

static CostShape shape_of(const CostInput *input)
{
    const HardwareProfile *profile = input->profile;
    const uint32_t *grid = input->shape.grid, *block = input->shape.block;
    double threads = (double)block[0] * block[1] * block[2];
    uint32_t resident = threads > profile->max_threads_per_block
                            ? 0
                            : cost_resident_blocks(profile, input->function, (uint32_t)threads,
                                                   input->shape.dynamic_shared_bytes);
    const double most_together = cost_blocks_together(profile, input->function, &input->shape,
                                                      input->block_shares.staying);
    CostShape shape = {.blocks = fmax(1, (double)grid[0] * grid[1] * grid[2]),
                       .warps_per_block = fmax(1, ceil(threads / SIM_WARP_SIZE)),
                       .resident = fmax(1, resident)};
    shape.warps = shape.blocks * shape.warps_per_block;
    shape.most_blocks = ceil(shape.blocks / profile->multiprocessors);
    shape.share = shape.most_blocks / shape.blocks;
    shape.together = fmin(most_together, shape.most_blocks);
    shape.waves = ceil(shape.blocks / (profile->multiprocessors * most_together));
    if (input->block_shares.share > 0) {
        shape.share = input->block_shares.share;
        shape.together = input->block_shares.together;
        shape.waves = input->block_shares.waves;
    }
    return shape;
}

static double missing_sectors(const SimCounters *counters)
{
    return fmin((double)counters->missing_load_sectors, (double)counters->global_load_sectors);
}

/* A request takes one wavefront, or more if it accesses many sectors. */
static double wavefronts(const HardwareProfile *profile, double requests, double sectors)
{
    return requests + fmax(0, sectors - requests) / profile->sectors_per_wavefront;
}

/* The four texture units of a multiprocessor together take eight cycles for the texels of a warp: NVIDIA H100 Tensor Core GPU
 * Architecture, "H100 SM Architecture". From linear memory they take one for each sector, at least four, and find four sectors
 * beyond eight in a cycle: on an H200 a warp's tex1Dfetch() of 32 neighbours takes 5.05 cycles, of 32 sectors 13 to 16
 * (2026-11-28; simgpu/calibrate, touches, measures both). */
static double fetch_cycles(const SimCounters *counters)
{
    const double TEXELS = 8, LEAST = 4, TOGETHER = 4;
    double requests = (double)counters->texture_requests, linear = (double)counters->linear_requests;
    double sectors = requests > 0 ? (double)counters->texture_sectors / requests : 0, first = fmin(sectors, TEXELS);
    return (requests - linear) * TEXELS + linear * (fmax(LEAST, first) + (sectors - first) / TOGETHER);
}

/* The whole device shares one heap, which serves its callers one after the other. An H200 takes 12,600 cycles for a
 * single malloc(16), and 112 for each of 135,168 in a row; larger pieces take up to a hundred times as long there, which
 * no simple rule describes. Of free(), one costs next to nothing beside many. */
static double heap_cycles(const SimCounters *counters)
{
    const double single_cycles = 12600, cycles_in_a_row = 112;
    return counters->heap_allocations == 0 ? 0
                                           : fmax(single_cycles, cycles_in_a_row * (double)counters->heap_allocations);
}

/* Four loads of 4 bytes that ptxas merges into one of 16 take 2.18 cycles instead of 4.05 if all lanes read one
 * address: measured on an H200 (simgpu/calibrate, accesses). */
static double merged_wavefronts(const SimCounters *counters, const SimMachineRatios *machine)
{
    const double MOST_MERGED = 0.25; /* 4 bytes of 16 */
    const double saved = (1 - 2.18 / 4.05) /
                         (1 - MOST_MERGED); /* fraction of the wavefronts, for each request that is saved */
    return (double)counters->shared_load_wavefronts * (1 - saved * (1 - fmin(1, fmax(MOST_MERGED, machine->shared))));
}

/* Bank conflicts in the L1 can take longer than all sectors. */
static double load_wavefronts(const HardwareProfile *profile, const SimCounters *counters)
{
    return fmax((double)counters->global_load_wavefronts,
                wavefronts(profile, (double)counters->global_load_requests, (double)counters->global_load_sectors));
}

/* Accesses to local memory, and the sectors of these. PTX does not show those of spilled registers; ptxas may keep
 * small arrays in registers. */
typedef struct LocalTraffic {
    double requests, sectors;
} LocalTraffic;

static LocalTraffic local_traffic(const SimCounters *counters, const SimMachineRatios *machine)
{
    double instructions = (double)counters->warp_instructions;
    return (LocalTraffic){.requests = fmax((double)counters->local_requests, machine->local * instructions),
                          .sectors = fmax((double)counters->local_sectors, machine->local_sectors * instructions)};
}

/* Bulk copies need no registers, but their bytes pass the banks of shared memory, 128 in a cycle: CUDA C++ Programming
 * Guide, Compute Capabilities, "Shared Memory". */
static double bulk_wavefronts(const SimCounters *counters)
{
    const double SECTORS_OF_BANKS = 4;
    return ((double)counters->bulk_load_sectors + (double)counters->bulk_store_sectors +
            (double)counters->cluster_sectors) /
           SECTORS_OF_BANKS;
}

/* Accesses to global and local memory, which pass the L1. */
static double l1_wavefronts(const HardwareProfile *profile, const SimCounters *counters,
                            const SimMachineRatios *machine)
{
    const LocalTraffic local = local_traffic(counters, machine);
    return load_wavefronts(profile, counters) +
           wavefronts(profile, (double)counters->global_store_requests, (double)counters->global_store_sectors) +
           wavefronts(profile, local.requests, local.sectors);
}

/* Words of another block of the cluster, one for each lane of a warp, take a multiprocessor 4.24 cycles, beside its other
 * accesses: measured on an H200 (simgpu/calibrate, touches, "loads of one word from the next block"). */
static const double CLUSTER_CYCLES = 4.24 / 4; /* of 32 bytes */

/* A multiprocessor shuffles 32 lanes in a cycle, through the banks of shared memory: CUDA C++ Programming Guide 13.0, Arithmetic
 * Instructions, "warp shuffle". */
static double load_store_cycles(const HardwareProfile *profile, const SimCounters *counters,
                                const SimMachineRatios *machine)
{
    double count = merged_wavefronts(counters, machine) + (double)counters->shared_store_wavefronts +
                   l1_wavefronts(profile, counters, machine) + (double)counters->atomic_requests +
                   (double)counters->shared_atomic_wavefronts + (double)counters->shuffle_requests;
    return fmax((count + bulk_wavefronts(counters)) / profile->load_store_wavefronts,
                CLUSTER_CYCLES * (double)counters->cluster_sectors);
}

/* Fetches and loads from global memory pass the same L1, one after the other: of 2048 x 2048 outputs with 33 x 33 taps an H200
 * takes 9.3 cycles for a fetch and the load of a tap (tests/hardware, conv2d-same/texture_with_border), and 8.2 where the
 * tap is a constant (gaussian-blur/texture of the reference solutions). */
static double texture_cycles(const HardwareProfile *profile, const SimCounters *counters,
                             const SimMachineRatios *machine)
{
    return counters->texture_requests == 0
               ? 0
               : fetch_cycles(counters) + l1_wavefronts(profile, counters, machine) / profile->load_store_wavefronts;
}

/* wgmma reads its operands from shared memory while it multiplies, 128 bytes in a cycle: Luo et al., Dissecting the
 * NVIDIA Hopper Architecture through Microbenchmarking and Multiple Level Analysis (2025), throughput of wgmma by n. */
static double tensor_cycles(const HardwareProfile *profile, const SimCounters *counters)
{
    const double BYTES_OF_BANKS = 128;
    return (double)counters->tensor_bytes / profile->tensor_multiply_adds / 2 +
           fmax((double)counters->warpgroup_bytes / profile->warpgroup_multiply_adds / 2,
                (double)counters->warpgroup_operand_bytes / BYTES_OF_BANKS);
}

/* Includes loads through textures. */
static double loaded_sectors(const SimCounters *counters)
{
    return (double)counters->global_load_sectors + (double)counters->texture_sectors +
           (double)counters->bulk_load_sectors;
}

/* What stores cost the L2, in sectors that loads bring from it. Each line of a store takes about as long as a sector of
 * it: an H200 takes 8.4 ps for a sector of full lines, 10 where a line has two of them, and 13.7 where it has one
 * (simgpu/calibrate, touches, "store ... in the L2"), and 3.7 for a sector that is loaded (l2_bytes_per_s).
 *
 * The L1 merges what a warp stores one after the other into the same sectors, as where each thread has several
 * neighbouring outputs, but no more than the warp has stores, and no further than to full sectors. Of the sectors that
 * could be saved so, an H200 saves 82 to 100 % in six of the solutions with such stores, 58 % in two, 28 % in one, and
 * 13 % in one that loads between its stores. Where each lane has a sector of its own, it saves 39 to 60 % of those in full
 * lines: Nsight Compute's lts__t_sectors_srcunit_tex_op_write in tools/hardware/h200/counters.csv; and none where each
 * has a line of its own (touches). */
static const double OF_SECTOR = 6.6 / 3.7, OF_LINE = 7.1 / 3.7, SECTORS_OF_LINE = 4;

static double stored_sectors(const SimCounters *counters, double warps)
{
    const double MERGED = 0.8, MERGED_OF_OWN = 0.4, OWN = 30; /* sectors of a store */
    double sectors = (double)counters->global_store_sectors, requests = (double)counters->global_store_requests;
    if (!(sectors > 0))
        return 0;
    double lines = fmin(sectors, fmax((double)counters->global_store_lines, sectors / SECTORS_OF_LINE));
    double least = fmax((double)counters->global_store_bytes / SECTOR_BYTES, sectors / fmax(1, requests / warps));
    double apart = (lines / sectors * SECTORS_OF_LINE - 1) /
                   (SECTORS_OF_LINE - 1); /* 0: full lines; 1: a sector in each */
    double merged = (sectors > OWN * requests ? MERGED_OF_OWN * (1 - apart) : MERGED) * fmax(0, sectors - least);
    return (1 - merged / sectors) * (OF_SECTOR * sectors + OF_LINE * lines);
}

/* The L2 serves the loads that miss the L1, and of textures each sector once. Stores are written through. An atomic operation
 * sends the L2 as much as a store, and costs as much where its lines are full: 8.4 ps a sector. 17 million additions of a warp
 * to neighbours take an H200 858 us with all else, at most 12.7 ps a sector, of which loads that miss the L1 and memory take
 * a third (tests/hardware, depthwise-conv1d/scatter_with_atomics). */
static double l2_seconds(const CostInput *input, const CostShape *shape, double local_sectors)
{
    const double OF_ATOMIC = OF_SECTOR + OF_LINE / SECTORS_OF_LINE;
    const HardwareProfile *profile = input->profile;
    const SimCounters *counters = input->counters;
    double textures = fmin((double)counters->texture_sectors, (double)counters->unique_load_sectors);
    double loads = missing_sectors(counters) + textures + (double)counters->bulk_load_sectors;
    double stores = stored_sectors(counters, shape->warps) + OF_ATOMIC * (double)counters->atomic_sectors +
                    (double)counters->bulk_store_sectors;
    return (loads + stores + local_sectors) * SECTOR_BYTES / profile->l2_bytes_per_s;
}

/* ---- local memory ------------------------------------------------------------------------------------------------ */

/* The part of `bytes` that a cache cannot hold. All of them are accessed over and over. */
static double overflow_of(double bytes, double cache_bytes)
{
    return bytes > cache_bytes ? 1 - cache_bytes / bytes : 0;
}

/* Local memory is cached by the L1 and the L2; a frame's bytes of all threads that run together must fit. */
static LoadShare local_share(const CostInput *input, const CostShape *shape)
{
    double threads = shape->together * shape->warps_per_block * SIM_WARP_SIZE;
    double shared = shape->together *
                    ((double)input->function->static_shared_bytes + input->shape.dynamic_shared_bytes);
    double frames = threads * input->function->frame_bytes, cache = fmax(0, (double)input->profile->l1_bytes - shared);
    double all_frames = frames * fmin(shape->blocks, input->profile->multiprocessors);
    double missing = overflow_of(frames, cache), memory = missing * overflow_of(all_frames, input->profile->l2_bytes);
    return (LoadShare){.l2 = missing - memory, .memory = memory};
}

LoadShare cost_local_share(const CostInput *input)
{
    const CostShape shape = shape_of(input);
    return local_share(input, &shape);
}

/* ---- global memory ----------------------------------------------------------------------------------------------- */

/* Assumes that the L2 holds all data that is read again, since a convolution streams its arrays once. */
static double dram_seconds(const CostInput *input, double local_sectors)
{
    const HardwareProfile *profile = input->profile;
    const SimCounters *counters = input->counters;
    double loads = fmin(loaded_sectors(counters), (double)counters->unique_load_sectors);
    double stores = fmin((double)counters->global_store_sectors + (double)counters->bulk_store_sectors,
                         (double)counters->unique_store_sectors);
    return loads * SECTOR_BYTES / profile->dram_read_bytes_per_s +
           (stores + local_sectors) * SECTOR_BYTES / profile->dram_copy_bytes_per_s;
}

/* ---- the work of ptxas --------------------------------------------------------------------------------------- */

/* Ratios for unknown machine code: as if PTX itself ran. Where there is machine code but it could not be read, it must
 * not pay to make it so: of all kernels that were compared with an H200, the worst executes three times the instructions
 * of its PTX (lab/measurements.md). */
enum { MOST_OF_ONE = 3 };

static SimMachineRatios plain_machine(const CostInput *input)
{
    bool uniform = input->function->uniform_constant_loads;
    double instructions = input->function->has_unknown_code || input->machine.is_doubtful ? MOST_OF_ONE : 1;
    return (SimMachineRatios){.issue = instructions,
                              .fma = 1,
                              .alu = instructions,
                              .special = 1,
                              .shared = 1,
                              .constant = uniform ? 0 : 1,
                              .uniform = uniform ? 1 : 0,
                              .waiting = instructions};
}

static SimMachineRatios machine_of(const CostInput *input)
{
    const SimMachineRatios plain = plain_machine(input);
    SimMachineRatios machine = input->machine;
    if (!(machine.issue > 0))
        return plain;
    if (machine.is_doubtful) {
        machine.issue = fmax(machine.issue, plain.issue);
        machine.fma = fmax(machine.fma, plain.fma);
        machine.alu = fmax(machine.alu, plain.alu);
        machine.special = fmax(machine.special, plain.special);
        machine.shared = fmax(machine.shared, plain.shared);
        machine.waiting = fmax(machine.waiting, plain.waiting);
    }
    return machine;
}

/* ---- constants --------------------------------------------------------------------------------------------------- */

/* Loads of __constant__ arrays nearly always hit, except for two kinds with small caches.
 *
 * If the compiler sees that all lanes read the same address, it loads through the uniform datapath (ULDC). Blocks that
 * read different places of a long array at the same time evict each other's lines. The longer the array and the more
 * warps there are, the further the blocks drift apart. Only the block in front never misses. The formula was fitted to
 * loops over 244 to 16380 bytes, with one to 16 blocks of 128 to 1024 threads on a multiprocessor
 * (simgpu/calibrate). Blocks are apart by a time, that of their starts and of what they waited for; so where each
 * element is used for more instructions than in these loops, they are fewer elements apart. */
static double uniform_reach_bytes(const HardwareProfile *profile, const CostShape *shape)
{
    enum { LAST = PROFILE_REACHES - 1 };
    double place = fmin(log2(shape->together) - 1, LAST); /* 2, 4, 8 ... blocks */
    int below = (int)fmin(floor(place), LAST - 1);
    const double *reach = &profile->uniform_reach_bytes[below];
    double full = (double)profile->max_threads_per_multiprocessor / SIM_WARP_SIZE;
    return reach[0] * pow(reach[1] / reach[0], place - below) * full / (shape->together * shape->warps_per_block);
}

/* How much longer a warp works with an element than in these loops, which have a multiply-add for each: by its
 * instructions, but not by those that have nothing to do with the filter. */
static double work_of_element(const SimCounters *counters, const SimMachineRatios *machine)
{
    const double LOOP_INSTRUCTIONS = 3.75; /* of each element; half a load is one of them */
    double elements = (double)counters->constant_requests;
    double instructions = ratio(machine->issue * (double)counters->warp_instructions, elements);
    double multiply_adds = ratio((double)counters->fma32 / SIM_WARP_SIZE, elements);
    return fmax(1, fmin(instructions / LOOP_INSTRUCTIONS, multiply_adds));
}

static double uniform_miss_share(const CostInput *input, const SimMachineRatios *machine, const CostShape *shape)
{
    if (!input->function->uniform_constant_loads || shape->together < 2)
        return 0;
    double read = fmin((double)input->counters->unique_constant_bytes, 4 * (double)input->longest_warp_constant);
    double reach = uniform_reach_bytes(input->profile, shape) * work_of_element(input->counters, machine);
    double spread = pow(read / reach, 3);
    return (1 - 1 / shape->most_blocks) * spread / (1 + spread);
}

/* If a loop over an array is completely unrolled, its elements become operands. Elements beyond the size of the cache
 * then miss in each iteration of the loop around it. */
static double direct_miss_share(const CostInput *input, uint32_t direct_bytes)
{
    double bytes = fmin(direct_bytes, (double)input->counters->unique_constant_bytes);
    double missing = 1 - input->profile->constant_cache_bytes / fmax(1, bytes);
    return fmax(0, missing);
}

/* The constant cache serves different addresses of a warp one after the other. Where it holds the array each takes as long as a
 * load (simgpu/calibrate, constants). Of a longer array lines are missing: in depthwise-conv1d/constant_memory, with 64 KiB, an
 * H200 takes 2.5 to 6.1 cycles for an address, 8 more for each line of 64 bytes that has been evicted. Which ones these
 * are is not counted, so the three cases share one figure. */
static double replay_cost(const CostInput *input)
{
    const double OF_HIT = 0.97, OF_LONG_ARRAY = 2.07;
    const double bytes = (double)input->counters->unique_constant_bytes;
    return OF_HIT + (OF_LONG_ARRAY - OF_HIT) * overflow_of(bytes, input->profile->constant_cache_bytes);
}

static double constant_cycles(const CostInput *input, const SimMachineRatios *machine, const CostShape *shape)
{
    const HardwareProfile *profile = input->profile;
    double requests = (double)input->counters->constant_requests;
    double direct = machine->direct * (double)input->counters->warp_instructions;
    double through_uniform = ratio(machine->uniform, machine->uniform + machine->constant);
    double misses = requests *
                        fmax(through_uniform * uniform_miss_share(input, machine, shape), machine->uniform_misses) +
                    direct * direct_miss_share(input, machine->direct_bytes);
    return (requests * machine->constant + replay_cost(input) * (double)input->counters->constant_replays) /
               profile->constant_loads +
           requests * machine->uniform / profile->uniform_loads + misses * profile->constant_miss_s * profile->clock_hz;
}

/* ---- waiting ----------------------------------------------------------------------------------------------------- */

/* The time of the longest warp alone according to PTX, where each instruction waits for the one before. The first
 * global load comes from memory, later ones from the L1, or from the L2 if they miss. */
static double plain_chain_seconds(const CostInput *input, const CostShape *shape)
{
    const HardwareProfile *profile = input->profile;
    double first = input->longest_warp_loads > 0 ? 1 : 0, later = (double)input->longest_warp_loads - first;
    double missing = fmin(later, missing_sectors(input->counters) / shape->warps);
    return (double)input->longest_warp_instructions * profile->arithmetic_latency_s +
           first * profile->global_latency_s + missing * profile->l2_latency_s +
           (later - missing) * profile->l1_latency_s + (double)input->longest_warp_shared * profile->shared_latency_s +
           (double)input->longest_warp_constant * profile->constant_latency_s;
}

/* The time of the longest warp alone according to the machine code. */
static double machine_chain_seconds(const CostInput *input, const MachineWork *work, uint32_t direct_bytes,
                                    const CostShape *shape)
{
    const HardwareProfile *profile = input->profile;
    double constants = work->direct * direct_miss_share(input, direct_bytes) * profile->constant_miss_s *
                       profile->clock_hz;
    double average = (double)input->counters->warp_instructions / shape->warps;
    double longest = ratio((double)input->longest_warp_instructions, average);
    return (work->cycles + constants) / shape->warps * longest / profile->clock_hz;
}

/* The blocks of one wave hide each other's latencies; the waves follow one another. */
static double latency_seconds(const CostInput *input, const SimMachineRatios *machine, const CostShape *shape)
{
    return plain_chain_seconds(input, shape) * machine->waiting * shape->waves;
}

/* All warps of a block wait for memory together when it begins, and for each other when it ends. */
static double wait_seconds(const CostInput *input, const CostShape *shape)
{
    const HardwareProfile *profile = input->profile;
    return input->longest_warp_loads == 0 ? 0 : profile->block_waits * profile->global_latency_s * shape->waves;
}

SimMachineRatios cost_machine_ratios(const CostInput *input, const MachineWork *work, uint32_t direct_bytes)
{
    const SimCounters *counters = input->counters;
    CostShape shape = shape_of(input);
    double warp_instructions = (double)counters->warp_instructions, requests = (double)counters->constant_requests;
    return (SimMachineRatios){
        .issue = ratio(work->issue, warp_instructions),
        .fma = ratio((work->fma - work->multiply) * SIM_WARP_SIZE, (double)counters->fp32),
        .alu = ratio(work->alu * SIM_WARP_SIZE, (double)counters->integer),
        .multiply = ratio(work->multiply * SIM_WARP_SIZE, (double)counters->integer),
        .special = ratio(work->special * SIM_WARP_SIZE, (double)counters->special),
        .shared = ratio(work->shared, (double)counters->shared_load_requests),
        .local = ratio(work->local, warp_instructions),
        .local_sectors = ratio(work->local_bytes * SIM_WARP_SIZE / SECTOR_BYTES, warp_instructions),
        .constant = ratio(work->constant, requests),
        .uniform = ratio(work->uniform, requests),
        .uniform_misses = ratio(work->uniform_misses, requests),
        .direct = ratio(work->direct, warp_instructions),
        .direct_bytes = direct_bytes,
        .waiting = ratio(machine_chain_seconds(input, work, direct_bytes, &shape), plain_chain_seconds(input, &shape)),
    };
}

/* ---- floors ------------------------------------------------------------------------------------------------------ */

/* Instructions of warps that ptxas can neither leave out nor merge, except for loads from shared memory, of which it can
 * merge four. */
typedef struct Certain {
    double multiply_adds, accesses;
} Certain;

static Certain certain_instructions(const SimCounters *counters)
{
    enum { MOST_MERGED_LOADS = 4 };
    return (Certain){.multiply_adds = (double)(counters->fma32 + counters->fma64) / SIM_WARP_SIZE,
                     .accesses = (double)(counters->global_load_requests + counters->global_store_requests +
                                          counters->shared_store_requests + counters->atomic_requests) +
                                 (double)counters->shared_load_requests / MOST_MERGED_LOADS};
}

/* No part is below what was executed at the peak rate of its unit, whatever the machine code seems to say. `name` is
 * that of the part. */
static double floor_of(const CostInput *input, const CostShape *shape, const char *name)
{
    const HardwareProfile *profile = input->profile;
    const SimCounters *counters = input->counters;
    const Certain certain = certain_instructions(counters);
    double s_per_cycle = shape->share / profile->clock_hz, instructions = certain.multiply_adds + certain.accesses;
    if (strcmp(name, "issue") == 0)
        return instructions / profile->warp_schedulers * s_per_cycle;
    if (strcmp(name, "fma") == 0)
        return (double)counters->fma32 / profile->fp32_lanes * s_per_cycle;
    if (strcmp(name, "lsu") == 0)
        return certain.accesses / profile->load_store_wavefronts * s_per_cycle;
    if (strcmp(name, "l2") == 0)
        return fmin((double)counters->global_load_sectors + (double)counters->bulk_load_sectors,
                    (double)counters->unique_load_sectors) *
               SECTOR_BYTES / profile->l2_bytes_per_s;
    if (strcmp(name, "latency") == 0)
        return instructions / shape->warps * shape->waves / profile->clock_hz +
               (counters->global_load_requests > 0 ? profile->l1_latency_s : 0);
    return 0; /* the others are their counts over the peak rate */
}

/* ---- parts ------------------------------------------------------------------------------------------------------- */

enum { PART_COUNT = 14 };
_Static_assert((int)PART_COUNT <= (int)COST_MAX_PARTS, "a Cost has room for all parts");

static void find_parts(const CostInput *input, const CostShape *shape, CostPart parts[PART_COUNT])
{
    const HardwareProfile *profile = input->profile;
    const SimCounters *counters = input->counters;
    const SimMachineRatios machine = machine_of(input);
    double s_per_cycle = shape->share /
                         profile->clock_hz; /* seconds for a cycle of work that all multiprocessors share */
    double multiply = machine.multiply * (double)counters->integer;
    const LoadShare local = local_share(input, shape);
    double local_sectors = local_traffic(counters, &machine).sectors;
    const struct {
        const char *name;
        double seconds;
        bool is_unit;
    } found[PART_COUNT] = {
        {"issue", machine.issue * (double)counters->warp_instructions / profile->warp_schedulers * s_per_cycle, true},
        {"fma", fmax(machine.fma * (double)counters->fp32 + multiply, 2 * multiply) / profile->fp32_lanes * s_per_cycle,
         true},
        {"fp64", (double)counters->fp64 / profile->fp64_lanes * s_per_cycle, true},
        {"integer", machine.alu * (double)counters->integer / profile->integer_lanes * s_per_cycle, true},
        {"tensor", tensor_cycles(profile, counters) * s_per_cycle, true},
        {"special", machine.special * (double)counters->special / profile->special_lanes * s_per_cycle, true},
        {"lsu", load_store_cycles(profile, counters, &machine) * s_per_cycle, true},
        {"texture", texture_cycles(profile, counters, &machine) * s_per_cycle, true},
        {"heap", heap_cycles(counters) / profile->clock_hz, false},
        {"l2", l2_seconds(input, shape, local_sectors * (local.l2 + local.memory)), false},
        {"dram", dram_seconds(input, local_sectors * local.memory), false},
        {"constant", constant_cycles(input, &machine, shape) * s_per_cycle, true},
        {"latency", latency_seconds(input, &machine, shape), false},
        {"blocks", shape->most_blocks * profile->block_start_s, true},
    };
    for (int i = 0; i < PART_COUNT; i++)
        parts[i] = (CostPart){.name = found[i].name,
                              .seconds = fmax(found[i].seconds, floor_of(input, shape, found[i].name)),
                              .is_unit = found[i].is_unit,
                              .wait_s = strcmp(found[i].name, "latency") == 0 ? wait_seconds(input, shape) : 0};
}

/* Kernels that run side by side share the units, the memory and the places for blocks: none of them is done before the device
 * has found the time for the work of all. Launches are taken one by one, 16 empty ones in 24.1 us (simgpu/calibrate, overheads):
 * 0.62 of the time by which each lengthens a row of kernels. So eight kernels of 132 blocks of 256 threads take 46 us on four
 * streams, where an H200 takes 49, and eight of 1,056 blocks 346, where it takes 325 (streams). */
static double device_seconds(const CostInput *input, const CostShape *shape, const CostPart *parts, double seconds)
{
    const double LAUNCH_TAKEN = 0.62;
    /* what a multiprocessor does on average, of what the busiest one does */
    const double average = 1 / (shape->share * input->profile->multiprocessors);
    double busy = seconds * average * fmin(1, shape->together / shape->resident);
    for (int i = 0; i < PART_COUNT; i++)
        if (strcmp(parts[i].name, "latency") != 0)
            busy = fmax(busy, parts[i].seconds * (parts[i].is_unit ? average : 1));
    return LAUNCH_TAKEN * input->profile->launch_s + fmin(busy, seconds);
}

Cost cost_model(const CostInput *input)
{
    const HardwareProfile *profile = input->profile;
    CostShape shape = shape_of(input);
    CostPart parts[PART_COUNT];
    find_parts(input, &shape, parts);
    const CostPart *largest = parts;
    for (int i = 1; i < PART_COUNT; i++)
        if (parts[i].seconds > largest->seconds)
            largest = &parts[i];
    double most_warps = (double)profile->max_threads_per_multiprocessor / SIM_WARP_SIZE;
    const double seconds = combine_seconds(parts, PART_COUNT, shape.together, profile);
    Cost cost = {.seconds = profile->launch_s + seconds,
                 .device_s = device_seconds(input, &shape, parts, seconds),
                 .occupancy = fmin(1, shape.resident * shape.warps_per_block / most_warps),
                 .limiter = largest->seconds > profile->launch_s ? largest->name : "launch",
                 .part_count = PART_COUNT,
                 .blocks_together = shape.together};
    memcpy(cost.parts, parts, sizeof parts);
    return cost;
}

/* ==== cost shares ================================================================================================= */

static double part_of(uint64_t count, uint64_t part, uint64_t whole)
{
    return whole == 0 ? 0 : (double)count * (double)part / (double)whole;
}

/* The cost of the kernel if it had only this line. Quantities without a line (footprint, longest warp) are divided in
 * proportion to the counters that cause them. */
static Cost cost_of_line(const CostInput *kernel, const SimLine *line)
{
    const SimCounters *all = kernel->counters, *own = &line->counters;
    SimCounters counters = *own;
    CostInput input = *kernel;
    counters.unique_load_sectors = (uint64_t)part_of(all->unique_load_sectors, own->global_load_sectors,
                                                     all->global_load_sectors);
    counters.unique_store_sectors = (uint64_t)part_of(all->unique_store_sectors, own->global_store_sectors,
                                                      all->global_store_sectors);
    counters.missing_load_sectors = (uint64_t)part_of(all->missing_load_sectors, own->global_load_sectors,
                                                      all->global_load_sectors);
    counters.unique_constant_bytes = all->unique_constant_bytes;
    input.counters = &counters;
    input.longest_warp_instructions = (uint64_t)part_of(kernel->longest_warp_instructions, own->warp_instructions,
                                                        all->warp_instructions);
    input.longest_warp_loads = (uint64_t)part_of(kernel->longest_warp_loads,
                                                 own->global_load_requests + own->local_requests,
                                                 all->global_load_requests + all->local_requests);
    input.longest_warp_shared = (uint64_t)part_of(kernel->longest_warp_shared, own->shared_load_requests,
                                                  all->shared_load_requests);
    input.longest_warp_constant = (uint64_t)part_of(kernel->longest_warp_constant, own->constant_requests,
                                                    all->constant_requests);
    return cost_model(&input);
}

/* Divides the share of one part among the lines, in proportion to the time of each beyond that of an empty kernel. */
static void divide_part(int part, double share, const Cost *empty, const Cost *costs, size_t count, double *shares)
{
    double nothing = empty->parts[part].seconds, sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += fmax(0, costs[i].parts[part].seconds - nothing);
    for (size_t i = 0; i < count && sum > 0; i++)
        shares[i] += share * fmax(0, costs[i].parts[part].seconds - nothing) / sum;
}

void cost_shares(const CostInput *input, const SimLine *lines, size_t count, double *shares)
{
    Cost *costs = zeroed(count, sizeof *costs);
    const Cost whole = cost_model(input), empty = cost_of_line(input, &(SimLine){.line = 0});
    double weights[COST_MAX_PARTS], in_parts = 1 - input->profile->launch_s / whole.seconds;
    combine_weights(whole.parts, whole.part_count, whole.blocks_together, input->profile, weights);
    for (size_t i = 0; i < count; i++) {
        shares[i] = 0;
        costs[i] = cost_of_line(input, &lines[i]);
    }
    for (int part = 0; part < whole.part_count; part++)
        divide_part(part, in_parts * weights[part], &empty, costs, count, shares);
    free(costs);
}

/* ==== cost resident blocks ======================================================================================== */

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint64_t round_up(uint64_t value, uint64_t unit)
{
    return (value + unit - 1) / unit * unit;
}

/* Registers are allocated per warp, and each scheduler has its own share of them: cuda_occupancy.h of CUDA 13.0,
 * cudaOccMaxBlocksPerSMRegsLimit(). */
static uint32_t blocks_by_registers(const HardwareProfile *profile, uint32_t registers, uint32_t warps)
{
    if (registers == 0)
        return profile->max_blocks_per_multiprocessor;
    if (registers > profile->max_registers_per_thread)
        return 0;
    uint64_t per_warp = launch_warp_registers(registers, profile->register_allocation_unit);
    uint32_t schedulers = (uint32_t)profile->warp_schedulers;
    uint64_t warps_that_fit = profile->registers_per_multiprocessor / schedulers / per_warp * schedulers;
    return (uint32_t)(warps_that_fit / warps);
}

static uint32_t blocks_by_shared(const HardwareProfile *profile, uint64_t bytes)
{
    enum { SHARED_ALLOCATION_UNIT = 128 }; /* CUDA Occupancy Calculator, compute capability 9.0 */
    if (bytes > profile->shared_bytes_per_block_optin)
        return 0;
    uint64_t block_bytes = round_up(bytes + profile->shared_reserved_bytes_per_block, SHARED_ALLOCATION_UNIT);
    return block_bytes == 0 ? UINT32_MAX : (uint32_t)(profile->shared_bytes_per_multiprocessor / block_bytes);
}

uint32_t cost_resident_blocks(const HardwareProfile *profile, const SimFunctionInfo *function, uint32_t block_threads,
                              uint32_t dynamic_shared_bytes)
{
    if (block_threads == 0 || block_threads > profile->max_threads_per_block)
        return 0;
    uint32_t warps = (block_threads + SIM_WARP_SIZE - 1) / SIM_WARP_SIZE;
    uint32_t blocks = profile->max_threads_per_multiprocessor / SIM_WARP_SIZE / warps;
    blocks = smaller(blocks, profile->max_blocks_per_multiprocessor);
    uint32_t fitting = blocks_by_registers(profile, function->registers, warps);
    blocks = smaller(blocks, function->registers_estimated && fitting == 0 ? 1 : fitting);
    return smaller(blocks, blocks_by_shared(profile, (uint64_t)function->static_shared_bytes + dynamic_shared_bytes));
}

double cost_blocks_together(const HardwareProfile *profile, const SimFunctionInfo *function, const LaunchShape *shape,
                            double staying)
{
    const double threads = (double)shape->block[0] * shape->block[1] * shape->block[2];
    if (threads > profile->max_threads_per_block)
        return 1;
    const double warps = ceil(threads / SIM_WARP_SIZE), stay = staying > 0 ? fmax(1, warps * staying) : warps;
    const uint32_t whole = cost_resident_blocks(profile, function, (uint32_t)threads, shape->dynamic_shared_bytes);
    const uint32_t most = cost_resident_blocks(profile, function, (uint32_t)ceil(stay) * SIM_WARP_SIZE,
                                               shape->dynamic_shared_bytes);
    return fmax(1, fmin(most, (whole * warps - warps) / stay + 1));
}
