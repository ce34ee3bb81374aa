#include "simgpu/block/special_registers.h"

#include "base/arena.h"
#include "simgpu/block/cluster.h"
#include "simgpu/block/group.h"
#include "simgpu/block/lines.h"
#include "simgpu/block/register.h"
#include "simgpu/block/worker.h"

#include <stdlib.h>
#include <string.h>

/* ==== call stack ================================================================================================== */

static CallStack *call_stack_new(void)
{
    return zeroed(1, sizeof(CallStack));
}

static void call_stack_free(CallStack *stack)
{
    if (stack == NULL)
        return;
    for (uint32_t i = 0; i < stack->level_count; i++) {
        free(stack->levels[i]->states);
        free(stack->levels[i]->registers);
        free(stack->levels[i]);
    }
    free(stack->levels);
    free(stack);
}

/* Begins a block of threads, whose lanes are all in the kernel itself. */
static void call_stack_reset(CallStack *stack, const Code *code)
{
    uint32_t end = (code->frame_bytes + 15) / 16 * 16;
    for (int lane = 0; lane < MAX_THREADS; lane++) {
        stack->frame[lane] = 0;
        stack->end[lane] = end;
        stack->used[lane] = code->stack_bytes;
    }
    stack->highest = code->frame_bytes;
}

CallLevel *call_stack_level(CallStack *stack, uint32_t depth, const Code *code, uint32_t capacity)
{
    if (depth == stack->level_count) {
        CallLevel *level = zeroed(1, sizeof *level);
        level->states = zeroed((size_t)code->slot_count + 1, 1);
        level->registers = zeroed(code->unit_bytes, capacity);
        stack->levels = allocated(realloc(stack->levels, (depth + 1) * sizeof *stack->levels));
        stack->levels[stack->level_count++] = level;
    }
    return stack->levels[depth];
}

/* Each call but the last one calls another, and so takes at least 8 bytes on hardware for where it returns to. A frame
 * here also holds the arguments and results of calls, which hardware has in registers. */
enum { LEAST_STACK = 8, MOST_PER_BYTE = 16 };

/* Bytes of local memory that a lane's calls may take if its stack on hardware has `limit` bytes, after `code` is
 * complete. */
static uint64_t call_stack_bytes(const Code *code, uint64_t limit)
{
    uint64_t most_per_byte = 0, largest = 0;
    for (int i = 0; i < code->procedure_count; i++) {
        uint64_t frame = (code->procedures[i].frame_bytes + 31) / 16 * 16;
        uint64_t stack = code->procedures[i].stack_bytes;
        stack = stack < LEAST_STACK ? LEAST_STACK : stack;
        most_per_byte = (frame + stack - 1) / stack > most_per_byte ? (frame + stack - 1) / stack : most_per_byte;
        largest = frame > largest ? frame : largest;
    }
    return limit * (most_per_byte < MOST_PER_BYTE ? most_per_byte : MOST_PER_BYTE) + largest;
}

/* ==== special registers =========================================================================================== */

/* Writes the slots of constants and special registers. */

static void set_uniform(Worker *worker, Operand operand, uint64_t value)
{
    memcpy(lane_of(worker, operand, 0), &value, (size_t)1 << operand.size);
    worker->states[operand.slot] = UNIFORM;
}

/* `detail` as in SpecialRegister. */
static uint32_t lane_mask(int detail, uint32_t lane)
{
    uint32_t own = 1u << lane, below = own - 1;
    switch (detail) {
    case 0: return own;
    case 1: return below | own;
    case 2: return below;
    case 3: return ~below;
    default: return ~(below | own);
    }
}

static uint32_t thread_index(const uint32_t size[3], int axis, uint32_t thread)
{
    return axis == 0 ? thread % size[0] : axis == 1 ? thread / size[0] % size[1] : thread / size[0] / size[1];
}

typedef uint32_t ThreadValue(const Worker *worker, int detail, uint32_t thread);

static uint32_t tid_value(const Worker *worker, int axis, uint32_t thread)
{
    return thread_index(worker->launch->request->shape.block, axis, thread);
}

static uint32_t lane_value(const Worker *worker, int detail, uint32_t thread)
{
    return thread % SIM_WARP_SIZE;
}

static uint32_t warp_value(const Worker *worker, int detail, uint32_t thread)
{
    return thread / SIM_WARP_SIZE;
}

static uint32_t lanemask_value(const Worker *worker, int detail, uint32_t thread)
{
    return lane_mask(detail, thread % SIM_WARP_SIZE);
}

static void set_varying(Worker *worker, const SpecialRegister *special, ThreadValue *value_of)
{
    for (uint32_t thread = 0; thread < worker->launch->threads; thread++) {
        uint32_t value = value_of(worker, special->detail, thread);
        memcpy(lane_of(worker, special->operand, thread), &value, sizeof value);
    }
    worker->states[special->operand.slot] = VARYING;
}

