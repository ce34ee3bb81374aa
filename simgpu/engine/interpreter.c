/* Malloc() and free() in kernels.  */
#include "simgpu/engine/interpreter.h"

#include "simgpu/block/active.h"
#include "simgpu/block/cluster.h"
#include "simgpu/block/fault.h"
#include "simgpu/block/lines.h"
#include "simgpu/block/register.h"
#include "simgpu/block/sanitizer.h"
#include "simgpu/code/lane_math.h"
#include "simgpu/engine/access.h"
#include "simgpu/engine/barrier.h"
#include "simgpu/engine/bulk_copy.h"
#include "simgpu/engine/provenance.h"

#include <fenv.h>
#include <string.h>

/* ==== slow path =================================================================================================== */

enum { DIVISION_INSTRUCTIONS = 35, RECIPROCAL_INSTRUCTIONS = 23, ROOT_INSTRUCTIONS = 12 };

static uint32_t exponent(uint32_t bits)
{
    return bits >> 23 & 0xFF;
}

/* As the machine instruction FCHK: an operand is out of range, or the quotient may be. */
static bool divides_slowly(uint32_t a, uint32_t b)
{
    uint32_t above = exponent(a), below = exponent(b);
    return (above < 25) | (above == 255) | (below < 2) | (below >= 252) | (below >= above + 125) |
           (above >= below + 127);
}

static bool inverts_slowly(uint32_t a)
{
    return (exponent(a) == 0) | (exponent(a) >= 253);
}

/* Below 2^-101, negative, infinite or NaN. */
static bool takes_root_slowly(uint32_t a)
{
    return a - 0x0D000000 > 0x727FFFFF;
}

static bool is_slow(SlowPathKind kind, uint32_t a, uint32_t b)
{
    return kind == SLOW_DIVISION     ? divides_slowly(a, b)
           : kind == SLOW_RECIPROCAL ? inverts_slowly(a)
                                     : takes_root_slowly(a);
}

bool execute_slow_path(Worker *worker, const Instruction *instruction, Active *active)
{
    static const uint64_t instructions[] = {[SLOW_DIVISION] = DIVISION_INSTRUCTIONS,
                                            [SLOW_RECIPROCAL] = RECIPROCAL_INSTRUCTIONS,
                                            [SLOW_ROOT] = ROOT_INSTRUCTIONS};
    SlowPathKind kind = (SlowPathKind)instruction->detail;
    if (!worker->launch->is_timed)
        return true;
    const uint32_t *a = (const uint32_t *)register_read(worker, instruction->sources[0], 0);
    const uint32_t *b = kind == SLOW_DIVISION ? (const uint32_t *)register_read(worker, instruction->sources[1], 0) : a;
    for (uint32_t warp = active->first / SIM_WARP_SIZE; warp * SIM_WARP_SIZE < active->end; warp++) {
        uint32_t slow = 0;
        for (uint32_t lane = 0; lane < SIM_WARP_SIZE; lane++)
            slow |= (uint32_t)is_slow(kind, a[warp * SIM_WARP_SIZE + lane], b[warp * SIM_WARP_SIZE + lane]) << lane;
        if (slow & active->bits[warp])
            worker->counters.slow_path_instructions += instructions[kind];
    }
    return true;
}

/* The mix of instructions is that of dividing zero. */
void slow_path_add(MachineWork *sum, uint64_t instructions)
{
    double divisions = (double)instructions / DIVISION_INSTRUCTIONS;
    sum->issue += (double)instructions;
    sum->alu += 19 * divisions;
    sum->fma += 4 * divisions;
    sum->cycles += 232 * divisions;
}

/* ==== heap call =================================================================================================== */

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

/* ==== interpreter ================================================================================================= */

/* Executes the instructions of one basic block after the other, and goes where the end of each leads.  */

enum {
    BRANCHES_BEFORE_YIELD = 4096, /* of a group that keeps other groups waiting */
    LOOKS_BEFORE_YIELD = 2, /* the same for a single thread of a cooperative grid: it may be waiting for a block */
    BRANCHES_BETWEEN_CHECKS = 256, /* of a worker, until it checks the limits of the launch again */
    BRANCHES_BETWEEN_LOOKS = 2048  /* likewise, until it looks whether the block stands still */
};

/* ---- instructions ------------------------------------------------------------------------------------------------ */

