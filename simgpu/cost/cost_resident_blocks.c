#include "simgpu/code/warp.h"
#include "simgpu/cost/cost.h"
#include "simgpu/cost/launch_limits.h"

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
