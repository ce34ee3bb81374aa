#include "simgpu/engine/access_check.h"

#include "simgpu/block/call_stack.h"
#include "simgpu/block/fault.h"
#include "simgpu/block/worker.h"

static SimSpace reported_space(PtxSpace space)
{
    switch (space) {
    case PTX_SHARED: return SIM_SHARED;
    case PTX_LOCAL: return SIM_LOCAL;
    case PTX_CONST: return SIM_CONSTANT;
    case PTX_PARAM: return SIM_PARAMETER;
    default: return SIM_GLOBAL;
    }
}

/* Reports the first lane whose access is not allowed, and the number of such lanes; true where there is none. */
static bool fault(Worker *worker, const Access *access, const Active *active, SimOutcome outcome,
                  bool (*allowed)(Worker *, const Access *, uint64_t address))
{
    uint64_t lanes = 0, first_address = 0;
    uint32_t first_lane = active->first;
    for (uint32_t lane = active->first; lane < active->end; lane++) {
        uint64_t address = access_lane_address(worker, access->instruction, lane);
        if (!active_has(active, lane))
            continue;
        if (access->instruction->space == PTX_NO_SPACE && address < WINDOWS_END && access->space != PTX_NO_SPACE)
            address %= SHARED_WINDOW;
        if (allowed(worker, access, address))
            continue;
        if (lanes++ == 0) {
            first_lane = lane;
            first_address = address;
        }
    }
    if (lanes == 0)
        return true;
    return worker_access_fault(worker, access->instruction, outcome, reported_space(access->space), access->is_store,
                               first_lane, first_address, access->bytes, lanes);
}

static bool is_aligned(Worker *worker, const Access *access, uint64_t address)
{
    return (address & (access->bytes - 1)) == 0;
}

static bool is_inside_global(Worker *worker, const Access *access, uint64_t address)
{
    return note_access(worker, access->note, access->is_store, address, access->used_bytes);
}

uint64_t access_window_bytes(const Worker *worker, const Access *access)
{
    switch (access->space) {
    case PTX_SHARED: return worker->launch->shared_bytes;
    case PTX_LOCAL: return worker->calls != NULL ? worker->calls->highest : worker->code->frame_bytes;
    default: return worker->launch->parameter_bytes;
    }
}

static bool is_inside_window(Worker *worker, const Access *access, uint64_t address)
{
    PtxSpace space = access->space;
    const WindowVariable *variable = space == PTX_SHARED ? NULL : variable_in(access->instruction, space);
    uint64_t begin = variable != NULL ? variable->offset : 0;
    uint64_t end = variable != NULL ? begin + variable->bytes : access_window_bytes(worker, access);
    return address >= begin && address < end && end - address >= access->used_bytes;
}

/* A kernel's parameters are read-only. */
static bool is_never_allowed(Worker *worker, const Access *access, uint64_t address)
{
    return false;
}

static bool check_alignment(Worker *worker, const Access *access, const Active *active)
{
    uint64_t all = access->first | access->pattern->misaligned;
    return (all & (access->bytes - 1)) == 0 || fault(worker, access, active, SIM_MISALIGNED, is_aligned);
}

bool access_check_global(Worker *worker, const Access *access, const Active *active)
{
    uint64_t low = access->first + (uint64_t)(int64_t)access->pattern->low;
    uint64_t bytes = (uint64_t)((int64_t)access->pattern->high - access->pattern->low) + access->used_bytes;
    if (!note_access(worker, access->note, access->is_store, low, bytes) &&
        !fault(worker, access, active, SIM_OUT_OF_BOUNDS, is_inside_global))
        return false;
    return check_alignment(worker, access, active);
}

bool access_check_window(Worker *worker, const Access *access, const Active *active)
{
    uint64_t low = access->first + (uint64_t)(int64_t)access->pattern->low; /* may wrap around, and is then outside */
    uint64_t high = access->first + (uint64_t)(int64_t)access->pattern->high;
    bool inside = low <= high && is_inside_window(worker, access, low) && is_inside_window(worker, access, high);
    if (access->is_store && access->space == PTX_PARAM)
        return fault(worker, access, active, SIM_OUT_OF_BOUNDS, is_never_allowed);
    if (!inside && !fault(worker, access, active, SIM_OUT_OF_BOUNDS, is_inside_window))
        return false;
    return check_alignment(worker, access, active);
}
