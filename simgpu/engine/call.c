
#include "simgpu/block/active.h"
#include "simgpu/block/fault.h"
#include "simgpu/block/register.h"
#include "simgpu/block/sanitizer.h"
#include "simgpu/block/special_registers.h"
#include "simgpu/engine/interpreter.h"

#include <string.h>

/* Where the frames of the lanes' latest calls lie. */
bool execute_frame_address(Worker *worker, const Instruction *instruction, Active *active)
{
    Operand result = instruction->results[0];
    uint64_t *to = (uint64_t *)register_write(worker, active, result, 0) - active->first;
    for (uint32_t lane = active->first; lane < active->end; lane++)
        to[lane] = worker->calls->frame[lane];
    register_written(worker, active, result, 0);
    return true;
}

/* ---- registers --------------------------------------------------------------------------------------------------- */

static void copy_lanes(const Worker *worker, const Active *active, Operand operand, unsigned char *to,
                       const unsigned char *from)
{
    size_t begin = (size_t)operand.unit * worker->capacity, bytes = (size_t)1 << operand.size;
    if (active->exact) {
        size_t at = begin + active->first * bytes;
        memcpy(to + at, from + at, (active->end - active->first) * bytes);
        return;
    }
    for (uint32_t lane = active->first; lane < active->end; lane++)
        if (active_has(active, lane))
            memcpy(to + begin + lane * bytes, from + begin + lane * bytes, bytes);
}

/* A register that is the same in all lanes is read from lane 0, even if that has exited. */
static void copy_lane_zero(const Worker *worker, Operand operand, unsigned char *to, const unsigned char *from)
{
    size_t at = (size_t)operand.unit * worker->capacity;
    memcpy(to + at, from + at, (size_t)1 << operand.size);
}

static void save_registers(Worker *worker, const Active *active, const CallSite *call, CallLevel *level)
{
    level->is_whole = active->whole;
    for (int i = 0; i < call->saved_count; i++) {
        Operand operand = call->saved[i];
        if (worker->states[operand.slot] == UNIFORM)
            register_fill(worker, operand);
        level->states[operand.slot] = worker->states[operand.slot];
        copy_lanes(worker, active, operand, level->registers, worker->registers);
        if (active->whole)
            copy_lane_zero(worker, operand, level->registers, worker->registers);
    }
}

static void restore_registers(Worker *worker, const Active *active, const CallSite *call, const CallLevel *level)
{
    for (int i = 0; i < call->saved_count; i++) {
        Operand operand = call->saved[i];
        if (worker->states[operand.slot] == UNIFORM)
            register_fill(worker, operand);
        copy_lanes(worker, active, operand, worker->registers, level->registers);
        worker->states[operand.slot] = VARYING;
        if (level->is_whole && active->whole) {
            copy_lane_zero(worker, operand, worker->registers, level->registers);
            worker->states[operand.slot] = level->states[operand.slot];
        }
    }
}

/* ---- local memory ------------------------------------------------------------------------------------------------ */

/* Copies arguments or results of one lane from one frame to another. */
static void copy_arguments(Worker *worker, uint32_t lane, uint32_t to_frame, const CallArgument *to,
                           uint32_t from_frame, const CallArgument *from, int count)
{
    char *local = worker->local + (size_t)lane * worker->frame_stride;
    for (int i = 0; i < count; i++) {
        uint32_t bytes = to[i].bytes < from[i].bytes ? to[i].bytes : from[i].bytes;
        memcpy(local + to_frame + to[i].offset, local + from_frame + from[i].offset, bytes);
        if (worker->sanitizer != NULL)
            sanitizer_local_written(worker, lane, to_frame + to[i].offset, bytes);
    }
}

