#include "simgpu/jit/jit_state.h"

#include "base/allocated.h"
#include "simgpu/block/memory_note.h"

#include <stdlib.h>
#include <string.h>

void forget_known(Known *known)
{
    *known = (Known){.steps = {INT64_MIN}, .lowest = UINT64_MAX};
}

uint32_t bytes_of_lane(const Instruction *instruction)
{
    return (uint32_t)instruction->count << instruction->size;
}

uint64_t extent(const Pattern *pattern, uint32_t bytes)
{
    return (uint64_t)((int64_t)pattern->high - pattern->low) + bytes;
}

/* Tells the worker's notes which addresses have been touched. */
void settle(Worker *worker, const Instruction *instruction, Known *known, const Pattern *pattern)
{
    if (known->lowest > known->highest)
        return;
    note_access(worker, &worker->notes[instruction->index], instruction->kind == STORE,
                known->lowest + (uint64_t)(int64_t)pattern->low,
                known->highest - known->lowest + extent(pattern, bytes_of_lane(instruction)));
    known->lowest = UINT64_MAX;
    known->highest = 0;
}

static void settle_box(Worker *worker, Box *box)
{
    for (int i = 0; i < worker->code->instruction_count; i++) {
        const Instruction *instruction = &worker->code->instructions[i];
        bool is_access = instruction->kind == LOAD || instruction->kind == STORE;
        if (is_access && instruction->space != PTX_SHARED)
            settle(worker, instruction, &box->known[instruction->index], &box->patterns[instruction->index]);
    }
}

Pattern *pattern_of(const Frame *frame, const Instruction *instruction)
{
    Visit *visit = ((Worker *)frame->worker)->visit;
    Box *box = frame->known == visit->whole.known ? &visit->whole : &visit->part;
    return &box->patterns[instruction->index];
}

u32 first_lane(const Frame *frame, const u32 shape[3])
{
    return (frame->from[2] * shape[1] + frame->from[1]) * shape[0] + frame->from[0];
}

void visit_settle(Worker *worker)
{
    settle_box(worker, &worker->visit->whole);
    settle_box(worker, &worker->visit->part);
}

/* Irregular axes begin at the first lane of the box. */
static void use_box(Visit *visit, const Box *box)
{
    Frame *frame = &visit->frame;
    bool is_other = memcmp(frame->from, box->from, sizeof box->from) != 0 ||
                    memcmp(frame->to, box->to, sizeof box->to) != 0;
    memcpy(frame->from, box->from, sizeof box->from);
    memcpy(frame->to, box->to, sizeof box->to);
    frame->known = box->known;
    for (int i = 0; i < visit->translation->axis_count && is_other; i++)
        frame->axes[i].version = 0;
}

static bool find_box(const Visit *visit, const Active *active, uint32_t from[3], uint32_t to[3])
{
    const uint32_t *shape = visit->translation->shape;
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

/* False where the lanes are no box. */
bool set_box(Worker *worker, const Active *active)
{
    Visit *visit = worker->visit;
    if (active->count == worker->launch->threads) {
        use_box(visit, &visit->whole);
        return true;
    }
    uint32_t from[3], to[3];
    if (!find_box(visit, active, from, to))
        return false;
    if (memcmp(from, visit->part.from, sizeof from) != 0 || memcmp(to, visit->part.to, sizeof to) != 0) {
        settle_box(worker, &visit->part);
        for (int i = 0; i < worker->code->memory_count; i++)
            forget_known(&visit->part.known[i]);
        memcpy(visit->part.from, from, sizeof from);
        memcpy(visit->part.to, to, sizeof to);
    }
    use_box(visit, &visit->part);
    return true;
}

static void box_new(Box *box, const Worker *worker)
{
    int count = worker->code->memory_count;
    box->known = zeroed((size_t)count, sizeof *box->known);
    box->patterns = zeroed((size_t)count, sizeof *box->patterns);
    for (int i = 0; i < count; i++)
        forget_known(&box->known[i]);
}

static void box_free(Box *box, int count)
{
    for (int i = 0; i < count; i++)
        pattern_free(&box->patterns[i]);
    free(box->known);
    free(box->patterns);
}

Visit *visit_new(Worker *worker, const Translation *translation)
{
    Visit *visit = zeroed(1, sizeof *visit);
    visit->translation = translation;
    visit->worth = zeroed((size_t)worker->code->block_count, sizeof *visit->worth);
    box_new(&visit->whole, worker);
    box_new(&visit->part, worker);
    memcpy(visit->whole.to, translation->shape, sizeof visit->whole.to);
    visit->frame = (Frame){
        .registers = worker->registers,
        .parameters = worker->launch->request->parameters,
        .shared = (char *)worker->shared,
        .worker = worker,
        .is_watched = worker->watch != NULL,
        .executed = zeroed((size_t)worker->code->block_count, sizeof(u64)),
        .scalars = zeroed(worker->code->slot_count, sizeof(u64[PARTS])),
        .axes = zeroed((size_t)translation->axis_count, sizeof(Axis)),
    };
    visit->taken = zeroed((size_t)translation->axis_count, sizeof *visit->taken);
    for (int i = 0; i < translation->axis_count; i++)
        visit->frame.axes[i].place = zeroed(worker->capacity, sizeof(s32));
    return visit;
}

void visit_free(Visit *visit)
{
    if (visit == NULL)
        return;
    int count = visit->translation->code->memory_count;
    box_free(&visit->whole, count);
    box_free(&visit->part, count);
    for (int i = 0; i < visit->translation->axis_count; i++)
        free(visit->frame.axes[i].place);
    free(visit->frame.axes);
    free(visit->taken);
    free(visit->worth);
    free(visit->frame.executed);
    free(visit->frame.scalars);
    free(visit);
}