static bool all_uniform(const Worker *worker, const Instruction *instruction)
{
    const Operand *s = instruction->sources;
    return is_uniform(worker, s[0]) && is_uniform(worker, s[1]) && is_uniform(worker, s[2]) && is_uniform(worker, s[3]);
}

static void run_function(const Instruction *instruction, void *d, const void *a, const void *b, const void *c,
                         const void *e, size_t count)
{
    static const int modes[] = {[ROUND_ZERO] = FE_TOWARDZERO, [ROUND_DOWN] = FE_DOWNWARD, [ROUND_UP] = FE_UPWARD};
    if (instruction->rounding == ROUND_NEAREST) {
        instruction->run(d, a, b, c, e, count);
        return;
    }
    fesetround(modes[instruction->rounding]);
    instruction->run(d, a, b, c, e, count);
    fesetround(FE_TONEAREST);
}

static const void *lane_zero(const Worker *worker, Operand operand)
{
    return operand.slot == NO_SLOT ? NULL : lane_of(worker, operand, 0);
}

bool execute_lanes(Worker *worker, const Instruction *instruction, Active *active)
{
    const Operand *s = instruction->sources;
    Operand result = instruction->results[0];
    if (active->whole && all_uniform(worker, instruction)) {
        run_function(instruction, lane_of(worker, result, 0), lane_zero(worker, s[0]), lane_zero(worker, s[1]),
                     lane_zero(worker, s[2]), lane_zero(worker, s[3]), 1);
        worker->states[result.slot] = UNIFORM;
        return true;
    }
    /* Whole warps leave no lane over from a vector. Results beside the active lanes are masked, or belong to lanes that
     * have exited. */
    const bool in_warps = active->whole || !active->full;
    const uint32_t first = in_warps ? active_start(active) : active->first;
    const uint32_t count = in_warps ? active_span(active) * SIM_WARP_SIZE : active->end - first;
    const void *a = register_read(worker, s[0], first), *b = register_read(worker, s[1], first);
    const void *c = register_read(worker, s[2], first), *e = register_read(worker, s[3], first);
    void *d = register_write(worker, active, result, 0) - ((size_t)(active->first - first) << result.size);
    run_function(instruction, d, a, b, c, e, count);
    register_written(worker, active, result, 0);
    return true;
}

bool execute_load_parameter(Worker *worker, const Instruction *instruction, Active *active)
{
    uint64_t value = 0;
    Operand result = instruction->results[0];
    const char *parameters = worker->launch->request->parameters;
    worker->lanes->load_strided[instruction->is_signed][instruction->size][result.size](
        &value, parameters + instruction->offset, 0, 1);
    register_write_all(worker, active, result, &value);
    return true;
}

bool execute_active_mask(Worker *worker, const Instruction *instruction, Active *active)
{
    Operand result = instruction->results[0];
    uint32_t *to = (uint32_t *)register_write(worker, active, result, 0) - active->first;
    for (uint32_t lane = active->first; lane < active->end; lane++)
        to[lane] = active->bits[lane / SIM_WARP_SIZE];
    register_written(worker, active, result, 0);
    return true;
}

bool execute_nothing(Worker *worker, const Instruction *instruction, Active *active)
{
    return true;
}

static bool execute(Worker *worker, const Instruction *instruction, Active *active)
{
    switch ((InstructionKind)instruction->kind) {
#define INSTRUCTION(KIND, FUNCTION, ...)                                                                               \
    case KIND:                                                                                                         \
        return FUNCTION(worker, instruction, active);
#include "simgpu/code/instructions.def"
#undef INSTRUCTION
    }
    return true;
}

static bool execute_guarded(Worker *worker, const Instruction *instruction, const Active *active)
{
    Active part;
    return !predicate_lanes(worker, active, instruction->guard, instruction->guard_negated, &part) ||
           execute(worker, instruction, &part);
}

bool execute_instruction(Worker *worker, const Instruction *instruction, Active *active)
{
    return instruction->guard.slot == NO_SLOT ? execute(worker, instruction, active)
                                              : execute_guarded(worker, instruction, active);
}

/* Executes an instruction of a launch that is traced, or counts by lines. */
static bool execute_observed(Worker *worker, const Instruction *instruction, Active *active)
{
    const SimCounters before = worker->counters;
    Active part;
    bool is_followed = worker->provenance != NULL && provenance_before(worker, instruction, active, &part);
    bool going_on = execute_instruction(worker, instruction, active);
    if (is_followed && going_on)
        provenance_after(worker, instruction, &part);
    if (worker->lines != NULL)
        lines_note(worker, worker->launch->lines->of_instruction[instruction - worker->code->instructions], &before,
                   access_bytes_of_lane(instruction));
    return going_on;
}

