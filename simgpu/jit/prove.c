#include "simgpu/jit/prove.h"

#include "simgpu/block/memory_note.h"
#include "simgpu/cost/merged_loads.h"
#include "simgpu/engine/access_count.h"

#include <stdlib.h>
#include <string.h>

static bool find_pattern(Worker *worker, const s64 steps[AXES + 1], const Axis *axis, Pattern *pattern)
{
    const JitState *state = worker->jit;
    const Frame *frame = &state->frame;
    const Active *active = state->active;
    const uint32_t *shape = state->translation->shape;
    memset(worker->addresses, 0, (active->end - active->first) * sizeof *worker->addresses);
    for (u32 z = frame->from[2]; z < frame->to[2]; z++)
        for (u32 y = frame->from[1]; y < frame->to[1]; y++)
            for (u32 x = frame->from[0]; x < frame->to[0]; x++) {
                u32 lane = (z * shape[1] + y) * shape[0] + x;
                worker->addresses[lane - active->first] = (u64)steps[0] * (x - frame->from[0]) +
                                                          (u64)steps[1] * (y - frame->from[1]) +
                                                          (u64)steps[2] * (z - frame->from[2]);
                if (axis != NULL)
                    worker->addresses[lane - active->first] += (u64)steps[AXES] * (u64)(s64)axis->place[lane];
            }
    if (pattern->relative == NULL)
        pattern_new(pattern, worker->capacity);
    return pattern_set(pattern, worker->addresses, active->first, active->end - active->first,
                       active->exact ? NULL : active->bits);
}

