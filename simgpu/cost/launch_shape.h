/* launch_shape.h - the shape of a kernel launch, as it stands between <<< and >>>.  */
#ifndef SIMGPU_COST_LAUNCH_SHAPE_H
#define SIMGPU_COST_LAUNCH_SHAPE_H

#include <stdint.h>

typedef struct LaunchShape {
    uint32_t grid[3];              /* blocks */
    uint32_t block[3];             /* threads */
    uint32_t dynamic_shared_bytes; /* per block */
    uint32_t cluster[3];           /* blocks of a cluster; 0: as the kernel says, or none */
} LaunchShape;

/* Both can overflow as long as the shape has not been checked (launch_limits.h). */
static inline uint64_t launch_block_count(const LaunchShape *shape)
{
    return (uint64_t)shape->grid[0] * shape->grid[1] * shape->grid[2];
}

static inline uint64_t launch_block_threads(const LaunchShape *shape)
{
    return (uint64_t)shape->block[0] * shape->block[1] * shape->block[2];
}

#endif
