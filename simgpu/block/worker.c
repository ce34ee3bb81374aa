#include "simgpu/block/lines.h"
#include "base/allocated.h"

#include <stdlib.h>
#include <string.h>

/* ---- memory of a worker ------------------------------------------------------------------------------------------ */

static void *allocate(size_t count, size_t size)
{
    size_t bytes = (count * size + 127) / 64 * 64; /* room for vector loads beyond the end */
    void *memory = allocated(aligned_alloc(64, bytes));
    memset(memory, 0, bytes);
    return memory;
}

static void set_pinned(Worker *worker, const SpecialRegister *pinned);

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
    for (int i = 0; i < code->pinned_count; i++)
        set_pinned(worker, &code->pinned[i]);
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
    free(worker->notes);
    free(worker->executed);
    free(worker->loaded);
    free(worker->stored);
    free(worker->lines);
    free(worker);
}

/* ---- special registers ------------------------------------------------------------------------------------------- */

static void set_uniform(Worker *worker, Operand operand, uint64_t value)
{
    memcpy(lane_of(worker, operand, 0), &value, (size_t)1 << operand.size);
    worker->states[operand.slot] = UNIFORM;
}

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

static uint32_t varying_value(const Worker *worker, const SpecialRegister *pinned, uint32_t thread)
{
    const uint32_t *size = worker->launch->request->block;
    switch (pinned->kind) {
    case SPECIAL_TID:
        return pinned->detail == 0   ? thread % size[0]
               : pinned->detail == 1 ? thread / size[0] % size[1]
                                     : thread / size[0] / size[1];
    case SPECIAL_LANE: return thread % SIM_WARP_SIZE;
    case SPECIAL_WARP: return thread / SIM_WARP_SIZE;
    default: return lane_mask(pinned->detail, thread % SIM_WARP_SIZE);
    }
}

/* Writes what stays the same for all blocks of the launch. */
static void set_pinned(Worker *worker, const SpecialRegister *pinned)
{
    const Launch *launch = worker->launch;
    switch (pinned->kind) {
    case SPECIAL_CONSTANT: set_uniform(worker, pinned->operand, pinned->value); break;
    case SPECIAL_NTID: set_uniform(worker, pinned->operand, launch->request->block[pinned->detail]); break;
    case SPECIAL_NCTAID: set_uniform(worker, pinned->operand, launch->request->grid[pinned->detail]); break;
    case SPECIAL_WARPS: set_uniform(worker, pinned->operand, launch->warps); break;
    case SPECIAL_DYNAMIC_SHARED: set_uniform(worker, pinned->operand, launch->request->dynamic_shared_bytes); break;
    case SPECIAL_TOTAL_SHARED: set_uniform(worker, pinned->operand, launch->shared_bytes); break;
    case SPECIAL_MULTIPROCESSORS: set_uniform(worker, pinned->operand, launch->profile->multiprocessors); break;
    case SPECIAL_CTAID:
    case SPECIAL_MULTIPROCESSOR: break; /* of the block */
    default:
        for (uint32_t thread = 0; thread < launch->threads; thread++) {
            uint32_t value = varying_value(worker, pinned, thread);
            memcpy(lane_of(worker, pinned->operand, thread), &value, sizeof value);
        }
        worker->states[pinned->operand.slot] = VARYING;
    }
}

/* Only what must be: a grid may have a million blocks of a few threads each. */
void worker_begin_block(Worker *worker, uint64_t block)
{
    const Launch *launch = worker->launch;
    const uint32_t *grid = launch->request->grid;
    worker->block = block;
    worker->block_index[0] = (uint32_t)(block % grid[0]);
    worker->block_index[1] = (uint32_t)(block / grid[0] % grid[1]);
    worker->block_index[2] = (uint32_t)(block / grid[0] / grid[1]);
    for (int i = 0; i < worker->code->pinned_count; i++) {
        const SpecialRegister *pinned = &worker->code->pinned[i];
        if (pinned->kind == SPECIAL_CTAID)
            set_uniform(worker, pinned->operand, worker->block_index[pinned->detail]);
        else if (pinned->kind == SPECIAL_MULTIPROCESSOR)
            set_uniform(worker, pinned->operand, block % launch->profile->multiprocessors);
    }
    for (uint32_t warp = 0; warp < launch->warps; warp++) {
        uint32_t lanes = launch->threads - warp * SIM_WARP_SIZE;
        worker->live[warp] = lanes >= SIM_WARP_SIZE ? ~0u : (1u << lanes) - 1;
    }
    worker->live_count = launch->threads;
    /* What was never written must not depend on which worker runs the block. */
    memset(worker->shared, launch->memory->fresh, launch->shared_bytes);
    memset(worker->local, launch->memory->fresh, (size_t)worker->frame_stride * launch->threads);
    worker->path = (SimWarpPath){0};
    worker->clock = 0;
    worker->trace = launch->is_timed ? trace_of(&launch->traces, block) : NULL;
}

/* ---- active lanes ------------------------------------------------------------------------------------------------ */