/* Executes a basic block from instruction `first` on. */
static bool execute_block(Worker *worker, const BasicBlock *block, int32_t first, Active *active)
{
    for (int32_t i = first; i < block->end; i++) {
        const Instruction *instruction = &worker->code->instructions[i];
        bool is_observed = (worker->lines != NULL && instruction->kind != ALU) || worker->provenance != NULL;
        bool going_on = is_observed ? execute_observed(worker, instruction, active)
                                    : execute_instruction(worker, instruction, active);
        if (!going_on)
            return false;
    }
    return true;
}

void count_block(Worker *worker, const BasicBlock *block, Group *group, uint64_t times)
{
    const Active *active = &group->active;
    Executed *executed = &worker->executed[block - worker->code->blocks];
    executed->warps += active->warps * times;
    executed->lanes += active->count * times;
    worker->unreported += block->instructions * active->warps * times;
    worker->work += block->work * active->warps * times;
    worker->path.instructions += block->instructions * times;
    worker->path.loads += block->loads * times;
    worker->path.shared_loads += block->shared_loads * times;
    worker->path.constant_loads += block->constant_loads * times;
    group->path += block->instructions * times;
    for (uint32_t warp = 0; block->ends == END_BARRIER && warp < worker->launch->warps; warp++)
        worker->ahead[warp] = 0; /* it waits for the others */
}

/* ---- limits ------------------------------------------------------------------------------------------------------ */

/* Adds what the worker executed to the launch's sum, unless it repeats itself; false where the launch must end. */
bool may_go_on(Worker *worker)
{
    Launch *launch = worker->launch;
    const uint64_t counted = standstill_lasts(worker) ? 0 : worker->unreported;
    const uint64_t total = atomic_fetch_add(&launch->warp_instructions, counted) + counted;
    worker->unreported = 0;
    int none = SIM_OK;
    if (launch->request->warp_instructions > 0 && total > launch->request->warp_instructions)
        atomic_compare_exchange_strong(&launch->stop, &none, SIM_TIME_LIMIT);
    else if (atomic_load_explicit(launch->cancelled, memory_order_relaxed) != 0)
        atomic_compare_exchange_strong(&launch->stop, &none, SIM_CANCELLED);
    if (launch->request->block_instructions > 0 && worker->group_count > 0 &&
        worker->path.instructions > launch->request->block_instructions)
        return standstill_give_up(worker);
    return atomic_load_explicit(&launch->stop, memory_order_relaxed) == SIM_OK &&
           (worker->cluster == NULL ? worker->block : worker->cluster->first_block) <=
               atomic_load_explicit(&launch->fault_block, memory_order_relaxed);
}

bool count_backward_branches(Worker *worker, Group *group, uint32_t branches)
{
    bool cooperates = worker->launch->is_cooperative;
    bool may_wait = worker->group_count > 1 || worker->cluster != NULL || cooperates ||
                    (worker->bulk_count > 0 && group->backward >= BRANCHES_BEFORE_YIELD);
    uint32_t most = cooperates && group->active.count == 1 ? LOOKS_BEFORE_YIELD : BRANCHES_BEFORE_YIELD;
    if (may_wait && (group->backward += branches) >= most) {
        group->has_yielded = true;
        group->backward = 0;
    }
    const uint32_t before = worker->backward_branches, now = worker->backward_branches += branches;
    worker->look_is_due |= now / BRANCHES_BETWEEN_LOOKS != before / BRANCHES_BETWEEN_LOOKS;
    return now / BRANCHES_BETWEEN_CHECKS == before / BRANCHES_BETWEEN_CHECKS || may_go_on(worker);
}

/* ---- ends of blocks ---------------------------------------------------------------------------------------------- */

static bool go_to(Worker *worker, Group *group, int32_t pc)
{
    bool backward = pc <= group->pc;
    group->pc = pc;
    group->is_forced = false;
    return !backward || count_backward_branches(worker, group, 1);
}

