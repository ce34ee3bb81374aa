#include "simgpu/cost.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum { SECTOR_BYTES = 32 };

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint64_t round_up(uint64_t value, uint64_t unit)
{
    return (value + unit - 1) / unit * unit;
}

/* ---- occupancy --------------------------------------------------------------------------------------------------- */

/* Registers are handed out to warps, and each scheduler has its own share of them: CUDA Occupancy Calculator, "Limited
 * by registers". */
static uint32_t blocks_by_registers(const SimProfile *profile, uint32_t registers, uint32_t warps)
{
    if (registers == 0)
        return profile->max_blocks_per_multiprocessor;
    if (registers > profile->max_registers_per_thread)
        return 0;
    uint64_t per_warp = round_up((uint64_t)registers * SIM_WARP_SIZE, profile->register_allocation_unit);
    uint32_t schedulers = (uint32_t)profile->warp_schedulers;
    uint64_t warps_that_fit = profile->registers_per_multiprocessor / schedulers / per_warp * schedulers;
    return (uint32_t)(warps_that_fit / warps);
}

static uint32_t blocks_by_shared(const SimProfile *profile, uint64_t bytes)
{
    enum { SHARED_ALLOCATION_UNIT = 128 }; /* CUDA Occupancy Calculator, compute capability 9.0 */
    if (bytes > profile->shared_bytes_per_block_optin)
        return 0;
    uint64_t block_bytes = round_up(bytes + profile->shared_reserved_bytes_per_block, SHARED_ALLOCATION_UNIT);
    return block_bytes == 0 ? UINT32_MAX : (uint32_t)(profile->shared_bytes_per_multiprocessor / block_bytes);
}

uint32_t cost_resident_blocks(const SimProfile *profile, const SimFunctionInfo *function, uint32_t block_threads,
                              uint32_t dynamic_shared_bytes)
{
    if (block_threads == 0 || block_threads > profile->max_threads_per_block)
        return 0;
    uint32_t warps = (block_threads + SIM_WARP_SIZE - 1) / SIM_WARP_SIZE;
    uint32_t blocks = profile->max_threads_per_multiprocessor / SIM_WARP_SIZE / warps;
    blocks = smaller(blocks, profile->max_blocks_per_multiprocessor);
    blocks = smaller(blocks, blocks_by_registers(profile, function->registers, warps));
    return smaller(blocks, blocks_by_shared(profile, (uint64_t)function->static_shared_bytes + dynamic_shared_bytes));
}

/* ---- time -------------------------------------------------------------------------------------------------------- */

typedef struct Shape {
    double blocks;
    double busy;     /* multiprocessors that have a block */
    double waves;    /* how often a multiprocessor fills up with blocks */
    double warps_per_block, resident;
} Shape;

static Shape shape_of(const CostInput *input)
{
    const SimProfile *profile = input->profile;
    double threads = (double)input->block[0] * input->block[1] * input->block[2];
    uint32_t resident = threads > profile->max_threads_per_block
        ? 0 : cost_resident_blocks(profile, input->function, (uint32_t)threads, input->dynamic_shared_bytes);
    Shape shape = {.blocks = fmax(1, (double)input->grid[0] * input->grid[1] * input->grid[2]),
                   .warps_per_block = ceil(threads / SIM_WARP_SIZE),
                   .resident = fmax(1, resident)};
    shape.busy = fmin(shape.blocks, profile->multiprocessors);
    shape.waves = ceil(shape.blocks / (profile->multiprocessors * shape.resident));
    return shape;
}

/* The share of sectors that the L1 cache is taken not to hold when they are read again. A sector whose 32 bytes are not
 * all asked for by the warp that fetches it has left the small L1 before the rest is asked for, when many warps do the
 * same; but one sector a request may be cut by the start of the row, and its rest belongs to a neighbour who comes
 * soon. A broadcast or a coalesced access wastes nothing. No cache is simulated. */
