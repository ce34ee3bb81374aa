#include "simgpu/sanitizer/grid_wait.h"

#include "simgpu/block/execute.h"
#include "simgpu/memory/footprint.h"

#include <string.h>

static void wait_here(Sanitizer *sanitizer, const Active *active)
{
    GridWait *wait = &sanitizer->grid_wait;
    wait->has_waited = true;
    for (uint32_t warp = active->first / SIM_WARP_SIZE; warp * SIM_WARP_SIZE < active->end; warp++)
        wait->waited[warp] |= active->bits[warp];
    if (sanitizer->plan->footprint != NULL && !wait->has_released)
        footprint_wait(sanitizer->plan->footprint);
}

bool execute_grid_control(Worker *worker, const Instruction *instruction, Active *active)
{
    if (worker->sanitizer == NULL)
        return true;
    if (instruction->detail == GRID_RELEASE)
        worker->sanitizer->grid_wait.has_released = true;
    else
        wait_here(worker->sanitizer, active);
    return true;
}

void grid_wait_barrier(Sanitizer *sanitizer)
{
    GridWait *wait = &sanitizer->grid_wait;
    if (wait->has_waited)
        memset(wait->waited, 0xFF, sizeof wait->waited);
}

/* In case of doubt the thread that has waited belongs to this cluster. */
void grid_wait_cluster_barrier(Sanitizer *sanitizer)
{
    const Footprint *footprint = sanitizer->plan->footprint;
    sanitizer->grid_wait.has_waited |= footprint != NULL && footprint_has_waited(footprint);
}

void grid_wait_sync_warps(Sanitizer *sanitizer, const Active *active)
{
    GridWait *wait = &sanitizer->grid_wait;
    for (uint32_t warp = active->first / SIM_WARP_SIZE; warp * SIM_WARP_SIZE < active->end; warp++)
        if ((wait->waited[warp] & active->bits[warp]) != 0)
            wait->waited[warp] |= active->bits[warp];
}

void grid_wait_follow(Sanitizer *sanitizer, const Active *active)
{
    GridWait *wait = &sanitizer->grid_wait;
    for (uint32_t warp = active->first / SIM_WARP_SIZE; wait->has_waited && warp * SIM_WARP_SIZE < active->end; warp++)
        wait->waited[warp] |= active->bits[warp];
}

uint32_t grid_wait_earliest(const Sanitizer *sanitizer, const Active *active)
{
    for (uint32_t warp = active->first / SIM_WARP_SIZE; warp * SIM_WARP_SIZE < active->end; warp++) {
        const uint32_t early = active->bits[warp] & ~sanitizer->grid_wait.waited[warp];
        if (early != 0)
            return warp * SIM_WARP_SIZE + (uint32_t)__builtin_ctz(early);
    }
    return active->first;
}

static uint32_t uses_besides(const Sanitizer *sanitizer, bool is_early, uint32_t uses)
{
    const bool loads = (uses & FOOTPRINT_LOAD) != 0, stores = (uses & (FOOTPRINT_STORE | FOOTPRINT_ATOMIC)) != 0;
    return (is_early && loads ? FOOTPRINT_EARLY_LOAD : 0) | (is_early && stores ? FOOTPRINT_EARLY_STORE : 0) |
           (sanitizer->grid_wait.has_released && loads ? FOOTPRINT_LATE_LOAD : 0);
}

uint32_t grid_wait_uses_of(const Sanitizer *sanitizer, uint32_t lane, uint32_t uses)
{
    const uint32_t waited = sanitizer->grid_wait.waited[lane / SIM_WARP_SIZE];
    return uses_besides(sanitizer, !(waited >> lane % SIM_WARP_SIZE & 1), uses);
}

uint32_t grid_wait_uses(const Sanitizer *sanitizer, uint32_t uses)
{
    return uses_besides(sanitizer, !sanitizer->grid_wait.has_waited, uses);
}
