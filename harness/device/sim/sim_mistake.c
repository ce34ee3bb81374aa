#include "harness/device/sim/sim_mistake.h"

#include "harness/protocol/device_addresses.h"

#include <string.h>

static MistakeKind kind_of_access(const SimFault *fault)
{
    switch (fault->space) {
    case SIM_GLOBAL:
        if (fault->left.is_freed)
            return MISTAKE_FREED_MEMORY;
        if (fault->left.side == SIM_SIDE_UNKNOWN && !is_in_device_range(fault->address))
            return MISTAKE_NOT_DEVICE_MEMORY;
        return fault->is_store ? MISTAKE_WRITE_OUTSIDE : MISTAKE_READ_OUTSIDE;
    case SIM_SHARED: return fault->is_store ? MISTAKE_WRITE_OUTSIDE_SHARED : MISTAKE_READ_OUTSIDE_SHARED;
    case SIM_LOCAL:
        if (fault->left.parameter > 0 && !fault->is_store)
            return MISTAKE_READ_OUTSIDE_PARAMETERS;
        return fault->is_store ? MISTAKE_WRITE_OUTSIDE_LOCAL : MISTAKE_READ_OUTSIDE_LOCAL;
    case SIM_CONSTANT: return fault->is_store ? MISTAKE_WRITE_READ_ONLY : MISTAKE_READ_OUTSIDE_CONSTANT;
    case SIM_PARAMETER: return fault->is_store ? MISTAKE_WRITE_READ_ONLY : MISTAKE_READ_OUTSIDE_PARAMETERS;
    case SIM_SURFACE: return MISTAKE_OUTSIDE_SURFACE;
    }
    return MISTAKE_OTHER;
}

static Mistake with_left(Mistake mistake, const SimLeft *left)
{
    _Static_assert(sizeof mistake.array == sizeof left->array && sizeof mistake.kernel == sizeof left->kernel,
                   "names have the same room");
    static const MistakeSide sides[] = {
        [SIM_SIDE_UNKNOWN] = MISTAKE_SIDE_UNKNOWN, [SIM_BEFORE] = MISTAKE_BEFORE, [SIM_PAST] = MISTAKE_PAST};
    mistake.side = sides[left->side];
    mistake.parameter = left->parameter;
    memcpy(mistake.array, left->array, sizeof mistake.array);
    memcpy(mistake.kernel, left->kernel, sizeof mistake.kernel);
    return mistake;
}

static MistakeKind kind_of_fault(SimOutcome outcome, const SimFault *fault)
{
    switch (outcome) {
    case SIM_OK: return MISTAKE_NONE;
    case SIM_BAD_LAUNCH: return MISTAKE_LAUNCH_REFUSED;
    case SIM_BAD_CODE: return MISTAKE_LOAD_FAILED;
    case SIM_OUT_OF_BOUNDS: return kind_of_access(fault);
    case SIM_MISALIGNED: return MISTAKE_MISALIGNED;
    case SIM_BAD_BARRIER: return fault->space == SIM_SHARED ? MISTAKE_RACE_IN_CLUSTER : MISTAKE_BARRIER;
    case SIM_UNSET_MBARRIER: return MISTAKE_UNSET_MBARRIER;
    case SIM_NO_STACK: return MISTAKE_NO_STACK;
    case SIM_BAD_HANDLE: return MISTAKE_BAD_HANDLE;
    case SIM_TRAP: return MISTAKE_TRAP;
    case SIM_TIME_LIMIT:
    case SIM_CANCELLED: return MISTAKE_KERNEL_TIME;
    case SIM_UNSUPPORTED:
    case SIM_ENGINES_DIFFER: return MISTAKE_UNSUPPORTED;
    }
    return MISTAKE_OTHER;
}

Mistake sim_mistake_of_fault(SimOutcome outcome, const SimFault *fault)
{
    return with_left(mistake_at(kind_of_fault(outcome, fault), fault->file, fault->line), &fault->left);
}

Mistake sim_mistake_of_finding(const SimFinding *finding)
{
    static const MistakeKind kinds[SIM_FINDING_KINDS] = {[SIM_NO_FENCE] = MISTAKE_NO_FENCE,
                                                         [SIM_RACE_OF_BLOCKS] = MISTAKE_RACE_OF_BLOCKS,
                                                         [SIM_RACE_OF_WARPS] = MISTAKE_RACE_OF_WARPS,
                                                         [SIM_RACE_OF_LANES] = MISTAKE_RACE_OF_LANES,
                                                         [SIM_RACE_WITH_COPY] = MISTAKE_RACE_WITH_COPY,
                                                         [SIM_RACE_WITH_PRODUCT] = MISTAKE_RACE_WITH_PRODUCT,
                                                         [SIM_UNWAITED_PRODUCT] = MISTAKE_UNWAITED_PRODUCT,
                                                         [SIM_UNFENCED_PRODUCT] = MISTAKE_UNFENCED_PRODUCT,
                                                         [SIM_NO_PROXY_FENCE] = MISTAKE_NO_PROXY_FENCE,
                                                         [SIM_RACE_IN_CLUSTER] = MISTAKE_RACE_IN_CLUSTER,
                                                         [SIM_RACE_IN_WARP] = MISTAKE_RACE_IN_WARP,
                                                         [SIM_UNINITIALISED] = MISTAKE_UNINITIALISED,
                                                         [SIM_BAD_SHUFFLE] = MISTAKE_BAD_SHUFFLE,
                                                         [SIM_UNSET_VARIABLE] = MISTAKE_UNSET_VARIABLE,
                                                         [SIM_MIXED_BARRIERS] = MISTAKE_MIXED_BARRIERS};
    const SimFault *where = &finding->where;
    MistakeKind kind = finding->kind == SIM_OUTSIDE_VARIABLE ? kind_of_access(where) : kinds[finding->kind];
    return with_left(mistake_at(kind, where->file, where->line), &where->left);
}