static uint32_t living_between(const Worker *worker, uint32_t first, uint32_t end)
{
    uint32_t living = 0;
    for (uint32_t start = first / SIM_WARP_SIZE * SIM_WARP_SIZE; start < end; start += SIM_WARP_SIZE) {
        uint32_t from = start < first ? first - start : 0, to = end - start;
        uint32_t range = (to >= SIM_WARP_SIZE ? ~0u : (1u << to) - 1) & ~0u << from;
        living += (uint32_t)__builtin_popcount(worker->live[start / SIM_WARP_SIZE] & range);
    }
    return living;
}

void active_measure(Active *active, const Worker *worker)
{
    uint32_t words = worker->launch->warps;
    active->count = active->warps = active->first = active->end = 0;
    active->mask = 0;
    for (uint32_t word = 0; word < words; word++) {
        uint32_t bits = active->bits[word];
        if (bits == 0)
            continue;
        if (active->count == 0)
            active->first = word * SIM_WARP_SIZE + (uint32_t)__builtin_ctz(bits);
        active->end = word * SIM_WARP_SIZE + SIM_WARP_SIZE - (uint32_t)__builtin_clz(bits);
        active->count += (uint32_t)__builtin_popcount(bits);
        active->warps++;
    }
    active->exact = active->count == active->end - active->first;
    active->full = active->count == living_between(worker, active->first, active->end);
    active->whole = active->count == worker->live_count;
}

bool active_where(Worker *worker, const Active *active, Operand predicate, bool negated, Active *part)
{
    if (is_uniform(worker, predicate)) {
        bool holds = predicate.slot == NO_SLOT || (*lane_of(worker, predicate, 0) != 0) != negated;
        if (holds && part != active)
            *part = *active;
        return holds;
    }
    uint32_t words[MAX_WARPS], first = active->first / SIM_WARP_SIZE, any = 0, missing = 0;
    uint32_t end = (active->end + SIM_WARP_SIZE - 1) / SIM_WARP_SIZE;
    const unsigned char *lanes = lane_of(worker, predicate, first * SIM_WARP_SIZE);
    worker->lanes->pack_bits(lanes, active->end - first * SIM_WARP_SIZE, words);
    if (part != active)
        memset(part->bits, 0, worker->launch->warps * sizeof *part->bits);
    for (uint32_t word = first; word < end; word++) {
        uint32_t holds = (negated ? ~words[word - first] : words[word - first]) & active->bits[word];
        missing |= holds ^ active->bits[word];
        any |= holds;
        part->bits[word] = holds;
    }
    if (missing == 0 && part != active)
        *part = *active;
    else if (missing != 0)
        active_measure(part, worker);
    return any != 0;
}

const uint8_t *active_mask(Worker *worker, Active *active)
{
    if (active->mask == 0 || active->mask != worker->masks) {
        worker->lanes->unpack_bits(active->bits, active->first, active->end - active->first,
                                   worker->mask + active->first);
        active->mask = ++worker->masks;
    }
    return worker->mask + active->first;
}

/* ---- registers --------------------------------------------------------------------------------------------------- */

void register_fill(Worker *worker, Operand operand)
{
    unsigned char value[8];
    memcpy(value, lane_of(worker, operand, 0), (size_t)1 << operand.size);
    worker->lanes->fill[operand.size](lane_of(worker, operand, 0), value, worker->launch->threads);
    worker->states[operand.slot] = FILLED;
}

unsigned char *register_write(Worker *worker, const Active *active, Operand operand, int index)
{
    size_t lane_bytes = (size_t)1 << operand.size;
    if (operand.slot == NO_SLOT || !active->full)
        return worker->scratch + (size_t)index * sizeof(uint64_t) * worker->capacity + active->first * lane_bytes;
    if (!active->whole && worker->states[operand.slot] == UNIFORM)
        register_fill(worker, operand);
    worker->states[operand.slot] = VARYING;
    return lane_of(worker, operand, active->first);
}

void register_written(Worker *worker, Active *active, Operand operand, int index)
{
    if (operand.slot == NO_SLOT || active->full)
        return;
    unsigned char *lanes = register_read(worker, operand, active->first);
    const unsigned char *results = register_write(worker, active, operand, index);
    worker->lanes->blend[operand.size](lanes, results, active_mask(worker, active), active->end - active->first);
    worker->states[operand.slot] = VARYING;
}

void register_write_all(Worker *worker, Active *active, Operand operand, const void *value)
{
    if (active->whole) {
        memcpy(lane_of(worker, operand, 0), value, (size_t)1 << operand.size);
        worker->states[operand.slot] = UNIFORM;
        return;
    }
    unsigned char *lanes = register_write(worker, active, operand, 0);
    worker->lanes->fill[operand.size](lanes, value, active->end - active->first);
    register_written(worker, active, operand, 0);
}

uint64_t register_value(const Worker *worker, Operand operand, uint32_t lane)
{
    if (operand.slot == NO_SLOT)
        return 0;
    const void *at = lane_of(worker, operand, worker->states[operand.slot] == UNIFORM ? 0 : lane);
    switch (operand.size) {
    case 0: return *(const uint8_t *)at;
    case 1: return *(const uint16_t *)at;
    case 2: return *(const uint32_t *)at;
    default: return *(const uint64_t *)at;
    }
}
