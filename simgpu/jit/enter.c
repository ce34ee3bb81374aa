#include "simgpu/jit/enter.h"

#include "simgpu/block/group.h"
#include "simgpu/block/memory_note.h"
#include "simgpu/block/register.h"
#include "simgpu/block/store_note.h"
#include "simgpu/engine/interpreter.h"
#include "simgpu/jit/jit_state.h"
#include "simgpu/jit/prove.h"
#include "simgpu/jit/scalar_registers.h"
#include "simgpu/sanitizer/sanitizer.h"

#include <string.h>

enum {
    TURNS = 256,         /* backward branches before the limits of the launch are checked */
    ENTRY_COSTS = 24,    /* of moving the registers there and back, in instructions of the interpreter */
    MOST_PROFIT = 1000,  /* so that old gains do not hide new losses */
    LEAST_PROFIT = -200, /* below this, an entry pauses */
    PAUSE = 1000         /* executions of the basic block without an entry */
};

static s32 execute_at(Frame *frame, s32 number)
{
    Worker *worker = frame->worker;
    const Point *point = &worker->jit->translation->points[number];
    const Instruction *instruction = &worker->code->instructions[point->instruction];
    put_scalars(worker, point);
    if (!execute_instruction(worker, instruction, worker->jit->active))
        return 0;
    for (int i = 0; i < MAX_RESULTS; i++) {
        Operand result = instruction->results[i];
        if (result.slot == NO_SLOT)
            continue;
        if (worker->states[result.slot] == UNIFORM)
            register_fill(worker, result);
        worker->states[result.slot] = VARYING;
    }
    reopen_scalars(worker, point);
    return 1;
}

static void sanitize_load(Frame *frame, s32 number, u64 first)
{
    Worker *worker = frame->worker;
    const Instruction *instruction = &worker->code->instructions[number];
    sanitizer_access(worker, instruction, (PtxSpace)instruction->space, instruction->kind == STORE, worker->jit->active,
                     first, pattern_of(frame, instruction), (uint32_t)instruction->count << instruction->size);
}

static void sanitize_store(Frame *frame, s32 number, u64 first)
{
    Worker *worker = frame->worker;
    const Point *point = &worker->jit->translation->points[number];
    put_scalars(worker, point);
    sanitize_load(frame, point->instruction, first);
    reopen_scalars(worker, point);
}

static void note_translated_store(Frame *frame, s32 number, u64 first)
{
    Worker *worker = frame->worker;
    const Instruction *instruction = &worker->code->instructions[number];
    store_note(worker, &worker->notes[instruction->index], worker->jit->active, first, pattern_of(frame, instruction),
               bytes_of_lane(instruction));
}

static void sanitize_join(Frame *frame)
{
    Worker *worker = frame->worker;
    sanitizer_sync_warps(worker->sanitizer, worker->jit->active);
}

static void sanitize_barrier(Frame *frame)
{
    Worker *worker = frame->worker;
    sanitizer_barrier(worker->sanitizer);
}

static void count_sums(Worker *worker, const Active *active)
{
    Sums *sums = &worker->jit->frame.sums;
    SimCounters *counters = &worker->counters;
    counters->global_load_requests += sums->load_requests * active->warps;
    counters->global_load_bytes += sums->load_bytes * active->count;
    counters->global_load_sectors += sums->load_sectors;
    counters->global_load_wavefronts += sums->load_wavefronts;
    counters->global_store_requests += sums->store_requests * active->warps;
    counters->global_store_bytes += sums->store_bytes * active->count;
    counters->global_store_sectors += sums->store_sectors;
    counters->shared_load_requests += sums->shared_loads * active->warps;
    counters->shared_load_wavefronts += sums->shared_load_wavefronts;
    counters->shared_store_requests += sums->shared_stores * active->warps;
    counters->shared_store_wavefronts += sums->shared_store_wavefronts;
    counters->constant_requests += sums->constant_loads * active->warps;
    counters->constant_replays += sums->constant_words - sums->constant_loads * active->warps;
    counters->barriers += sums->barriers * active->warps;
    *sums = (Sums){0};
}

