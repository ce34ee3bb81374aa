#include "simgpu/engine/uniform_load.h"

#include "simgpu/block/memory_note.h"
#include "simgpu/block/register.h"
#include "simgpu/cost/merged_loads.h"
#include "simgpu/cost/pattern.h"
#include "simgpu/engine/access_count.h"
#include "simgpu/engine/access_pattern.h"
#include "simgpu/sanitizer/sanitizer.h"

static void load_once(Worker *worker, const Instruction *instruction, const char *host)
{
    for (int i = 0; i < instruction->count; i++) {
        Operand to = instruction->results[i];
        worker->lanes->load_strided[instruction->is_signed][instruction->size][to.size](
            lane_of(worker, to, 0), host + ((size_t)i << instruction->size), 0, 1);
        worker->states[to.slot] = UNIFORM;
    }
}

static void count_shared_broadcast(Worker *worker, const Instruction *load, const Active *active, uint32_t bytes)
{
    if (load->is_merged)
        return;
    worker->counters.shared_load_requests += active->warps;
    for (uint32_t warp = active->first / SIM_WARP_SIZE; warp * SIM_WARP_SIZE < active->end; warp++)
        worker->counters.shared_load_wavefronts += broadcast_wavefronts(active->bits[warp], merged_bytes(load, bytes));
}

bool uniform_load(Worker *worker, const Instruction *instruction, const Active *active)
{
    uint64_t address = access_lane_address(worker, instruction, 0);
    uint32_t bytes = (uint32_t)instruction->count << instruction->size;
    SimCounters *counters = &worker->counters;
    if ((address & (bytes - 1)) != 0)
        return false;
    if (instruction->space == PTX_SHARED) {
        uint64_t size = worker->launch->shared_bytes;
        if (address >= size || size - address < bytes)
            return false;
        count_shared_broadcast(worker, instruction, active, bytes);
        if (worker->sanitizer != NULL)
            sanitizer_uniform_load(worker, instruction, active, address, bytes);
        load_once(worker, instruction, (const char *)worker->shared + address);
        return true;
    }
    if (!note_access(worker, &worker->notes[instruction->index], false, address, bytes))
        return false;
    if (instruction->space == PTX_CONST) {
        counters->constant_requests += active->warps;
    } else {
        counters->global_load_requests += active->warps;
        counters->global_load_sectors += active->warps;
        for (uint32_t warp = active->first / SIM_WARP_SIZE; warp * SIM_WARP_SIZE < active->end; warp++)
            counters->global_load_wavefronts += broadcast_load_wavefronts(active->bits[warp], bytes);
        counters->global_load_bytes += (uint64_t)active->count * bytes;
    }
    access_trace_load(worker, instruction, active, address, NULL, bytes);
    if (worker->sanitizer != NULL)
        sanitizer_uniform_load(worker, instruction, active, address, bytes);
    load_once(worker, instruction, (const char *)address);
    return true;
}
