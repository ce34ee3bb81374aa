/* cp.async copies from global to shared memory without registers. The copies are made at once, and waiting for them
 * does nothing.  */
#include "simgpu/block/execute.h"

#include "simgpu/block/register.h"
#include "simgpu/engine/access.h"

#include <string.h>

/* Checks and counts one side of a copy, as a load of `bytes` from global memory or as a store to shared memory. */
static bool check_copy(Worker *worker, const Instruction *instruction, Active *active, bool is_store, uint32_t bytes)
{
    Instruction side = *instruction;
    side.size = 0;
    side.count = instruction->detail;
    side.space = is_store ? PTX_SHARED : PTX_GLOBAL;
    side.sources[0] = instruction->sources[is_store ? 0 : 1];
    side.offset = 0;
    return check_access(worker, &side, active, is_store, bytes);
}

/* How many bytes a lane reads; the others become zeros. */
static uint32_t bytes_read(Worker *worker, const Instruction *instruction, uint32_t lane)
{
    uint64_t wanted = register_value(worker, instruction->sources[2], lane), bytes = instruction->detail;
    return (uint32_t)(wanted < bytes ? wanted : bytes);
}

static void copy_lane(Worker *worker, const Instruction *instruction, uint32_t lane)
{
    unsigned char *to = worker->shared + register_value(worker, instruction->sources[0], lane);
    const void *from = (const void *)register_value(worker, instruction->sources[1], lane);
    uint32_t copied = bytes_read(worker, instruction, lane);
    memcpy(to, from, copied);
    memset(to + copied, 0, instruction->detail - copied);
}

/* Lanes that read different numbers of bytes are checked apart: beyond its own a lane may have any global address. */
static bool check_reads(Worker *worker, const Instruction *instruction, const Active *active)
{
    uint32_t found = 0; /* bit n: some lane reads n bytes */
    for (uint32_t lane = active->first; lane < active->end; lane++)
        if (active_has(active, lane))
            found |= 1u << bytes_read(worker, instruction, lane);
    for (uint32_t bytes = instruction->detail; bytes > 0; bytes--) {
        if ((found >> bytes & 1) == 0)
            continue;
        Active readers = *active;
        for (uint32_t lane = active->first; lane < active->end; lane++)
            if (bytes_read(worker, instruction, lane) != bytes)
                readers.bits[lane / SIM_WARP_SIZE] &= ~(1u << lane % SIM_WARP_SIZE);
        active_measure(&readers, worker);
        if (!check_copy(worker, instruction, &readers, false, bytes))
            return false;
    }
    return true;
}

bool execute_copy_async(Worker *worker, const Instruction *instruction, Active *active)
{
    if (!check_reads(worker, instruction, active) ||
        !check_copy(worker, instruction, active, true, instruction->detail))
        return false;
    for (uint32_t lane = active->first; lane < active->end; lane++)
        if (active_has(active, lane))
            copy_lane(worker, instruction, lane);
    return true;
}
