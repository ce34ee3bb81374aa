#include "simgpu/cost/launch_limits.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

LaunchLimits launch_limits(const HardwareProfile *profile)
{
    LaunchLimits limits = {.max_threads_per_block = profile->max_threads_per_block,
                           .registers_per_block = profile->registers_per_multiprocessor,
                           .register_allocation_unit = profile->register_allocation_unit,
                           .register_partitions = (uint32_t)profile->warp_schedulers,
                           .shared_bytes_per_block_optin = profile->shared_bytes_per_block_optin};
    memcpy(limits.max_block, profile->max_block, sizeof limits.max_block);
    memcpy(limits.max_grid, profile->max_grid, sizeof limits.max_grid);
    return limits;
}

const char *launch_limit_words(LaunchLimit limit)
{
#define LIMIT(constant, words) words,
    static const char *const all[] = {LAUNCH_LIMITS(LIMIT)};
#undef LIMIT
    return limit < LAUNCH_LIMIT_COUNT ? all[limit] : "";
}

/* Where the text of a refusal goes. */
typedef struct Refusal {
    char *text;
    size_t size;
} Refusal;

static LaunchLimit refuse(Refusal refusal, LaunchLimit limit, const char *what, uint64_t found, const char *bound,
                          uint64_t allowed)
{
    snprintf(refusal.text, refusal.size, "%" PRIu64 " %s, %s %" PRIu64, found, what, bound, allowed);
    return limit;
}

/* `empty` is followed by the limits of x, y and z. */
static LaunchLimit check_extents(const char *what, LaunchLimit empty, const uint32_t extents[3], const uint32_t most[3],
                                 Refusal refusal)
{
    for (int i = 0; i < 3; i++) {
        char name[40];
        snprintf(name, sizeof name, "in %s.%c", what, "xyz"[i]);
        if (extents[i] == 0)
            return refuse(refusal, empty, name, 0, "at least", 1);
        if (extents[i] > most[i])
            return refuse(refusal, empty + 1 + (LaunchLimit)i, name, extents[i], "at most", most[i]);
    }
    return LAUNCH_FITS;
}

static LaunchLimit check_threads(const LaunchLimits *limits, const LaunchNeeds *needs, uint64_t threads,
                                 Refusal refusal)
{
    if (threads > limits->max_threads_per_block)
        return refuse(refusal, LAUNCH_THREADS, "threads per block", threads, "at most", limits->max_threads_per_block);
    if (threads > needs->max_threads_per_block)
        return refuse(refusal, LAUNCH_BOUNDS, "threads per block of a kernel with __launch_bounds__", threads,
                      "at most", needs->max_threads_per_block);
    return LAUNCH_FITS;
}

static LaunchLimit check_registers(const LaunchLimits *limits, const LaunchNeeds *needs, uint64_t threads,
                                   Refusal refusal)
{
    uint64_t warps = (threads + WARP_THREADS - 1) / WARP_THREADS, partitions = limits->register_partitions;
    uint64_t counted_warps = (warps + partitions - 1) / partitions * partitions;
    uint64_t registers = counted_warps * launch_warp_registers(needs->registers, limits->register_allocation_unit);
    if (registers <= limits->registers_per_block)
        return LAUNCH_FITS;
    return refuse(refusal, LAUNCH_REGISTERS, "registers per block", registers, "at most", limits->registers_per_block);
}

static LaunchLimit check_shared(const LaunchLimits *limits, const LaunchNeeds *needs, uint64_t dynamic, Refusal refusal)
{
    uint64_t all = dynamic + needs->static_shared_bytes;
    if (all > limits->shared_bytes_per_block_optin)
        return refuse(refusal, LAUNCH_SHARED, "bytes of shared memory per block", all, "at most",
                      limits->shared_bytes_per_block_optin);
    if (dynamic <= needs->max_dynamic_shared_bytes)
        return LAUNCH_FITS;
    snprintf(refusal.text, refusal.size,
             "%" PRIu64 " bytes of dynamic shared memory, at most %u unless "
             "cudaFuncSetAttribute(cudaFuncAttributeMaxDynamicSharedMemorySize) allows more",
             dynamic, needs->max_dynamic_shared_bytes);
    return LAUNCH_DYNAMIC_SHARED;
}

void launch_cluster(const LaunchNeeds *needs, const LaunchShape *shape, uint32_t cluster[3])
{
    const uint32_t *asked = shape->cluster[0] > 0 ? shape->cluster : needs->cluster;
    for (int i = 0; i < 3; i++)
        cluster[i] = asked[i] > 0 ? asked[i] : 1;
}

static LaunchLimit check_cluster(const LaunchNeeds *needs, const LaunchShape *shape, Refusal refusal)
{
    uint32_t cluster[3];
    launch_cluster(needs, shape, cluster);
    uint64_t plane = (uint64_t)cluster[0] * cluster[1];
    uint64_t blocks = plane > UINT32_MAX ? UINT64_MAX : plane * cluster[2];
    if (blocks > MAX_CLUSTER_BLOCKS)
        return refuse(refusal, LAUNCH_CLUSTER, "blocks in a cluster", blocks, "at most", MAX_CLUSTER_BLOCKS);
    for (int i = 0; i < 3; i++) {
        char name[60];
        bool differs = shape->cluster[0] > 0 && needs->cluster[0] > 0 && needs->cluster[i] != cluster[i];
        snprintf(name, sizeof name, "in the cluster's %c where __cluster_dims__ says", "xyz"[i]);
        if (differs)
            return refuse(refusal, LAUNCH_CLUSTER, name, cluster[i], "only", needs->cluster[i]);
        snprintf(name, sizeof name, "blocks in grid.%c", "xyz"[i]);
        if (shape->grid[i] % cluster[i] != 0)
            return refuse(refusal, LAUNCH_CLUSTER, name, shape->grid[i], "but they must be a multiple of the cluster's",
                          cluster[i]);
    }
    return LAUNCH_FITS;
}

/* A block of too many threads is said to be that, even if one of its extents is too large as well. */
LaunchLimit launch_limits_check(const LaunchLimits *limits, const LaunchNeeds *needs, const LaunchShape *shape,
                                char *text, size_t size)
{
    const Refusal refusal = {text, size};
    uint64_t threads = launch_block_threads(shape);
    text[0] = '\0';
    LaunchLimit broken = check_extents("grid", LAUNCH_EMPTY_GRID, shape->grid, limits->max_grid, refusal);
    if (broken == LAUNCH_FITS && threads <= limits->max_threads_per_block)
        broken = check_extents("block", LAUNCH_EMPTY_BLOCK, shape->block, limits->max_block, refusal);
    if (broken == LAUNCH_FITS)
        broken = check_threads(limits, needs, threads, refusal);
    if (broken == LAUNCH_FITS)
        broken = check_registers(limits, needs, threads, refusal);
    if (broken == LAUNCH_FITS)
        broken = check_cluster(needs, shape, refusal);
    return broken == LAUNCH_FITS ? check_shared(limits, needs, shape->dynamic_shared_bytes, refusal) : broken;
}
