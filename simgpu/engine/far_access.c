/* Such accesses are rare enough that each lane is executed by itself.  */
#include "simgpu/engine/far_access.h"

#include "simgpu/block/cluster.h"
#include "simgpu/block/fault.h"
#include "simgpu/block/register.h"
#include "simgpu/engine/access_pattern.h"
#include "simgpu/sanitizer/cluster_races.h"

/* The address as one of shared memory, if it is one of another block's; else 0. */
static uint64_t far_address(Worker *worker, const Instruction *instruction, uint32_t lane)
{
    uint64_t address = access_lane_address(worker, instruction, lane);
    if (instruction->space == PTX_NO_SPACE && space_at(address) == PTX_SHARED)
        address %= SHARED_WINDOW;
    else if (instruction->space != PTX_SHARED)
        return 0;
    return is_of_other_block(address) ? address : 0;
}

bool far_access_finds(Worker *worker, const Instruction *instruction, const Active *active, Active *far, Active *near)
{
    bool is_possible = instruction->space == PTX_NO_SPACE || instruction->space == PTX_SHARED;
    if (!is_possible ||
        (is_uniform(worker, instruction->sources[0]) && far_address(worker, instruction, active->first) == 0))
        return false;
    *far = *near = *active;
    for (uint32_t lane = active->first; lane < active->end; lane++) {
        bool is_far = far_address(worker, instruction, lane) != 0;
        (is_far ? near : far)->bits[lane / SIM_WARP_SIZE] &= ~(1u << lane % SIM_WARP_SIZE);
    }
    active_measure(far, worker);
    active_measure(near, worker);
    return far->count > 0;
}

/* Checks a lane's access; NULL after a fault. */
static char *find_place(Worker *worker, const Instruction *instruction, uint32_t lane, bool is_store)
{
    uint64_t address = far_address(worker, instruction, lane);
    uint32_t bytes = (uint32_t)instruction->count << instruction->size;
    SharedPlace why;
    char *place = (char *)shared_place(worker, address, bytes, &why);
    if (place == NULL)
        (void)worker_cluster_fault(worker, instruction, why, is_store, lane, address, bytes);
    else if (address % bytes != 0)
        (void)worker_access_fault(worker, instruction, SIM_MISALIGNED, SIM_SHARED, is_store, lane,
                                  shared_offset(address), bytes, 1);
    else
        return place;
    return NULL;
}

/* Tells the sanitizer. */
static void note(Worker *worker, const Instruction *instruction, const Active *far, bool is_store)
{
    const uint32_t bytes = (uint32_t)instruction->count << instruction->size;
    SharedPlace why;
    for (uint32_t lane = far->first; lane < far->end; lane++) {
        if (!active_has(far, lane))
            continue;
        const uint64_t address = far_address(worker, instruction, lane);
        cluster_races_access(worker, shared_owner(worker, address, &why), instruction, is_store, lane,
                             shared_offset(address), bytes);
    }
}

static void move(const Worker *worker, const Instruction *instruction, unsigned char *value, uint8_t size, char *place,
                 bool is_store)
{
    if (is_store)
        worker->lanes->store_strided[instruction->size][size](value, place, 0, 1);
    else
        worker->lanes->load_strided[instruction->is_signed][instruction->size][size](value, place, 0, 1);
}

static void count(Worker *worker, const Instruction *instruction, const Active *far, bool is_store)
{
    uint64_t bytes = (uint64_t)far->count * instruction->count << instruction->size;
    if (!worker->launch->is_timed)
        return;
    *(is_store ? &worker->counters.shared_store_requests : &worker->counters.shared_load_requests) += far->warps;
    *(is_store ? &worker->counters.shared_store_wavefronts : &worker->counters.shared_load_wavefronts) += far->warps;
    worker->counters.cluster_sectors += (bytes + SECTOR_BYTES - 1) / SECTOR_BYTES;
}

bool execute_far_access(Worker *worker, const Instruction *instruction, Active *far, bool is_store)
{
    char *places[MAX_THREADS];
    for (uint32_t lane = far->first; lane < far->end; lane++)
        if (active_has(far, lane) && (places[lane] = find_place(worker, instruction, lane, is_store)) == NULL)
            return false;
    if (worker->sanitizer != NULL)
        note(worker, instruction, far, is_store);
    for (int i = 0; i < instruction->count; i++) {
        Operand operand = is_store ? instruction->sources[1 + i] : instruction->results[i];
        unsigned char *values = is_store ? register_read(worker, operand, far->first)
                                         : register_write(worker, far, operand, i);
        for (uint32_t lane = far->first; lane < far->end; lane++)
            if (active_has(far, lane))
                move(worker, instruction, values + ((size_t)(lane - far->first) << operand.size), operand.size & 3,
                     places[lane] + ((size_t)i << instruction->size), is_store);
        if (!is_store)
            register_written(worker, far, operand, i);
    }
    count(worker, instruction, far, is_store);
    return true;
}
