#include "simgpu/sanitizer/steps.h"

#include "simgpu/block/register.h"
#include "simgpu/code/used_bytes.h"
#include "simgpu/memory/footprint.h"
#include "simgpu/sanitizer/grid_wait.h"
#include "simgpu/sanitizer/mbarriers.h"

#include <string.h>

static void add(const Worker *worker, uint32_t lane, uint32_t uses, uint64_t address, uint64_t bytes)
{
    const Sanitizer *sanitizer = worker->sanitizer;
    footprint_add(sanitizer->plan->footprint, uses | grid_wait_uses_of(sanitizer, lane, uses), address, bytes);
}

/* Bytes of a load that are not used do not count. */
static void add_load(const Worker *worker, const Instruction *load, uint32_t lane, uint64_t address, uint32_t bytes)
{
    const uint32_t uses = FOOTPRINT_LOAD | (load->is_strong ? FOOTPRINT_STRONG : 0);
    for (ByteRun run = next_used_bytes(load, bytes, 0); run.first < run.end;
         run = next_used_bytes(load, bytes, run.end))
        add(worker, lane, uses, address + run.first, run.end - run.first);
}

static uint32_t store_of(const unsigned char *held, const unsigned char *values, uint32_t bytes)
{
    return memcmp(held, values, bytes) == 0 ? FOOTPRINT_SAME_STORE : FOOTPRINT_STORE;
}

static void add_store(const Worker *worker, const Instruction *store, uint32_t lane, uint64_t address)
{
    const uint32_t bytes = 1u << store->size;
    for (uint32_t i = 0; i < store->count; i++, address += bytes) {
        uint64_t value = register_value(worker, store->sources[1 + i], lane);
        if (store->is_strong)
            add(worker, lane, FOOTPRINT_ATOMIC | FOOTPRINT_STRONG, address, bytes);
        else
            add(worker, lane, store_of((const unsigned char *)(uintptr_t)address, (const unsigned char *)&value, bytes),
                address, bytes);
    }
}

/* A load that may have waited for another thread of the block. */
static bool may_have_waited(const Instruction *load)
{
    return load->kind == LOAD && (load->is_strong || is_mbarrier(load));
}

void steps_access(const Worker *worker, const Instruction *instruction, PtxSpace space, bool is_store,
                  const Active *active, uint64_t first, const int32_t *relative, uint32_t bytes)
{
    if (may_have_waited(instruction))
        grid_wait_follow(worker->sanitizer, active);
    if (space == PTX_SHARED || space == PTX_LOCAL || space == PTX_PARAM)
        return;
    for (uint32_t lane = active->first; lane < active->end; lane++) {
        uint64_t address = first + (uint64_t)(int64_t)relative[lane - active->first];
        if (!active_has(active, lane))
            continue;
        if (is_store)
            add_store(worker, instruction, lane, address);
        else
            add_load(worker, instruction, lane, address, bytes);
    }
}

void steps_uniform_load(const Worker *worker, const Instruction *load, const Active *active, uint64_t address,
                        uint32_t bytes)
{
    if (may_have_waited(load))
        grid_wait_follow(worker->sanitizer, active);
    if (load->space != PTX_SHARED)
        add_load(worker, load, grid_wait_earliest(worker->sanitizer, active), address, bytes);
}

void steps_atomic(const Worker *worker, const Instruction *instruction, uint32_t lane, uint64_t address)
{
    const uint32_t uses = FOOTPRINT_ATOMIC | (tells_of_others(instruction) ? FOOTPRINT_STRONG : 0);
    add(worker, lane, uses, address, 1u << instruction->size);
}

/* A bulk copy or a texture fetch, of which the thread is not known. */
static void add_of_block(const Worker *worker, uint32_t uses, uint64_t address, uint64_t bytes)
{
    const Sanitizer *sanitizer = worker->sanitizer;
    footprint_add(sanitizer->plan->footprint, uses | grid_wait_uses(sanitizer, uses), address, bytes);
}

void steps_bulk_load(const Worker *worker, uint64_t address, uint32_t bytes)
{
    add_of_block(worker, FOOTPRINT_LOAD, address, bytes);
}

void steps_bulk_store(const Worker *worker, const Instruction *copy, uint64_t address, const unsigned char *values,
                      uint32_t bytes)
{
    if (copy->count > 0) {
        add_of_block(worker, FOOTPRINT_ATOMIC, address, bytes);
        return;
    }
    const unsigned char *held = (const unsigned char *)(uintptr_t)address;
    for (uint32_t i = 0, end; i < bytes; i = end) {
        const uint32_t uses = store_of(held + i, values + i, 1);
        for (end = i + 1; end < bytes && store_of(held + end, values + end, 1) == uses;)
            end++;
        add_of_block(worker, uses, address + i, end - i);
    }
}

void sanitizer_fetch(const Worker *worker, uint64_t address, uint32_t bytes)
{
    if (worker->sanitizer->plan->footprint != NULL)
        add_of_block(worker, FOOTPRINT_LOAD, address, bytes);
}
