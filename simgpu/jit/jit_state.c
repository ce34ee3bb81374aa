#include "simgpu/jit/jit_state.h"

#include "base/arena.h"
#include "simgpu/block/worker.h"

#include <stdlib.h>
#include <string.h>

void forget_proof(ProvenAccess *proven)
{
    *proven = (ProvenAccess){.steps = {INT64_MIN}, .lowest = UINT64_MAX};
}

uint64_t pattern_extent(const Pattern *pattern, uint32_t bytes)
{
    return (uint64_t)((int64_t)pattern->high - pattern->low) + bytes;
}

void settle_access(Worker *worker, const Instruction *instruction, ProvenAccess *proven, const Pattern *pattern)
{
    if (proven->lowest > proven->highest)
        return;
    cache_allocation(worker, &worker->notes[instruction->index], instruction->kind == STORE,
                     proven->lowest + (uint64_t)(int64_t)pattern->low,
                     proven->highest - proven->lowest + pattern_extent(pattern, lane_bytes(instruction)));
    proven->lowest = UINT64_MAX;
    proven->highest = 0;
}

static void settle_box(Worker *worker, ThreadBox *box)
{
    for (int i = 0; i < worker->code->instruction_count; i++) {
        const Instruction *instruction = &worker->code->instructions[i];
        bool is_access = instruction->kind == LOAD || instruction->kind == STORE;
        if (is_access && instruction->space != PTX_SHARED)
            settle_access(worker, instruction, &box->proven[instruction->index], &box->patterns[instruction->index]);
    }
}

Pattern *pattern_of(const Frame *frame, const Instruction *instruction)
{
    JitState *state = ((Worker *)frame->worker)->jit;
    ThreadBox *box = frame->proven == state->whole.proven ? &state->whole : &state->part;
    return &box->patterns[instruction->index];
}

u32 first_lane(const Frame *frame, const u32 shape[3])
{
    return (frame->from[2] * shape[1] + frame->from[1]) * shape[0] + frame->from[0];
}

void settle_all(Worker *worker)
{
    settle_box(worker, &worker->jit->whole);
    settle_box(worker, &worker->jit->part);
}

/* Places on irregular axes count from the first lane of the box, so that another box needs new ones. */
static void use_box(JitState *state, const ThreadBox *box)
{
    Frame *frame = &state->frame;
    bool is_other = memcmp(frame->from, box->from, sizeof box->from) != 0 ||
                    memcmp(frame->to, box->to, sizeof box->to) != 0;
    memcpy(frame->from, box->from, sizeof box->from);
    memcpy(frame->to, box->to, sizeof box->to);
    frame->proven = box->proven;
    for (int i = 0; i < state->translation->axis_count && is_other; i++)
        frame->axes[i].version = 0;
}

static bool find_box(const JitState *state, const Active *active, uint32_t from[3], uint32_t to[3])
{
    const uint32_t *shape = state->translation->shape;
    for (int i = 0; i < 3; i++) {
        from[i] = UINT32_MAX;
        to[i] = 0;
    }
    for (uint32_t lane = active->first; lane < active->end; lane++) {
        if (!active_has(active, lane))
            continue;
        const uint32_t at[3] = {lane % shape[0], lane / shape[0] % shape[1], lane / shape[0] / shape[1]};
        for (int i = 0; i < 3; i++) {
            from[i] = at[i] < from[i] ? at[i] : from[i];
            to[i] = at[i] >= to[i] ? at[i] + 1 : to[i];
        }
    }
    return active->count == (to[0] - from[0]) * (to[1] - from[1]) * (to[2] - from[2]);
}

bool set_box(Worker *worker, const Active *active)
{
    JitState *state = worker->jit;
    if (active->count == worker->launch->threads) {
        use_box(state, &state->whole);
        return true;
    }
    uint32_t from[3], to[3];
    if (!find_box(state, active, from, to))
        return false;
    if (memcmp(from, state->part.from, sizeof from) != 0 || memcmp(to, state->part.to, sizeof to) != 0) {
        settle_box(worker, &state->part);
        for (int i = 0; i < worker->code->memory_count; i++)
            forget_proof(&state->part.proven[i]);
        memcpy(state->part.from, from, sizeof from);
        memcpy(state->part.to, to, sizeof to);
    }
    use_box(state, &state->part);
    return true;
}

static void box_new(ThreadBox *box, const Worker *worker)
{
    int count = worker->code->memory_count;
    box->proven = zeroed((size_t)count, sizeof *box->proven);
    box->patterns = zeroed((size_t)count, sizeof *box->patterns);
    for (int i = 0; i < count; i++)
        forget_proof(&box->proven[i]);
}

static void box_free(ThreadBox *box, int count)
{
    for (int i = 0; i < count; i++)
        pattern_free(&box->patterns[i]);
    free(box->proven);
    free(box->patterns);
}

JitState *jit_state_new(Worker *worker, const Translation *translation)
{
    JitState *state = zeroed(1, sizeof *state);
    state->translation = translation;
    state->profits = zeroed((size_t)worker->code->block_count, sizeof *state->profits);
    box_new(&state->whole, worker);
    box_new(&state->part, worker);
    memcpy(state->whole.to, translation->shape, sizeof state->whole.to);
    state->frame = (Frame){
        .registers = worker->registers,
        .parameters = worker->launch->request->parameters,
        .shared = (char *)worker->shared,
        .worker = worker,
        .is_sanitized = worker->sanitizer != NULL,
        .executed = zeroed((size_t)worker->code->block_count, sizeof(u64)),
        .scalars = zeroed(worker->code->slot_count, sizeof(u64[PARTS])),
        .axes = zeroed((size_t)translation->axis_count, sizeof(Axis)),
    };
    state->taken = zeroed((size_t)translation->axis_count, sizeof *state->taken);
    for (int i = 0; i < translation->axis_count; i++)
        state->frame.axes[i].place = zeroed(worker->capacity, sizeof(s32));
    return state;
}

void jit_state_free(JitState *state)
{
    if (state == NULL)
        return;
    int count = state->translation->code->memory_count;
    box_free(&state->whole, count);
    box_free(&state->part, count);
    for (int i = 0; i < state->translation->axis_count; i++)
        free(state->frame.axes[i].place);
    free(state->frame.axes);
    free(state->taken);
    free(state->profits);
    free(state->frame.executed);
    free(state->frame.scalars);
    free(state);
}