static double l1_miss_share(const SimCounters *counters)
{
    double fetched = (double)counters->global_load_sectors;
    double used = (double)counters->global_load_bytes / SECTOR_BYTES + (double)counters->global_load_requests;
    return fetched > used ? 1 - used / fetched : 0;
}

/* A request takes one wavefront, and more where it touches many sectors. */
static double wavefronts(const SimProfile *profile, uint64_t requests, uint64_t sectors)
{
    double further = sectors > requests ? (double)(sectors - requests) : 0;
    return (double)requests + further / profile->sectors_per_wavefront;
}

/* A multiprocessor has four texture units, each of which gives one texel a cycle: NVIDIA H100 Tensor Core GPU
 * Architecture, "H100 SM Architecture"; NVIDIA Turing GPU Architecture, "Turing TU102 GPU". */
static double texture_cycles(const SimCounters *counters)
{
    enum { TEXTURE_UNITS = 4 };
    return (double)counters->texture_requests * SIM_WARP_SIZE / TEXTURE_UNITS;
}

static double load_store_cycles(const SimProfile *profile, const SimCounters *counters)
{
    double count = (double)counters->shared_load_wavefronts + (double)counters->shared_store_wavefronts +
                   wavefronts(profile, counters->global_load_requests, counters->global_load_sectors) +
                   wavefronts(profile, counters->global_store_requests, counters->global_store_sectors) +
                   wavefronts(profile, counters->local_requests, counters->local_sectors) +
                   (double)counters->atomic_requests;
    return count / profile->load_store_wavefronts;
}

/* Through textures, too. */
static double loaded_sectors(const SimCounters *counters)
{
    return (double)counters->global_load_sectors + (double)counters->texture_sectors;
}

/* Sectors read at all must come once; those read again come again where the L1 has lost them. Stores are written
 * through, and an atomic operation is done in the L2, one lane after the other. */
static double l2_seconds(const SimProfile *profile, const SimCounters *counters)
{
    double sectors = loaded_sectors(counters);
    double first = fmin(sectors, (double)counters->unique_load_sectors);
    double loads = first + (sectors - first) * l1_miss_share(counters);
    double stores = (double)counters->global_store_sectors + (double)counters->atomic_lanes;
    return (loads + stores) * SECTOR_BYTES / profile->l2_bytes_per_s;
}

/* The L2 is taken to hold what is read again: the arrays of a convolution are streamed once. */
static double dram_seconds(const SimProfile *profile, const SimCounters *counters)
{
    double loads = fmin(loaded_sectors(counters), (double)counters->unique_load_sectors);
    double stores = fmin((double)counters->global_store_sectors, (double)counters->unique_store_sectors);
    return loads * SECTOR_BYTES / profile->dram_read_bytes_per_s +
           stores * SECTOR_BYTES / profile->dram_copy_bytes_per_s;
}

/* Nearly all constant loads hit, but for one kind: where the compiler sees that all lanes read the same address, it
 * loads through the uniform datapath (ULDC), which keeps a few lines at hand. Blocks that have drifted apart in a loop
 * over a longer array evict each other's. Measured on an H200: conv1d's filter goes this way, conv2d's, indexed by two
 * nested loops, does not. A warp reads 4 bytes a request or more, and no more than there are. */
static double constant_miss_share(const CostInput *input, const Shape *shape)
{
    const SimProfile *profile = input->profile;
    double read = fmin(input->function->constant_bytes, 4 * (double)input->longest_warp_constant);
    if (!input->function->uniform_constant_loads || !(read > profile->constant_cache_bytes))
        return 0;
    double drift = fmin(1, (shape->resident - 1) / profile->constant_drift_blocks);
    return drift * (1 - profile->constant_cache_bytes / read);
}

