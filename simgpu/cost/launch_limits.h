/* launch_limits.h - checks whether a device can run a launch at all.
 *
 * Registers  each warp gets a multiple of the allocation unit. The hardware's check assumes that a block's warps are
 *            spread evenly over the partitions of a multiprocessor, and so rounds their number up to a multiple of the
 *            partitions: an H200 refuses a block of 9 warps with 173 registers per thread (measured), though 9 * 5632
 *            registers would fit into 65536.
 * Source     CUDA C++ Programming Guide 13.0, "Compute Capabilities"; cuda_occupancy.h of CUDA 13.0,
 *            cudaOccMaxBlocksPerSMRegsLimit().  */
#ifndef SIMGPU_COST_LAUNCH_LIMITS_H
#define SIMGPU_COST_LAUNCH_LIMITS_H

#include "simgpu/cost/hardware_profile.h"

#include <stddef.h>
#include <stdint.h>

/* ==== launch shape ================================================================================================ */

/* The shape of a kernel launch, as it stands between <<< and >>>. */

typedef struct LaunchShape {
    uint32_t grid[3];              /* blocks */
    uint32_t block[3];             /* threads */
    uint32_t dynamic_shared_bytes; /* per block */
    uint32_t cluster[3];           /* blocks of a cluster; 0: as the kernel says, or none */
} LaunchShape;

/* Both can overflow as long as the shape has not been checked. */
static inline uint64_t launch_block_count(const LaunchShape *shape)
{
    return (uint64_t)shape->grid[0] * shape->grid[1] * shape->grid[2];
}

static inline uint64_t launch_block_threads(const LaunchShape *shape)
{
    return (uint64_t)shape->block[0] * shape->block[1] * shape->block[2];
}

/* ==== launch limits =============================================================================================== */

enum { WARP_THREADS = 32 };

typedef struct LaunchLimits { /* of a device */
    uint32_t max_threads_per_block, max_block[3], max_grid[3];
    uint32_t registers_per_block, register_allocation_unit, register_partitions;
    uint32_t shared_bytes_per_block_optin;
} LaunchLimits;

typedef struct LaunchNeeds { /* of a kernel */
    uint32_t registers;      /* per thread; 0: unknown */
    uint32_t static_shared_bytes;
    uint32_t max_threads_per_block;
    uint32_t max_dynamic_shared_bytes;
    uint32_t cluster[3]; /* that it asks for (__cluster_dims__); 0: none */
} LaunchNeeds;

/* The limit that a launch breaks, and words for it where nothing else of the launch may be told. Those of the extents stand in the
 * order x, y, z. The numbers are the same on every GPU that CUDA 13 supports. */
#define LAUNCH_LIMITS(LIMIT)                                                                                           \
    LIMIT(FITS, "")                                                                                                    \
    LIMIT(EMPTY_GRID, "its grid has an extent of 0")                                                                   \
    LIMIT(GRID_X, "its grid.x is above 2147483647")                                                                    \
    LIMIT(GRID_Y, "its grid.y is above 65535")                                                                         \
    LIMIT(GRID_Z, "its grid.z is above 65535")                                                                         \
    LIMIT(EMPTY_BLOCK, "its block has an extent of 0")                                                                 \
    LIMIT(BLOCK_X, "its block.x is above 1024")                                                                        \
    LIMIT(BLOCK_Y, "its block.y is above 1024")                                                                        \
    LIMIT(BLOCK_Z, "its block.z is above 64")                                                                          \
    LIMIT(THREADS, "its block has more than 1024 threads")                                                             \
    LIMIT(BOUNDS, "its block has more threads than the kernel's __launch_bounds__")                                    \
    LIMIT(REGISTERS, "its block needs more registers than a multiprocessor has")                                       \
    LIMIT(CLUSTER, "its clusters do not fit its grid, the kernel or the device")                                       \
    LIMIT(SHARED, "its block needs more shared memory than a block can have")                                          \
    LIMIT(DYNAMIC_SHARED, "its block needs more than 48 KiB of shared memory, which "                                  \
                          "cudaFuncSetAttribute(cudaFuncAttributeMaxDynamicSharedMemorySize) must allow first")        \
    LIMIT(COOPERATIVE, "its grid has more blocks than the device can run at once, which a cooperative launch needs")   \
    LIMIT(STREAM, "its stream does not exist")

#define LIMIT(constant, words) LAUNCH_##constant,
typedef enum LaunchLimit { LAUNCH_LIMITS(LIMIT) LAUNCH_LIMIT_COUNT } LaunchLimit;
#undef LIMIT

const char *launch_limit_words(LaunchLimit limit);

LaunchLimits launch_limits(const HardwareProfile *profile);

enum {
    MAX_CLUSTER_BLOCKS = 8
}; /* of a cluster that every GPU can run: CUDA C++ Programming Guide, "Thread Block Clusters" */

/* The extents of a cluster of the launch, at least 1 each. */
void launch_cluster(const LaunchNeeds *needs, const LaunchShape *shape, uint32_t cluster[3]);

/* LAUNCH_FITS, or the first limit that is broken. `text` names what was found and what is allowed: "2048 threads per block, at most
 * 1024"; "" if the launch fits. */
LaunchLimit launch_limits_check(const LaunchLimits *limits, const LaunchNeeds *needs, const LaunchShape *shape,
                                char *text, size_t size);

/* Registers that a warp of a kernel with so many registers per thread occupies. */
static inline uint64_t launch_warp_registers(uint32_t registers, uint32_t allocation_unit)
{
    uint64_t wanted = (uint64_t)registers * WARP_THREADS;
    return (wanted + allocation_unit - 1) / allocation_unit * allocation_unit;
}

#endif
