#include "simgpu/engine/access_count.h"

#include "simgpu/block/worker.h"
#include "simgpu/code/instruction.h"
#include "simgpu/cost/merged_loads.h"
#include "simgpu/sanitizer/sanitizer.h"

void access_trace_load(Worker *worker, const Instruction *instruction, const Active *active, uint64_t first,
                       const int32_t *relative, uint32_t bytes)
{
    if (worker->trace != NULL)
        trace_load(worker->trace, &(TracedLoad){.load = instruction->index,
                                                .is_constant = instruction->space == PTX_CONST,
                                                .bits = active->bits,
                                                .first_lane = active->first,
                                                .end_lane = active->end,
                                                .bytes = bytes,
                                                .address = first,
                                                .relative = relative});
}

static void count_global(Worker *worker, const Access *access, const Active *active)
{
    SimCounters *counters = &worker->counters;
    uint32_t sectors = pattern_sectors(access->pattern, access->bits, access->first, access->bytes);
    if (access->is_store) {
        counters->global_store_requests += active->warps;
        counters->global_store_sectors += sectors;
        counters->global_store_bytes += (uint64_t)active->count * access->bytes;
    } else {
        counters->global_load_requests += active->warps;
        counters->global_load_sectors += sectors;
        counters->global_load_wavefronts += pattern_load_wavefronts(access->pattern, access->bits, access->bytes);
        counters->global_load_bytes += (uint64_t)active->count * access->bytes;
        access_trace_load(worker, access->instruction, active, access->first, access->pattern->relative, access->bytes);
    }
}

static void count_shared(Worker *worker, const Access *access, const Active *active)
{
    SimCounters *counters = &worker->counters;
    const Instruction *instruction = access->instruction;
    if (instruction->is_merged)
        return;
    uint32_t bytes = merged_bytes(instruction, access->bytes);
    uint32_t wavefronts = pattern_wavefronts(access->pattern, access->bits, access->first, bytes);
    if (access->is_store) {
        counters->shared_store_requests += active->warps;
        counters->shared_store_wavefronts += wavefronts;
    } else {
        counters->shared_load_requests += active->warps;
        counters->shared_load_wavefronts += wavefronts;
    }
}

static void count_constant(Worker *worker, const Access *access, const Active *active)
{
    worker->counters.constant_requests += active->warps;
    worker->counters.constant_replays += pattern_distinct(access->pattern, access->bits) - active->warps;
    access_trace_load(worker, access->instruction, active, access->first, access->pattern->relative, access->bytes);
}

/* Hardware interleaves the words of local memory: those of 8 neighbouring lanes at the same offset share a sector, and
 * different offsets lie in different sectors. */
static void count_local(Worker *worker, const Access *access, const Active *active)
{
    uint64_t sectors = 0;
    const Pattern *pattern = access->pattern;
    for (uint32_t start = active->first / 8 * 8; start < active->end; start += 8) {
        int32_t seen[8];
        uint32_t count = 0;
        for (uint32_t lane = start; lane < start + 8 && lane < active->end; lane++) {
            if (lane < active->first || !access_has_lane(access, lane))
                continue;
            int32_t word = pattern->relative[lane - pattern->first] / 4;
            uint32_t i = 0;
            while (i < count && seen[i] != word)
                i++;
            if (i == count)
                seen[count++] = word;
        }
        sectors += count * ((access->bytes + 3) / 4);
    }
    worker->counters.local_requests += active->warps;
    worker->counters.local_sectors += sectors;
}

void access_count(Worker *worker, const Access *access, const Active *active)
{
    if (worker->sanitizer != NULL)
        sanitizer_access(worker, access->instruction, access->space, access->is_store, active, access->first,
                         access->pattern, access->used_bytes);
    if (access->instruction->is_hidden || !worker->launch->is_timed)
        return;
    switch (access->space) {
    case PTX_SHARED: count_shared(worker, access, active); break;
    case PTX_CONST: count_constant(worker, access, active); break;
    case PTX_LOCAL: count_local(worker, access, active); break;
    case PTX_PARAM: break;
    default: count_global(worker, access, active);
    }
}

uint32_t access_bytes_of_lane(const Instruction *instruction)
{
    return merged_bytes(instruction, instruction_facts(instruction).bytes);
}