static bool end_branch(Worker *worker, Group *group, const BasicBlock *block)
{
    Active taken;
    if (block->guard.slot == NO_SLOT)
        return go_to(worker, group, block->target);
    if (is_uniform(worker, block->guard)) { /* saves the copy that predicate_lanes() makes */
        bool taken_by_all = (*lane_of(worker, block->guard, 0) != 0) != block->guard_negated;
        return go_to(worker, group, taken_by_all ? block->target : group->pc + 1);
    }
    if (!predicate_lanes(worker, &group->active, block->guard, block->guard_negated, &taken))
        return go_to(worker, group, group->pc + 1);
    if (taken.count == group->active.count)
        return go_to(worker, group, block->target);
    Group *other = group_split(worker, group, &taken, group->pc);
    group_count_divergence(worker, group, other);
    bool going_on = go_to(worker, other, block->target);
    return go_to(worker, group, group->pc + 1) && going_on;
}

static bool end_indexed(Worker *worker, Group *group, const BasicBlock *block)
{
    while (group->active.count > 0) {
        uint64_t index = register_value(worker, block->index, group->active.first);
        if (index >= (uint64_t)block->target_count)
            return worker_fault(worker, SIM_OUT_OF_BOUNDS, block->file, block->line, group->active.first,
                                "jumps to entry %llu of a jump table of %d entries", (unsigned long long)index,
                                block->target_count);
        Active same = group->active;
        for (uint32_t lane = same.first; lane < same.end; lane++)
            if (register_value(worker, block->index, lane) != index)
                same.bits[lane / SIM_WARP_SIZE] &= ~(1u << lane % SIM_WARP_SIZE);
        active_measure(&same, worker);
        if (same.count == group->active.count)
            return go_to(worker, group, block->targets[index]);
        Group *other = group_split(worker, group, &same, group->pc);
        group_count_divergence(worker, group, other);
        if (!go_to(worker, other, block->targets[index]))
            return false;
    }
    return true;
}

static bool end_trap(Worker *worker, Group *group, const BasicBlock *block)
{
    Active trapped;
    if (!predicate_lanes(worker, &group->active, block->guard, block->guard_negated, &trapped))
        return go_to(worker, group, group->pc + 1);
    return worker_fault(worker, SIM_TRAP, block->file, block->line, trapped.first, "executes a trap");
}

static bool end_exit(Worker *worker, Group *group, const BasicBlock *block)
{
    Active leaving;
    if (!predicate_lanes(worker, &group->active, block->guard, block->guard_negated, &leaving))
        return go_to(worker, group, group->pc + 1);
    for (uint32_t word = 0; word < worker->launch->warps; word++) {
        worker->live[word] &= ~leaving.bits[word];
        if (leaving.bits[word] != 0 && worker->live[word] == 0)
            worker->stayed += group->path - worker->ahead[word];
        group->active.bits[word] &= ~leaving.bits[word];
    }
    worker->live_count -= leaving.count;
    worker->stayed_longest = group->path > worker->stayed_longest ? group->path : worker->stayed_longest;
    group->pc++;
    active_measure(&group->active, worker);
    if (group->active.count == 0)
        group_remove(worker, group);
    if (worker->cluster != NULL)
        cluster_barrier_open(worker);
    return worker->group_count == 0 || barrier_release_all(worker);
}

/* Calls may go on for as long as loops, and are limited as they are. */
static bool count_calls(Worker *worker, Group *group)
{
    return count_backward_branches(worker, group, 1);
}

static bool end_block(Worker *worker, Group *group, const BasicBlock *block)
{
    switch ((BlockEnd)block->ends) {
    case END_FALL: return go_to(worker, group, group->pc + 1);
    case END_BRANCH: return end_branch(worker, group, block);
    case END_INDEXED: return end_indexed(worker, group, block);
    case END_EXIT: return end_exit(worker, group, block);
    case END_BARRIER: return barrier_arrive(worker, group, block);
    case END_CLUSTER: return cluster_wait(worker, group, block);
    case END_TRAP: return end_trap(worker, group, block);
    case END_CALL: return call_enter(worker, group, block) && count_calls(worker, group);
    case END_RETURN: return call_return(worker, group, block) && count_calls(worker, group);
    }
    return false;
}

static bool end_block_and_count_line(Worker *worker, Group *group, const BasicBlock *block)
{
    const SimCounters before = worker->counters;
    bool going_on = end_block(worker, group, block);
    lines_note(worker, worker->launch->lines->of_end[block - worker->code->blocks], &before, 0);
    return going_on;
}

/* ---- a block of threads ------------------------------------------------------------------------------------------ */

static bool is_only_group(const Worker *worker, const Group *group)
{
    return worker->group_count == 1 && worker->groups[0] == group && !group->is_waiting && !group->has_yielded;
}

