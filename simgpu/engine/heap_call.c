/* Malloc() and free() in kernels.  */
#include "simgpu/block/execute.h"

#include "simgpu/block/fault.h"
#include "simgpu/block/register.h"

#include <string.h>

static HeapUser user_of(const Worker *worker)
{
    return (HeapUser){.block = worker->launch->first_heap_block + worker->block,
                      .resident = worker->launch->resident_blocks};
}

bool execute_malloc(Worker *worker, const Instruction *instruction, Active *active)
{
    Operand bytes = instruction->sources[0], result = instruction->results[0];
    const uint64_t *from = (const uint64_t *)register_read(worker, bytes, active->first) - active->first;
    uint64_t *to = worker->addresses;
    for (uint32_t lane = active->first; lane < active->end; lane++)
        to[lane] = active_has(active, lane) ? memory_heap_allocate(worker->launch->memory, user_of(worker), from[lane])
                                            : 0;
    memcpy(register_write(worker, active, result, 0), to + active->first, (active->end - active->first) * sizeof *to);
    register_written(worker, active, result, 0);
    worker->counters.heap_allocations += active->count;
    return true;
}

bool execute_free(Worker *worker, const Instruction *instruction, Active *active)
{
    for (uint32_t lane = active->first; lane < active->end; lane++) {
        uint64_t address = active_has(active, lane) ? register_value(worker, instruction->sources[0], lane) : 0;
        if (address == 0)
            continue;
        switch (heap_free(&worker->launch->memory->heap, user_of(worker), address)) {
        case HEAP_FREED: break;
        case HEAP_FREED_BEFORE:
            return worker_fault(worker, SIM_BAD_HANDLE, instruction->file, instruction->line, lane,
                                "frees memory of the device heap that has been freed already");
        case HEAP_NO_PIECE:
            return worker_fault(worker, SIM_BAD_HANDLE, instruction->file, instruction->line, lane,
                                "frees an address that malloc() in a kernel has not given");
        }
    }
    return true;
}
