/* Loads and stores of all state spaces.
 *
 * Global memory lies in the host's memory at the same addresses, so that after the check an access is a plain move.
 * Shared, local and parameter memory are arrays of the worker.  */
#include "simgpu/engine/access.h"

#include "simgpu/block/execute.h"
#include "simgpu/block/fault.h"
#include "simgpu/block/register.h"
#include "simgpu/block/store_note.h"
#include "simgpu/code/used_bytes.h"
#include "simgpu/engine/access_check.h"
#include "simgpu/engine/access_count.h"
#include "simgpu/engine/access_move.h"
#include "simgpu/engine/access_pattern.h"
#include "simgpu/engine/far_access.h"
#include "simgpu/engine/uniform_load.h"

/* Bytes that are not used need not be left out where memory, which ends at `end`, holds them for all lanes. */
static void take_all_before(Access *access, uint64_t end)
{
    uint64_t last = access->first + (uint64_t)(int64_t)access->pattern->high;
    if (last < end && end - last >= access->bytes)
        access->used_bytes = access->bytes;
}

static bool access_window(Worker *worker, Access *access, Active *active)
{
    if (!access_check_window(worker, access, active))
        return false;
    take_all_before(access, access_window_bytes(worker, access));
    access_count(worker, access, active);
    if (access->space == PTX_LOCAL) {
        access_move_local(worker, access, active);
        return true;
    }
    char *window = access->space == PTX_SHARED ? (char *)worker->shared : (char *)worker->launch->request->parameters;
    access->host = window + access->first;
    access_move(worker, access, active);
    return true;
}

static bool access_global(Worker *worker, Access *access, Active *active)
{
    if (!access_check_global(worker, access, active))
        return false;
    if (access->first + (uint64_t)(int64_t)access->pattern->low >= access->note->begin)
        take_all_before(access, access->note->end);
    access_count(worker, access, active);
    if (access->is_store)
        store_note(worker, access->note, active, access->first, access->pattern, access->bytes);
    access->host = (char *)access->first;
    access_move(worker, access, active);
    return true;
}

static bool access_one_space(Worker *worker, Access *access, Active *active)
{
    if (!access_find_pattern(worker, access, active)) { /* lanes 2 GiB or more apart are executed one by one */
        for (uint32_t lane = active->first; lane < active->end; lane++) {
            Active single = {.bits = {0}};
            single.bits[lane / SIM_WARP_SIZE] = active->bits[lane / SIM_WARP_SIZE] & 1u << lane % SIM_WARP_SIZE;
            active_measure(&single, worker);
            if (single.count == 1 && !access_one_space(worker, access, &single))
                return false;
        }
        return true;
    }
    if (access->instruction->space == PTX_NO_SPACE && access->space != PTX_NO_SPACE)
        access->first %= SHARED_WINDOW;
    if (access->space == PTX_NO_SPACE || access->space == PTX_GLOBAL || access->space == PTX_CONST)
        return access_global(worker, access, active);
    return access_window(worker, access, active);
}

/* Splits a generic access by the windows in which its lanes' addresses lie; mostly there is only one. */
static bool access_generic(Worker *worker, Access *access, Active *active)
{
    Active left = *active;
    while (left.count > 0) {
        PtxSpace space = space_at(access_lane_address(worker, access->instruction, left.first));
        Active part = left;
        for (uint32_t lane = left.first; lane < left.end; lane++)
            if (space_at(access_lane_address(worker, access->instruction, lane)) != space)
                part.bits[lane / SIM_WARP_SIZE] &= ~(1u << lane % SIM_WARP_SIZE);
        active_measure(&part, worker);
        access->space = space;
        if (!access_one_space(worker, access, &part))
            return false;
        for (uint32_t word = 0; word < worker->launch->warps; word++)
            left.bits[word] &= ~part.bits[word];
        active_measure(&left, worker);
    }
    return true;
}

static Access access_of(Worker *worker, const Instruction *instruction, bool is_store)
{
    uint32_t bytes = (uint32_t)instruction->count << instruction->size;
    return (Access){.instruction = instruction,
                    .is_store = is_store,
                    .space = (PtxSpace)instruction->space,
                    .bytes = bytes,
                    .used_bytes = end_of_used_bytes(instruction, bytes),
                    .note = &worker->notes[instruction->index]};
}

static bool execute_access(Worker *worker, const Instruction *instruction, Active *active, bool is_store)
{
    Active far, near;
    if (worker->cluster != NULL && far_access_finds(worker, instruction, active, &far, &near)) {
        if (!execute_far_access(worker, instruction, &far, is_store))
            return false;
        if (near.count == 0)
            return true;
        active = &near;
    }
    Access access = access_of(worker, instruction, is_store);
    if (access.space == PTX_NO_SPACE)
        return access_generic(worker, &access, active);
    return access_one_space(worker, &access, active);
}

bool execute_load(Worker *worker, const Instruction *instruction, Active *active)
{
    PtxSpace space = (PtxSpace)instruction->space;
    bool same_for_all = space == PTX_GLOBAL || space == PTX_CONST || space == PTX_SHARED;
    if (active->whole && same_for_all && is_uniform(worker, instruction->sources[0]) &&
        uniform_load(worker, instruction, active))
        return true;
    return execute_access(worker, instruction, active, false);
}

bool execute_store(Worker *worker, const Instruction *instruction, Active *active)
{
    return execute_access(worker, instruction, active, true);
}

bool check_access(Worker *worker, const Instruction *instruction, Active *active, bool is_store, uint32_t used_bytes)
{
    Access access = access_of(worker, instruction, is_store);
    access.used_bytes = used_bytes;
    if (!access_find_pattern(worker, &access, active))
        return worker_fault(worker, SIM_OUT_OF_BOUNDS, instruction->file, instruction->line, active->first,
                            "accesses addresses more than 2 GiB apart");
    bool in_window = access.space != PTX_GLOBAL && access.space != PTX_CONST;
    if (!(in_window ? access_check_window : access_check_global)(worker, &access, active))
        return false;
    access_count(worker, &access, active);
    return true;
}
