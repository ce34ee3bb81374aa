#include "simgpu/block/predicate.h"

#include "simgpu/block/register.h"

#include <string.h>

bool predicate_lanes(Worker *worker, const Active *active, Operand predicate, bool negated, Active *part)
{
    if (is_uniform(worker, predicate)) {
        bool holds = predicate.slot == NO_SLOT || (*lane_of(worker, predicate, 0) != 0) != negated;
        if (holds && part != active)
            *part = *active;
        return holds;
    }
    uint32_t words[MAX_WARPS], first = active->first / SIM_WARP_SIZE, any = 0, missing = 0;
    uint32_t end = (active->end + SIM_WARP_SIZE - 1) / SIM_WARP_SIZE;
    const unsigned char *lanes = lane_of(worker, predicate, first * SIM_WARP_SIZE);
    worker->lanes->pack_bits(lanes, active->end - first * SIM_WARP_SIZE, words);
    if (part != active)
        memset(part->bits, 0, worker->launch->warps * sizeof *part->bits);
    for (uint32_t word = first; word < end; word++) {
        uint32_t holds = (negated ? ~words[word - first] : words[word - first]) & active->bits[word];
        missing |= holds ^ active->bits[word];
        any |= holds;
        part->bits[word] = holds;
    }
    if (missing == 0 && part != active)
        *part = *active;
    else if (missing != 0)
        active_measure(part, worker);
    return any != 0;
}
