#include "simgpu/block/worker_setup.h"

#include "base/allocated.h"
#include "simgpu/block/call_stack.h"
#include "simgpu/block/group.h"
#include "simgpu/block/lines.h"
#include "simgpu/block/memory_note.h"
#include "simgpu/block/special_registers.h"

#include <stdlib.h>
#include <string.h>

/* ---- memory of a worker ------------------------------------------------------------------------------------------ */

static void *allocate(size_t count, size_t size)
{
    size_t bytes = (count * size + 127) / 64 * 64; /* vector loads may read beyond the end */
    void *memory = allocated(aligned_alloc(64, bytes));
    memset(memory, 0, bytes);
    return memory;
}

Worker *worker_new(Launch *launch)
{
    const Code *code = launch->code;
    Worker *worker = allocate(1, sizeof *worker);
    worker->launch = launch;
    worker->code = code;
    worker->lanes = lanes_best();
    worker->capacity = launch->capacity;
    worker->registers = allocate(code->unit_bytes, launch->capacity);
    worker->states = allocate(code->slot_count, 1);
    worker->scratch = allocate(MAX_RESULTS * sizeof(uint64_t), launch->capacity);
    worker->mask = allocate(launch->capacity, 1);
    worker->addresses = allocate(launch->capacity, sizeof *worker->addresses);
    worker->shared = allocate(launch->shared_bytes, 1);
    worker->frame_stride = (code->frame_bytes + 15) / 16 * 16;
    if (code->procedure_count > 0) {
        worker->calls = call_stack_new();
        worker->frame_stride += (uint32_t)call_stack_bytes(code, launch->stack_bytes);
    }
    worker->local = zeroed(worker->frame_stride, launch->capacity);
    worker->notes = allocate((size_t)code->memory_count, sizeof *worker->notes);
    for (int i = 0; i < code->memory_count; i++)
        worker->notes[i] = (MemoryNote){.allocation = -1, .low = UINT64_MAX};
    worker->executed = allocate((size_t)code->block_count, sizeof *worker->executed);
    worker->loaded = allocate((size_t)launch->memory->count, sizeof *worker->loaded);
    worker->stored = allocate((size_t)launch->memory->count, sizeof *worker->stored);
    for (int i = 0; i < launch->memory->count; i++)
        worker->loaded[i] = worker->stored[i] = (Touched){.low = UINT64_MAX};
    if (launch->lines != NULL)
        worker->lines = lines_empty(launch->lines);
    special_registers_begin_launch(worker);
    return worker;
}

void worker_free(Worker *worker)
{
    if (worker == NULL)
        return;
    for (int i = 0; i < worker->code->memory_count; i++) {
        pattern_free(&worker->notes[i].pattern);
        pattern_free(&worker->notes[i].masked);
    }
    for (int i = 0; i < worker->group_count; i++)
        free(worker->groups[i]);
    for (int i = 0; i < worker->spare_count; i++)
        free(worker->spares[i]);
    free(worker->registers);
    free(worker->states);
    free(worker->scratch);
    free(worker->mask);
    free(worker->addresses);
    free(worker->shared);
    free(worker->local);
    call_stack_free(worker->calls);
    free(worker->notes);
    free(worker->executed);
    free(worker->loaded);
    free(worker->stored);
    free(worker->lines);
    free(worker);
}

/* The frames of procedures are filled when they are called. */
static void begin_calls(Worker *worker)
{
    call_stack_reset(worker->calls, worker->code);
    for (uint32_t lane = 0; lane < worker->launch->threads; lane++)
        memset(worker->local + (size_t)lane * worker->frame_stride, worker->unwritten, worker->code->frame_bytes);
}

/* This does no more than it must: a grid may have a million blocks of a few threads each. */
void worker_begin_block(Worker *worker, uint64_t block)
{
    const Launch *launch = worker->launch;
    const uint32_t *grid = launch->request->shape.grid;
    worker->block = block;
    worker->unwritten = block % 2 == 0 ? launch->memory->uninitialised_byte : launch->memory->odd_byte;
    worker->block_index[0] = (uint32_t)(block % grid[0]);
    worker->block_index[1] = (uint32_t)(block / grid[0] % grid[1]);
    worker->block_index[2] = (uint32_t)(block / grid[0] / grid[1]);
    special_registers_begin_block(worker);
    for (uint32_t warp = 0; warp < launch->warps; warp++) {
        uint32_t lanes = launch->threads - warp * SIM_WARP_SIZE;
        worker->live[warp] = lanes >= SIM_WARP_SIZE ? ~0u : (1u << lanes) - 1;
    }
    worker->live_count = launch->threads;
    /* Bytes that were never written must not depend on which worker runs the block. */
    memset(worker->shared, worker->unwritten, launch->shared_bytes);
    if (worker->calls == NULL)
        memset(worker->local, worker->unwritten, (size_t)worker->frame_stride * launch->threads);
    else
        begin_calls(worker);
    worker->path = (SimWarpPath){0};
    worker->clock = 0;
    worker->trace = launch->is_timed ? trace_of(&launch->traces, block) : NULL;
    if (launch->is_timed && worker->trace == NULL)
        worker->trace = trace_of(&launch->drawn, block);
}