static double constant_seconds(const CostInput *input, const Shape *shape)
{
    const SimProfile *profile = input->profile;
    double loads = (double)input->counters->constant_requests + (double)input->counters->constant_replays;
    double hit_s = 1 / (profile->constant_loads * profile->clock_hz);
    return loads * (hit_s + constant_miss_share(input, shape) * profile->constant_miss_s);
}

/* One warp alone, each instruction waiting for the one before; the blocks of a wave hide each other's, the waves do
 * not. The first global load of a block comes from memory, later ones from the L1 where it holds them, else from the
 * L2. */
static double latency_seconds(const CostInput *input, const Shape *shape)
{
    const SimProfile *profile = input->profile;
    double first = input->longest_warp_loads > 0 ? 1 : 0, later = (double)input->longest_warp_loads - first;
    double missing = later * l1_miss_share(input->counters);
    double chain = (double)input->longest_warp_instructions * profile->arithmetic_latency_s +
                   first * profile->global_latency_s + missing * profile->l2_latency_s +
                   (later - missing) * profile->l1_latency_s +
                   (double)input->longest_warp_shared * profile->shared_latency_s +
                   (double)input->longest_warp_constant * profile->constant_latency_s;
    return chain * shape->waves;
}

enum { PART_COUNT = 12 };
_Static_assert((int)PART_COUNT <= (int)COST_MAX_PARTS, "a Cost has room for all parts");

static void find_parts(const CostInput *input, const Shape *shape, CostPart parts[PART_COUNT])
{
    const SimProfile *profile = input->profile;
    const SimCounters *counters = input->counters;
    double cycles_per_s = profile->clock_hz * shape->busy; /* of all busy multiprocessors together */
    const CostPart found[PART_COUNT] = {
        {"issue", (double)counters->warp_instructions / profile->warp_schedulers / cycles_per_s},
        {"fma", (double)counters->fp32 / profile->fp32_lanes / cycles_per_s},
        {"fp64", (double)counters->fp64 / profile->fp64_lanes / cycles_per_s},
        {"integer", (double)counters->integer / profile->integer_lanes / cycles_per_s},
        {"special", (double)counters->special / profile->special_lanes / cycles_per_s},
        {"lsu", load_store_cycles(profile, counters) / cycles_per_s},
        {"texture", texture_cycles(counters) / cycles_per_s},
        {"l2", l2_seconds(profile, counters)},
        {"dram", dram_seconds(profile, counters)},
        {"constant", constant_seconds(input, shape) / shape->busy},
        {"latency", latency_seconds(input, shape)},
        {"blocks", ceil(shape->blocks / shape->busy) * profile->block_start_s},
    };
    for (int i = 0; i < PART_COUNT; i++)
        parts[i] = found[i];
}

/* (sum t_i^p)^(1/p), scaled by the largest so that no power leaves the range of double. */
static double combine(const CostPart parts[PART_COUNT], const CostPart *largest, double power)
{
    if (!(largest->seconds > 0))
        return 0;
    double sum = 0;
    for (int i = 0; i < PART_COUNT; i++)
        sum += pow(parts[i].seconds / largest->seconds, power);
    return largest->seconds * pow(sum, 1 / power);
}

Cost cost_model(const CostInput *input)
{
    const SimProfile *profile = input->profile;
    Shape shape = shape_of(input);
    CostPart parts[PART_COUNT];
    find_parts(input, &shape, parts);
    const CostPart *largest = parts;
    for (int i = 1; i < PART_COUNT; i++)
        if (parts[i].seconds > largest->seconds)
            largest = &parts[i];
    double most_warps = (double)profile->max_threads_per_multiprocessor / SIM_WARP_SIZE;
    Cost cost = {.seconds = profile->launch_s + combine(parts, largest, profile->combine_power),
                 .occupancy = fmin(1, shape.resident * shape.warps_per_block / most_warps),
                 .limiter = largest->seconds > profile->launch_s ? largest->name : "launch",
                 .part_count = PART_COUNT};
    memcpy(cost.parts, parts, sizeof parts);
    return cost;
}