static void begin_frame(Worker *worker, uint32_t lane, uint32_t frame, uint32_t bytes)
{
    memset(worker->local + (size_t)lane * worker->frame_stride + frame, worker->unwritten, bytes);
    if (worker->sanitizer != NULL)
        sanitizer_local_forgotten(worker, lane, frame, bytes);
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

static bool sizes_fit(const CallArgument *a, int a_count, const CallArgument *b, int b_count)
{
    for (int i = 0; i < a_count && i < b_count; i++)
        if (a[i].bytes != b[i].bytes)
            return false;
    return a_count == b_count;
}

/* Index of the procedure at an address; -1: there is none. */
static int32_t find_procedure(const Code *code, uint64_t address)
{
    for (int32_t i = 0; i < code->procedure_count; i++)
        if (code->procedures[i].address == address)
            return i;
    return -1;
}

static bool fault_no_function(Worker *worker, const BasicBlock *block, uint32_t lane, uint64_t address)
{
    if (address == 0)
        return worker_fault(worker, SIM_BAD_HANDLE, block->file, block->line, lane,
                            "calls a function through a null pointer");
    return worker_fault(worker, SIM_BAD_HANDLE, block->file, block->line, lane,
                        "calls a function through a pointer that leads to none");
}

/* The lanes of the group that call the same procedure as its first one. */
static Active same_callees(Worker *worker, const Group *group, const BasicBlock *block, uint64_t *address)
{
    Active same = group->active;
    *address = register_value(worker, block->index, same.first);
    if (is_uniform(worker, block->index))
        return same;
    for (uint32_t lane = same.first; lane < same.end; lane++)
        if (register_value(worker, block->index, lane) != *address)
            same.bits[lane / SIM_WARP_SIZE] &= ~(1u << lane % SIM_WARP_SIZE);
    active_measure(&same, worker);
    return same;
}

/* Has the lane room for another call? */
static bool has_stack(const Worker *worker, uint32_t lane, const Procedure *procedure)
{
    const CallStack *stack = worker->calls;
    return stack->used[lane] + procedure->stack_bytes <= worker->launch->stack_bytes &&
           (uint64_t)stack->end[lane] + (procedure->frame_bytes + 15) / 16 * 16 <= worker->frame_stride;
}

static void push(Worker *worker, uint32_t lane, const CallSite *call, int32_t at, int32_t number, CallLevel *level)
{
    const Procedure *procedure = &worker->code->procedures[number];
    CallStack *stack = worker->calls;
    uint32_t frame = stack->end[lane], bytes = (procedure->frame_bytes + 15) / 16 * 16;
    level->block[lane] = at;
    level->procedure[lane] = number;
    level->frame[lane] = stack->frame[lane];
    begin_frame(worker, lane, frame, bytes);
    copy_arguments(worker, lane, frame, procedure->arguments.parameters, stack->frame[lane], call->arguments.parameters,
                   call->arguments.parameter_count);
    stack->frame[lane] = frame;
    stack->end[lane] = frame + bytes;
    stack->used[lane] += procedure->stack_bytes;
    stack->highest = stack->end[lane] > stack->highest ? stack->end[lane] : stack->highest;
}

/* The whole group calls the procedure. */
static bool enter(Worker *worker, Group *group, const BasicBlock *block, int32_t number)
{
    const Procedure *procedure = &worker->code->procedures[number];
    const CallArguments *a = &block->call->arguments, *b = &procedure->arguments;
    const Active *active = &group->active;
    if (!sizes_fit(a->parameters, a->parameter_count, b->parameters, b->parameter_count) ||
        !sizes_fit(a->results, a->result_count, b->results, b->result_count))
        return worker_fault(worker, SIM_BAD_HANDLE, block->file, block->line, active->first,
                            "calls %s() through a pointer to a function with other parameters", procedure->name);
    CallLevel *level = call_stack_level(worker->calls, group->depth, worker->code, worker->capacity);
    save_registers(worker, active, block->call, level);
    for (uint32_t lane = active->first; lane < active->end; lane++) {
        if (!active_has(active, lane))
            continue;
        if (!has_stack(worker, lane, procedure))
            return worker_fault(worker, SIM_NO_STACK, block->file, block->line, lane,
                                "has no stack left for a call of %s(): calls are nested %u deep, and a thread's stack "
                                "has %u bytes (cudaDeviceSetLimit(cudaLimitStackSize, ...) gives more)",
                                procedure->name, group->depth + 1, worker->launch->stack_bytes);
        push(worker, lane, block->call, group->pc, number, level);
    }
    group->depth++;
    group->pc = procedure->entry;
    group->is_forced = false;
    return true;
}

bool call_enter(Worker *worker, Group *group, const BasicBlock *block)
{
    if (block->call->procedure >= 0)
        return enter(worker, group, block, block->call->procedure);
    for (;;) {
        uint64_t address;
        Active same = same_callees(worker, group, block, &address);
        int32_t number = find_procedure(worker->code, address);
        if (number < 0)
            return fault_no_function(worker, block, same.first, address);
        if (same.count == group->active.count)
            return enter(worker, group, block, number);
        Group *other = group_split(worker, group, &same, group->pc);
        group_count_divergence(worker, group, other);
        if (!enter(worker, other, block, number))
            return false;
    }
}

/* ---- returns ----------------------------------------------------------------------------------------------------- */

/* The lanes of the group that were called from the same place, and the same procedure, as its first one. */
static Active same_callers(Worker *worker, const Group *group, const CallLevel *level)
{
    Active same = group->active;
    for (uint32_t lane = same.first; lane < same.end; lane++)
        if (level->block[lane] != level->block[same.first] || level->procedure[lane] != level->procedure[same.first])
            same.bits[lane / SIM_WARP_SIZE] &= ~(1u << lane % SIM_WARP_SIZE);
    active_measure(&same, worker);
    return same;
}

static void pop(Worker *worker, uint32_t lane, const CallSite *call, const CallLevel *level)
{
    const Procedure *procedure = &worker->code->procedures[level->procedure[lane]];
    CallStack *stack = worker->calls;
    copy_arguments(worker, lane, level->frame[lane], call->arguments.results, stack->frame[lane],
                   procedure->arguments.results, call->arguments.result_count);
    stack->end[lane] = stack->frame[lane];
    stack->frame[lane] = level->frame[lane];
    stack->used[lane] -= procedure->stack_bytes;
}

/* The whole group returns to the same place. */
static void leave(Worker *worker, Group *group, const CallLevel *level)
{
    const Active *active = &group->active;
    int32_t at = level->block[active->first];
    const CallSite *call = worker->code->blocks[at].call;
    for (uint32_t lane = active->first; lane < active->end; lane++)
        if (active_has(active, lane))
            pop(worker, lane, call, level);
    restore_registers(worker, active, call, level);
    group->depth--;
    group->pc = at + 1;
    group->is_forced = false;
}

static void leave_all(Worker *worker, Group *group)
{
    const CallLevel *level = worker->calls->levels[group->depth - 1];
    for (;;) {
        Active same = same_callers(worker, group, level);
        if (same.count == group->active.count)
            break;
        leave(worker, group_split(worker, group, &same, group->pc), level);
    }
    leave(worker, group, level);
}

bool call_return(Worker *worker, Group *group, const BasicBlock *block)
{
    Active leaving;
    if (predicate_lanes(worker, &group->active, block->guard, block->guard_negated, &leaving)) {
        if (leaving.count == group->active.count) {
            leave_all(worker, group);
            return true;
        }
        Group *other = group_split(worker, group, &leaving, group->pc);
        group_count_divergence(worker, group, other);
        leave_all(worker, other);
    }
    group->pc++;
    group->is_forced = false;
    return true;
}
