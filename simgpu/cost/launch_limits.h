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

typedef enum LaunchCheck {
    LAUNCH_FITS,
    LAUNCH_INVALID,         /* the shape breaks a limit of the device or of the kernel */
    LAUNCH_LACKS_REGISTERS, /* a block needs more registers than a multiprocessor has */
} LaunchCheck;

LaunchLimits launch_limits(const HardwareProfile *profile);

enum {
    MAX_CLUSTER_BLOCKS = 8
}; /* of a cluster that every GPU can run: CUDA C++ Programming Guide, "Thread Block Clusters" */

/* The extents of a cluster of the launch, at least 1 each. */
void launch_cluster(const LaunchNeeds *needs, const LaunchShape *shape, uint32_t cluster[3]);

/* `text` names what was found and what is allowed: "2048 threads per block, at most 1024"; "" if the launch fits. */
LaunchCheck launch_limits_check(const LaunchLimits *limits, const LaunchNeeds *needs, const LaunchShape *shape,
                                char *text, size_t size);

/* Registers that a warp of a kernel with so many registers per thread occupies. */
static inline uint64_t launch_warp_registers(uint32_t registers, uint32_t allocation_unit)
{
    uint64_t wanted = (uint64_t)registers * WARP_THREADS;
    return (wanted + allocation_unit - 1) / allocation_unit * allocation_unit;
}

#endif