/* Has what the group waits for not happened yet, at least for some lanes? */
static bool waits_in_vain(Worker *worker, const Group *group, const BasicBlock *block)
{
    Active done;
    return block->source.slot == NO_SLOT || !predicate_lanes(worker, &group->active, block->source, false, &done) ||
           done.count < group->active.count;
}

/* Runs the basic block at which the group stands, from `at` on. False where a fault ended it. */
static bool run_basic_block(Worker *worker, Group *group, int32_t at)
{
    const BasicBlock *block = &worker->code->blocks[group->pc];
    bool counts_lines = worker->lines != NULL && block->ends != END_FALL;
    if (at == POINT_START) {
        if (block->joins && worker->sanitizer != NULL)
            sanitizer_sync_warps(worker->sanitizer, &group->active);
        count_block(worker, block, group, 1);
        at = block->first;
    }
    if (at != POINT_END && !execute_block(worker, block, at, &group->active))
        return false;
    if (block->waits && waits_in_vain(worker, group, block))
        group->backward = BRANCHES_BEFORE_YIELD;
    return (counts_lines ? end_block_and_count_line : end_block)(worker, group, block);
}

static bool must_wait_for_warp(Worker *worker, Group *group)
{
    if (!worker->code->blocks[group->pc].joins || group->is_forced || !group_misses_lanes(worker, group))
        return false;
    return group->has_yielded = true;
}

/* May the group run before any other group? */
static bool has_turn(const Worker *worker, const Group *group)
{
    return is_only_group(worker, group) || (!group->has_yielded && group_is_first(worker, group));
}

/* May such an end of a basic block remove the group, or let a waiting group go on? */
static bool may_free_groups(BlockEnd end)
{
    switch (end) {
    case END_FALL:
    case END_BRANCH:
    case END_INDEXED:
    case END_CALL:
    case END_RETURN: return false;
    case END_EXIT:
    case END_BARRIER:
    case END_CLUSTER:
    case END_TRAP: return true;
    }
    return true;
}

/* Blocks that take turns are looked at between two rounds of them. */
static bool look(Worker *worker)
{
    worker->look_is_due = false;
    return worker->cluster != NULL || worker->launch->is_cooperative || standstill_look(&worker, 1);
}

bool group_run(Worker *worker, Group *group)
{
    do {
        int32_t at = POINT_START;
        if (worker->jit != NULL) {
            TranslatorRun end = worker->launch->translator->run(worker, group, &at);
            if (end == TRANSLATOR_FAULT)
                return false;
            if (end == TRANSLATOR_STOPPED && at == POINT_START && !has_turn(worker, group))
                return true;
        }
        if (at == POINT_START && must_wait_for_warp(worker, group))
            return true;
        BlockEnd ends = (BlockEnd)worker->code->blocks[group->pc].ends;
        if (!run_basic_block(worker, group, at) || (worker->look_is_due && !look(worker)))
            return false;
        if (is_only_group(worker, group))
            continue;
        if (may_free_groups(ends))
            return true;
    } while (has_turn(worker, group));
    return true;
}

void groups_begin(Worker *worker)
{
    while (worker->group_count > 0)
        group_remove(worker, worker->groups[0]);
    memset(worker->arrived, 0, sizeof worker->arrived);
    memset(worker->expected, 0, sizeof worker->expected);
    memset(worker->cluster_arrived, 0, sizeof worker->cluster_arrived);
    memset(worker->cluster_owes, 0, sizeof worker->cluster_owes);
    memset(worker->warp_registers, 0, sizeof worker->warp_registers);
    worker->overdrawn = 0;
    standstill_begin(worker);
    Group *all = group_add(worker, 0);
    memcpy(all->active.bits, worker->live, worker->launch->warps * sizeof *worker->live);
}

/* The group to run next; NULL: none can run. Where all wait or look for something to change, a copy ends. */
static Group *next_group(Worker *worker)
{
    while (group_all_yield(worker) && bulk_copy_end_one(worker))
        group_wake_all(worker);
    return group_pick(worker);
}

bool run_block(Worker *worker)
{
    groups_begin(worker);
    while (worker->group_count > 0) {
        Group *group = next_group(worker);
        if (group == NULL)
            return barrier_deadlock(worker);
        if (!group_run(worker, group))
            return false;
    }
    bulk_copy_end_all(worker);
    return registers_suffice(worker) && may_go_on(worker);
}
