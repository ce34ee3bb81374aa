#include "simgpu/sanitizer/steps.h"

#include "simgpu/block/register.h"
#include "simgpu/code/used_bytes.h"
#include "simgpu/memory/footprint.h"

#include <string.h>

/* Bytes of a load that are not used do not count. */
static void add_load(const Worker *worker, const Instruction *load, uint64_t address, uint32_t bytes)
{
    const uint32_t uses = FOOTPRINT_LOAD | (load->is_strong ? FOOTPRINT_STRONG : 0);
    for (ByteRun run = next_used_bytes(load, bytes, 0); run.first < run.end;
         run = next_used_bytes(load, bytes, run.end))
        footprint_add(worker->sanitizer->plan->footprint, uses, address + run.first, run.end - run.first);
}

/* Storing what is there already does not count, unless it tells others something. */
static void add_store(const Worker *worker, const Instruction *store, uint32_t lane, uint64_t address)
{
    const uint32_t bytes = 1u << store->size;
    for (uint32_t i = 0; i < store->count; i++, address += bytes) {
        uint64_t value = register_value(worker, store->sources[1 + i], lane);
        if (store->is_strong)
            footprint_add(worker->sanitizer->plan->footprint, FOOTPRINT_ATOMIC | FOOTPRINT_STRONG, address, bytes);
        else if (memcmp((const void *)(uintptr_t)address, &value, bytes) != 0)
            footprint_add(worker->sanitizer->plan->footprint, FOOTPRINT_STORE, address, bytes);
    }
}

void steps_access(const Worker *worker, const Instruction *instruction, bool is_store, const Active *active,
                  uint64_t first, const int32_t *relative, uint32_t bytes)
{
    for (uint32_t lane = active->first; lane < active->end; lane++) {
        uint64_t address = first + (uint64_t)(int64_t)relative[lane - active->first];
        if (!active_has(active, lane))
            continue;
        if (is_store)
            add_store(worker, instruction, lane, address);
        else
            add_load(worker, instruction, address, bytes);
    }
}

void steps_uniform_load(const Worker *worker, const Instruction *instruction, uint64_t address, uint32_t bytes)
{
    add_load(worker, instruction, address, bytes);
}

void steps_atomic(const Worker *worker, const Instruction *instruction, uint64_t address)
{
    const uint32_t uses = FOOTPRINT_ATOMIC | (tells_of_others(instruction) ? FOOTPRINT_STRONG : 0);
    footprint_add(worker->sanitizer->plan->footprint, uses, address, 1u << instruction->size);
}

void steps_bulk_load(const Worker *worker, uint64_t address, uint32_t bytes)
{
    footprint_add(worker->sanitizer->plan->footprint, FOOTPRINT_LOAD, address, bytes);
}

void steps_bulk_store(const Worker *worker, const Instruction *copy, uint64_t address, const unsigned char *values,
                      uint32_t bytes)
{
    Footprint *footprint = worker->sanitizer->plan->footprint;
    if (copy->count > 0) {
        footprint_add(footprint, FOOTPRINT_ATOMIC, address, bytes);
        return;
    }
    const unsigned char *held = (const unsigned char *)(uintptr_t)address;
    for (uint32_t i = 0, run; i < bytes; i += run + 1) {
        for (run = 0; i + run < bytes && held[i + run] != values[i + run];)
            run++;
        footprint_add(footprint, FOOTPRINT_STORE, address + i, run);
    }
}

void sanitizer_fetch(const Worker *worker, uint64_t address, uint32_t bytes)
{
    if (worker->sanitizer->plan->footprint != NULL)
        footprint_add(worker->sanitizer->plan->footprint, FOOTPRINT_LOAD, address, bytes);
}