static uint64_t count_blocks(Worker *worker, const Active *active)
{
    u64 *executed = worker->jit->frame.executed, all = 0;
    for (int i = 0; i < worker->code->block_count; i++) {
        if (executed[i] == 0)
            continue;
        count_block(worker, &worker->code->blocks[i], active, executed[i]);
        all += executed[i] * (1u + worker->code->blocks[i].instructions);
        executed[i] = 0;
    }
    return all;
}

static bool can_enter(Worker *worker, const Group *group, const Point *entry)
{
    if (entry == NULL || !set_box(worker, &group->active))
        return false;
    memset(worker->jit->taken, 0, (size_t)worker->jit->translation->axis_count * sizeof *worker->jit->taken);
    for (int i = 0; i < entry->scalar_count; i++)
        if (!take_scalar(worker, &entry->scalars[i]))
            return false;
    return true;
}

/* The balance depends only on what was executed, never on time, so that runs repeat; and only the speed depends on
 * it. */
static void note_profit(EntryProfit *profit, uint64_t instructions)
{
    int64_t balance = profit->balance + (int64_t)(instructions < MOST_PROFIT ? instructions : MOST_PROFIT) -
                      ENTRY_COSTS;
    profit->balance = (int32_t)(balance > MOST_PROFIT ? MOST_PROFIT : balance);
    if (balance < LEAST_PROFIT)
        *profit = (EntryProfit){.pause = PAUSE};
}

/* Runs the group. `*instructions` is the number that it executed; the result is that of TranslatedFunction. */
static int32_t run_group(Worker *worker, Group *group, int32_t limit, uint64_t *instructions)
{
    const Translation *translation = worker->jit->translation;
    Frame *frame = &worker->jit->frame;
    frame->lanes = group->active.count;
    frame->limit = limit;
    frame->whole = group->active.whole && worker->group_count == 1;
    frame->is_complete = !group_misses_lanes(worker, group);
    frame->turns = TURNS;
    worker->jit->noted = 0;
    int32_t end = translation->run(frame, group->pc);
    if (worker->trace != NULL) /* loads of a basic block that was left before it began */
        trace_take_back(worker->trace, worker->jit->noted - frame->sums.load_requests - frame->sums.constant_loads);
    count_sums(worker, &group->active);
    *instructions = count_blocks(worker, &group->active);
    return end;
}

TranslatorRun run_translation(Worker *worker, Group *group, int32_t *instruction)
{
    JitState *state = worker->jit;
    const Point *entry = state->translation->entries[group->pc];
    EntryProfit *profit = &state->profits[group->pc];
    int32_t limit = worker->group_count == 1 ? INT32_MAX : group_lowest_other(worker, group);
    uint64_t instructions = 0;
    state->active = &group->active;
    if (group->pc >= limit || (profit->pause > 0 && --profit->pause >= 0))
        return TRANSLATOR_DECLINED;
    if (!can_enter(worker, group, entry)) {
        note_profit(profit, 0);
        return TRANSLATOR_DECLINED;
    }
    open_lanes(worker, entry);
    int32_t end = run_group(worker, group, limit, &instructions);
    note_profit(profit, instructions);
    if (end < 0)
        return TRANSLATOR_FAULT;
    const Point *point = &state->translation->points[end];
    put_scalars(worker, point);
    group->pc = point->block;
    *instruction = point->instruction;
    if (!count_backward_branches(worker, group, (uint32_t)(TURNS - state->frame.turns)))
        return TRANSLATOR_FAULT;
    return instructions > 0 ? TRANSLATOR_STOPPED : TRANSLATOR_DECLINED;
}

void begin_translation(Worker *worker, const Translation *translation)
{
    worker->jit = jit_state_new(worker, translation);
    Frame *frame = &worker->jit->frame;
    frame->prove = prove_access;
    frame->measure = measure_axis;
    frame->execute = execute_at;
    frame->sanitize_load = sanitize_load;
    frame->sanitize_store = sanitize_store;
    frame->note_store = note_translated_store;
    frame->sanitize_join = sanitize_join;
    frame->sanitize_barrier = sanitize_barrier;
}