static int by_number(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* Does each lane touch bytes of its own? If not, the order in which the lanes store would matter. */
static bool is_apart(const Active *active, const Pattern *pattern, uint32_t bytes)
{
    int32_t places[MAX_THREADS];
    uint32_t count = 0;
    bool ascends = true;
    for (uint32_t i = 0; i < pattern->count; i++) {
        uint32_t lane = pattern->first + i;
        if (!active_has(active, lane))
            continue;
        ascends &= count == 0 || pattern->relative[i] >= places[count - 1];
        places[count++] = pattern->relative[i];
    }
    if (!ascends)
        qsort(places, count, sizeof *places, by_number);
    for (uint32_t i = 1; i < count; i++)
        if ((int64_t)places[i] - places[i - 1] < bytes)
            return false;
    return true;
}

static bool allow(ProvenAccess *proven, const Pattern *pattern, uint64_t begin, uint64_t end, uint32_t bytes,
                  uint64_t first)
{
    uint64_t wide = pattern_extent(pattern, bytes);
    if (wide > end - begin)
        return false;
    proven->origin = begin - (uint64_t)(int64_t)pattern->low;
    proven->room = end - begin - wide;
    return first - proven->origin <= proven->room;
}

static bool prove_global(Worker *worker, const Instruction *instruction, ProvenAccess *proven, Pattern *pattern,
                         u64 first)
{
    MemoryNote *note = &worker->notes[instruction->index];
    const uint32_t *bits = worker->jit->active->exact ? NULL : worker->jit->active->bits;
    uint32_t bytes = bytes_of_lane(instruction);
    settle_access(worker, instruction, proven, pattern);
    if (!note_access(worker, note, instruction->kind == STORE, first + (uint64_t)(int64_t)pattern->low,
                     pattern_extent(pattern, bytes)) ||
        !allow(proven, pattern, note->begin, note->end, bytes, first))
        return false;
    proven->is_noted = worker->launch->memory->allocations[note->allocation].from_host != NULL;
    proven->sectors[first % SECTOR_BYTES] = pattern_sectors(pattern, bits, first, bytes);
    proven->cost = instruction->space == PTX_CONST ? pattern_distinct(pattern, bits)
                                                   : pattern_load_wavefronts(pattern, bits, bytes);
    return true;
}

static bool prove_shared(Worker *worker, const Instruction *instruction, ProvenAccess *proven, Pattern *pattern,
                         u64 first)
{
    const uint32_t *bits = worker->jit->active->exact ? NULL : worker->jit->active->bits;
    uint32_t bytes = bytes_of_lane(instruction);
    if (!allow(proven, pattern, 0, worker->launch->shared_bytes, bytes, first))
        return false;
    proven->cost = pattern_wavefronts(pattern, bits, first, merged_bytes(instruction, bytes));
    for (int i = 0; i < SECTOR_BYTES; i++)
        proven->sectors[i] = 1;
    return true;
}

/* Lets the next access come to prove_access() whatever its address is, but keeps the pattern of its steps. */
static void ask_again(ProvenAccess *proven)
{
    proven->origin = UINT64_MAX;
    proven->room = 0;
}

s32 prove_access(Frame *frame, s32 number, u64 first, s64 x, s64 y, s64 z, s64 w, s32 on)
{
    Worker *worker = frame->worker;
    const Instruction *instruction = &worker->code->instructions[number];
    ProvenAccess *proven = &frame->proven[instruction->index];
    Pattern *pattern = pattern_of(frame, instruction);
    const s64 steps[AXES + 1] = {x, y, z, w};
    const Axis *axis = on >= 0 ? &frame->axes[on] : NULL;
    uint64_t version = axis != NULL ? axis->version : 0;
    uint32_t bytes = bytes_of_lane(instruction);
    if (memcmp(proven->steps, steps, sizeof steps) != 0 || proven->version != version) {
        if (instruction->space != PTX_SHARED)
            settle_access(worker, instruction, proven, pattern);
        forget_proof(proven);
        if (!find_pattern(worker, steps, axis, pattern) ||
            (instruction->kind == STORE && !is_apart(worker->jit->active, pattern, bytes)))
            return 0;
        memcpy(proven->steps, steps, sizeof steps);
        proven->version = version;
    }
    if (((first | pattern->misaligned) & (bytes - 1)) != 0)
        return 0;
    if (instruction->space == PTX_SHARED)
        return prove_shared(worker, instruction, proven, pattern, first);
    if (!prove_global(worker, instruction, proven, pattern, first))
        return 0;
    if (worker->trace != NULL && instruction->kind == LOAD) {
        access_trace_load(worker, instruction, worker->jit->active, first, pattern->relative, bytes);
        worker->jit->noted++;
        ask_again(proven);
    }
    return 1;
}

void ask_for_loads(Worker *worker)
{
    for (int i = 0; i < worker->code->memory_count; i++) {
        ask_again(&worker->jit->whole.proven[i]);
        ask_again(&worker->jit->part.proven[i]);
    }
}

static void find_extremes(const Frame *frame, const u32 shape[3], Axis *axis)
{
    s32 least = 0, most = 0;
    EACH_ROW(frame, shape, row)
    for (u32 x = frame->from[0]; x < frame->to[0]; x++) {
        least = axis->place[row + x] < least ? axis->place[row + x] : least;
        most = axis->place[row + x] > most ? axis->place[row + x] : most;
    }
    axis->least = least;
    axis->most = most;
}

u64 measure_axis(Frame *frame, s32 number, const void *lanes, s32 bytes)
{
    const Worker *worker = frame->worker;
    JitState *state = worker->jit;
    const u32 *shape = state->translation->shape;
    Axis *axis = &frame->axes[number];
    u32 lane = first_lane(frame, shape), from = frame->from[0], count = frame->to[0] - from;
    u64 first = bytes == 4 ? ((const u32 *)lanes)[lane] : ((const u64 *)lanes)[lane];
    bool has_changed = axis->version == 0, is_far = false;
    EACH_ROW(frame, shape, row)
    {
        int change = worker->lanes->measure[bytes == 8]((const char *)lanes + (size_t)(row + from) * (u32)bytes, first,
                                                        axis->place + row + from, count);
        has_changed |= change > 0;
        is_far |= change < 0;
    }
    if (is_far) {
        axis->version = 0;
    } else if (has_changed) {
        find_extremes(frame, shape, axis);
        axis->version = ++state->versions;
    }
    return first;
}
