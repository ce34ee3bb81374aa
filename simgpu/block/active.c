#include "simgpu/block/active.h"

#include "simgpu/block/worker.h"

static uint32_t living_between(const Worker *worker, uint32_t first, uint32_t end)
{
    uint32_t living = 0;
    for (uint32_t start = first / SIM_WARP_SIZE * SIM_WARP_SIZE; start < end; start += SIM_WARP_SIZE) {
        uint32_t from = start < first ? first - start : 0, to = end - start;
        uint32_t range = (to >= SIM_WARP_SIZE ? ~0u : (1u << to) - 1) & ~0u << from;
        living += (uint32_t)__builtin_popcount(worker->live[start / SIM_WARP_SIZE] & range);
    }
    return living;
}

void active_measure(Active *active, const Worker *worker)
{
    uint32_t words = worker->launch->warps;
    active->count = active->warps = active->first = active->end = 0;
    active->mask = 0;
    for (uint32_t word = 0; word < words; word++) {
        uint32_t bits = active->bits[word];
        if (bits == 0)
            continue;
        if (active->count == 0)
            active->first = word * SIM_WARP_SIZE + (uint32_t)__builtin_ctz(bits);
        active->end = word * SIM_WARP_SIZE + SIM_WARP_SIZE - (uint32_t)__builtin_clz(bits);
        active->count += (uint32_t)__builtin_popcount(bits);
        active->warps++;
    }
    active->exact = active->count == active->end - active->first;
    active->whole = active->count == worker->live_count;
    active->full = active->whole || active->count == living_between(worker, active->first, active->end);
}

const uint8_t *active_mask(Worker *worker, Active *active)
{
    if (active->mask == 0 || active->mask != worker->masks) {
        const uint32_t start = active_start(active);
        worker->lanes->unpack_bits(active->bits + start / SIM_WARP_SIZE, active_span(active), worker->mask + start);
        active->mask = ++worker->masks;
    }
    return worker->mask;
}
