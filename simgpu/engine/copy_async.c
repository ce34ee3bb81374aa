/* cp.async copies from global to shared memory without registers. The copies are made at once, and waiting for them
 * does nothing.  */
#include "simgpu/engine/copy_async.h"

#include "simgpu/block/register.h"
#include "simgpu/engine/access.h"

#include <string.h>

/* Checks and counts one side of a copy, as a load from global memory or as a store to shared memory. */
static bool check_copy(Worker *worker, const Instruction *instruction, Active *active, bool is_store)
{
    Instruction side = *instruction;
    side.size = 0;
    side.count = instruction->detail;
    side.space = is_store ? PTX_SHARED : PTX_GLOBAL;
    side.sources[0] = instruction->sources[is_store ? 0 : 1];
    side.offset = 0;
    return check_access(worker, &side, active, is_store);
}

static void copy_lane(Worker *worker, const Instruction *instruction, uint32_t lane)
{
    unsigned char *to = worker->shared + register_value(worker, instruction->sources[0], lane);
    const void *from = (const void *)register_value(worker, instruction->sources[1], lane);
    uint64_t wanted = register_value(worker, instruction->sources[2], lane), bytes = instruction->detail;
    uint64_t copied = wanted < bytes ? wanted : bytes;
    memcpy(to, from, copied);
    memset(to + copied, 0, bytes - copied);
}

/* Lanes that read no bytes, and only store zeros, may have any global address. */
static void lanes_that_read(Worker *worker, const Instruction *instruction, const Active *active, Active *readers)
{
    *readers = *active;
    for (uint32_t lane = active->first; lane < active->end; lane++)
        if (register_value(worker, instruction->sources[2], lane) == 0)
            readers->bits[lane / SIM_WARP_SIZE] &= ~(1u << lane % SIM_WARP_SIZE);
    active_measure(readers, worker);
}

bool execute_copy_async(Worker *worker, const Instruction *instruction, Active *active)
{
    Active readers;
    lanes_that_read(worker, instruction, active, &readers);
    if (readers.count > 0 && !check_copy(worker, instruction, &readers, false))
        return false;
    if (!check_copy(worker, instruction, active, true))
        return false;
    for (uint32_t lane = active->first; lane < active->end; lane++)
        if (active_has(active, lane))
            copy_lane(worker, instruction, lane);
    return true;
}