static uint64_t unwritten_value(const Worker *worker, Operand operand)
{
    const uint64_t byte = worker->unwritten;
    return operand.size == 0 ? byte & 1 : byte * 0x0101010101010101; /* predicates hold 0 or 1 */
}

static void begin_launch(Worker *worker, const SpecialRegister *special)
{
    const Launch *launch = worker->launch;
    const LaunchShape *shape = &launch->request->shape;
    Operand operand = special->operand;
    switch (special->kind) {
    case SPECIAL_CONSTANT: set_uniform(worker, operand, special->value); break;
    case SPECIAL_TID: set_varying(worker, special, tid_value); break;
    case SPECIAL_NTID: set_uniform(worker, operand, shape->block[special->detail]); break;
    case SPECIAL_CTAID: break; /* of the block */
    case SPECIAL_NCTAID: set_uniform(worker, operand, shape->grid[special->detail]); break;
    case SPECIAL_LANE: set_varying(worker, special, lane_value); break;
    case SPECIAL_WARP: set_varying(worker, special, warp_value); break;
    case SPECIAL_WARPS: set_uniform(worker, operand, launch->warps); break;
    case SPECIAL_LANEMASK: set_varying(worker, special, lanemask_value); break;
    case SPECIAL_DYNAMIC_SHARED: set_uniform(worker, operand, shape->dynamic_shared_bytes); break;
    case SPECIAL_TOTAL_SHARED: set_uniform(worker, operand, launch->shared_bytes); break;
    case SPECIAL_MULTIPROCESSOR:
    case SPECIAL_UNWRITTEN:
    case SPECIAL_CLUSTER_CTAID:
    case SPECIAL_CLUSTERID:
    case SPECIAL_CLUSTER_RANK: break; /* of the block */
    case SPECIAL_CLUSTER_NCTAID: set_uniform(worker, operand, launch->cluster[special->detail]); break;
    case SPECIAL_NCLUSTERID:
        set_uniform(worker, operand, shape->grid[special->detail] / launch->cluster[special->detail]);
        break;
    case SPECIAL_CLUSTER_RANKS: set_uniform(worker, operand, launch->cluster_blocks); break;
    case SPECIAL_IS_CLUSTER: set_uniform(worker, operand, launch->is_explicit_cluster); break;
    case SPECIAL_WORKSPACE: set_uniform(worker, operand, launch->workspace >> special->detail & UINT32_MAX); break;
    case SPECIAL_MULTIPROCESSORS: set_uniform(worker, operand, launch->profile->multiprocessors); break;
    }
}

/* Those that stay the same for all blocks of the launch. */
static void special_registers_begin_launch(Worker *worker)
{
    for (int i = 0; i < worker->code->special_register_count; i++)
        begin_launch(worker, &worker->code->special_registers[i]);
}

/* Those that depend on worker->block. */
static void special_registers_begin_block(Worker *worker)
{
    for (int i = 0; i < worker->code->special_register_count; i++) {
        const SpecialRegister *special = &worker->code->special_registers[i];
        const uint32_t *cluster = worker->launch->cluster, *index = worker->block_index;
        const int axis = special->detail;
        if (special->kind == SPECIAL_CTAID)
            set_uniform(worker, special->operand, index[axis]);
        else if (special->kind == SPECIAL_CLUSTER_CTAID)
            set_uniform(worker, special->operand, index[axis] % cluster[axis]);
        else if (special->kind == SPECIAL_CLUSTERID)
            set_uniform(worker, special->operand, index[axis] / cluster[axis]);
        else if (special->kind == SPECIAL_CLUSTER_RANK)
            set_uniform(worker, special->operand, cluster_rank(worker));
        else if (special->kind == SPECIAL_MULTIPROCESSOR)
            set_uniform(worker, special->operand, worker->block % worker->launch->profile->multiprocessors);
        else if (special->kind == SPECIAL_UNWRITTEN)
            set_uniform(worker, special->operand, unwritten_value(worker, special->operand));
    }
}

/* ==== worker setup ================================================================================================ */

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
        worker->notes[i] = (AllocationCache){.allocation = -1, .low = UINT64_MAX};
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
    free(worker->taken);
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
    worker->path = worker->path_taken = (SimWarpPath){0};
    memset(worker->ahead, 0, sizeof worker->ahead);
    worker->work = worker->stayed = worker->stayed_longest = worker->taken_count = 0;
    worker->accesses_before += worker_accesses(worker);
    worker->clock = 0;
    worker->trace = launch->is_timed ? trace_of(&launch->traces, block) : NULL;
    if (launch->is_timed && worker->trace == NULL)
        worker->trace = trace_of(&launch->drawn, block);
}
