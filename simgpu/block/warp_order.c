#include "simgpu/block/warp_order.h"

#include "base/arena.h"
#include "simgpu/block/shadow_cells.h"

#include <string.h>

enum { MOST_MBARRIERS = 64 }; /* of a block; in a block that uses more, all warps count as ordered */

typedef struct Clock {
    uint32_t epochs[MAX_WARPS];      /* everything that the warp did in earlier epochs of its own */
    uint32_t phases[MOST_MBARRIERS]; /* of each mbarrier: phases that are over, with the bulk copies that ended them */
} Clock;

typedef struct Phases {
    uint64_t offset;     /* of the mbarrier in shared memory */
    uint32_t ended;      /* phases */
    Clock arrived, over; /* of the threads that have arrived so far; of those that had when the last phase ended */
} Phases;

struct WarpOrder {
    Clock of_warp[MAX_WARPS];
    Clock of_barrier[MAX_BARRIERS]; /* of the warps that have arrived in this round */
    Phases phases[MOST_MBARRIERS];
    int count;
    bool is_full; /* there are more mbarriers than that */
};

WarpOrder *warp_order_new(void)
{
    return zeroed(1, sizeof(WarpOrder));
}

/* Epochs of warps only grow, so that what a warp knows from earlier blocks orders nothing. */
void warp_order_begin_block(WarpOrder *order)
{
    memset(order->of_barrier, 0, sizeof order->of_barrier);
    for (int i = 0; order->count > 0 && i < MAX_WARPS; i++)
        memset(order->of_warp[i].phases, 0, sizeof order->of_warp[i].phases);
    order->count = 0;
    order->is_full = false;
}

bool warp_order_has_waited(const Sanitizer *sanitizer, uint32_t warp, uint32_t other, uint32_t epoch)
{
    const WarpOrder *order = sanitizer->order;
    return order->is_full || epoch < order->of_warp[warp].epochs[other];
}

static void join(Clock *clock, const Clock *other)
{
    for (int i = 0; i < MAX_WARPS; i++)
        if (other->epochs[i] > clock->epochs[i])
            clock->epochs[i] = other->epochs[i];
    for (int i = 0; i < MOST_MBARRIERS; i++)
        if (other->phases[i] > clock->phases[i])
            clock->phases[i] = other->phases[i];
}

/* Epochs of warps mean nothing beyond a barrier of the block. */
void warp_order_barrier(WarpOrder *order)
{
    Clock all = {0};
    for (int i = 0; order->count > 0 && i < MAX_WARPS; i++)
        join(&all, &order->of_warp[i]);
    for (int i = 0; order->count > 0 && i < MAX_WARPS; i++)
        memcpy(order->of_warp[i].phases, all.phases, sizeof all.phases);
}

/* Adds to `clock` all that the warp has done and waited for so far. What it does from now on is not part of that. */
static void release(Sanitizer *sanitizer, uint32_t warp, Clock *clock)
{
    deferred_reads_apply(sanitizer);
    join(clock, &sanitizer->order->of_warp[warp]);
    clock->epochs[warp] = ++sanitizer->warp_epoch[warp];
}

/* ---- barriers that have a number --------------------------------------------------------------------------------- */

void warp_order_arrive(Sanitizer *sanitizer, uint32_t number, const Active *active)
{
    for (uint32_t warp = active->first / SIM_WARP_SIZE; warp * SIM_WARP_SIZE < active->end; warp++)
        if (active->bits[warp] != 0)
            release(sanitizer, warp, &sanitizer->order->of_barrier[number]);
}

void warp_order_go_on(Sanitizer *sanitizer, uint32_t number, const Active *active)
{
    WarpOrder *order = sanitizer->order;
    for (uint32_t warp = active->first / SIM_WARP_SIZE; warp * SIM_WARP_SIZE < active->end; warp++)
        if (active->bits[warp] != 0)
            join(&order->of_warp[warp], &order->of_barrier[number]);
}

void warp_order_end_round(Sanitizer *sanitizer, uint32_t number)
{
    sanitizer->order->of_barrier[number] = (Clock){0};
}

/* ---- mbarriers --------------------------------------------------------------------------------------------------- */

static Phases *phases_at(WarpOrder *order, uint64_t offset)
{
    for (int i = 0; i < order->count; i++)
        if (order->phases[i].offset == offset)
            return &order->phases[i];
    if (order->count == MOST_MBARRIERS) {
        order->is_full = true;
        return NULL;
    }
    order->phases[order->count] = (Phases){.offset = offset};
    return &order->phases[order->count++];
}

static void end_phase(WarpOrder *order, Phases *phases)
{
    phases->over = phases->arrived;
    phases->over.phases[phases - order->phases] = ++phases->ended;
}

void warp_order_arrive_at(Sanitizer *sanitizer, uint64_t offset, uint32_t lane, bool ends)
{
    Phases *phases = phases_at(sanitizer->order, offset);
    if (phases == NULL)
        return;
    release(sanitizer, lane / SIM_WARP_SIZE, &phases->arrived);
    if (ends)
        end_phase(sanitizer->order, phases);
}

/* We do not know which thread of this block signalled, so assume that all did. */
void warp_order_arrive_far(Sanitizer *sanitizer, uint64_t offset, bool ends)
{
    Phases *phases = phases_at(sanitizer->order, offset);
    if (phases == NULL)
        return;
    for (uint32_t warp = 0; warp < MAX_WARPS; warp++)
        release(sanitizer, warp, &phases->arrived);
    if (ends)
        end_phase(sanitizer->order, phases);
}

void warp_order_complete_at(Sanitizer *sanitizer, uint64_t offset)
{
    Phases *phases = phases_at(sanitizer->order, offset);
    if (phases != NULL)
        end_phase(sanitizer->order, phases);
}

bool warp_order_phase(Sanitizer *sanitizer, uint64_t offset, uint8_t *number, uint32_t *phase)
{
    const Phases *phases = phases_at(sanitizer->order, offset);
    if (phases == NULL)
        return false;
    *number = (uint8_t)(phases - sanitizer->order->phases);
    *phase = phases->ended + 1;
    return true;
}

bool warp_order_knows(const Sanitizer *sanitizer, uint32_t warp, uint8_t number, uint32_t phase)
{
    return sanitizer->order->is_full || sanitizer->order->of_warp[warp].phases[number] >= phase;
}

void warp_order_wait_at(Sanitizer *sanitizer, uint64_t offset, uint32_t lane)
{
    Phases *phases = phases_at(sanitizer->order, offset);
    deferred_reads_apply(sanitizer);
    if (phases != NULL)
        join(&sanitizer->order->of_warp[lane / SIM_WARP_SIZE], &phases->over);
}
