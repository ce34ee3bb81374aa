/* Races between the blocks of a launch in global memory.
 *
 * Blocks run in an order that depends on the number of workers. What is kept of a grain must not: the lowest and the
 * highest of those who wrote it, read it and changed it atomically, which say whether two of them differ, and whether
 * all that was written is the same.
 *
 * Who a block was is one number that grows with the block: block, lane and instruction. It is kept so that zero, which
 * fresh pages hold, means nobody, and the larger one always wins.  */
#include "simgpu/validity.h"
#include "simgpu/watch.h"

#include <stdio.h>
#include <sys/mman.h>

typedef struct Extremes {
    _Atomic uint64_t last;   /* key | SET */
    _Atomic uint64_t first;  /* ~key */
} Extremes;

struct BlockGrain {
    Extremes writes, reads, atomics;
    _Atomic uint64_t value;  /* 0: none; ONE_VALUE | what was written; SEVERAL_VALUES */
};

enum { INDEX_BITS = 20, LANE_BITS = 10 };
#define SET (1ull << 63)
#define ONE_VALUE (1ull << 32)
#define SEVERAL_VALUES (1ull << 33)

static uint64_t key_of(const Worker *worker, const Instruction *instruction, uint32_t lane)
{
    return worker->block << (LANE_BITS + INDEX_BITS) | (uint64_t)lane << INDEX_BITS | (uint64_t)instruction->index;
}

static uint64_t block_of(uint64_t key) { return key >> (LANE_BITS + INDEX_BITS); }
static uint32_t lane_of_key(uint64_t key) { return (uint32_t)(key >> INDEX_BITS) & ((1u << LANE_BITS) - 1); }
static int32_t index_of(uint64_t key) { return (int32_t)(key & ((1u << INDEX_BITS) - 1)); }

/* ---- while blocks run -------------------------------------------------------------------------------------------- */

static void raise_to(_Atomic uint64_t *to, uint64_t value)
{
    uint64_t now = atomic_load_explicit(to, memory_order_relaxed);
    while (now < value && !atomic_compare_exchange_weak_explicit(to, &now, value, memory_order_relaxed,
                                                                 memory_order_relaxed))
        continue;
}

static void widen(Extremes *extremes, uint64_t key)
{
    raise_to(&extremes->last, key | SET);
    raise_to(&extremes->first, ~key);
}

static void agree(BlockGrain *grain, uint32_t value)
{
    uint64_t none = 0, one = ONE_VALUE | value;
    if (!atomic_compare_exchange_strong_explicit(&grain->value, &none, one, memory_order_relaxed,
                                                 memory_order_relaxed) && none != one)
        raise_to(&grain->value, SEVERAL_VALUES);
}

static BlockGrain *grain_at(const Worker *worker, int allocation, uint64_t address)
{
    const WatchPlan *plan = worker->watch->plan;
    uint64_t start = worker->launch->memory->allocations[allocation].address;
    return plan->grains[allocation] + ((address - start) >> plan->global_grain);
}

static bool is_noted(const Worker *worker, int allocation)
{
    return worker->watch->plan->grains[allocation] != NULL && !worker->watch->ordered;
}

void blocks_read(Worker *worker, const Instruction *instruction, uint32_t lane, int allocation, uint64_t address,
                 uint32_t bytes)
{
    if (!worker->watch->detailed || !is_noted(worker, allocation))
        return;
    BlockGrain *last = grain_at(worker, allocation, address + bytes - 1);
    for (BlockGrain *grain = grain_at(worker, allocation, address); grain <= last; grain++)
        widen(&grain->reads, key_of(worker, instruction, lane));
}

void blocks_write(Worker *worker, const Instruction *instruction, uint32_t lane, int allocation, uint64_t address,
                  uint32_t bytes)
{
    if (!is_noted(worker, allocation))
        return;
    uint8_t size = worker->watch->plan->global_grain;
    BlockGrain *grain = grain_at(worker, allocation, address);
    for (uint32_t offset = 0; offset < bytes; offset += 1u << size, grain++) {
        widen(&grain->writes, key_of(worker, instruction, lane));
        agree(grain, stored_part(worker, instruction, lane, offset, size));
    }
}

void blocks_atomic(Worker *worker, const Instruction *instruction, uint32_t lane, int allocation, uint64_t address)
{
    if (!is_noted(worker, allocation))
        return;
    BlockGrain *last = grain_at(worker, allocation, address + (1u << instruction->size) - 1);
    for (BlockGrain *grain = grain_at(worker, allocation, address); grain <= last; grain++)
        widen(&grain->atomics, key_of(worker, instruction, lane));
}

/* ---- when they have ended ---------------------------------------------------------------------------------------- */

static bool is_empty(const Extremes *extremes)
{
    return extremes->last == 0;
}

/* Two of them, of different blocks; false: there are none. */
static bool find_pair(const Extremes *ones, const Extremes *others, uint64_t *one, uint64_t *other)
{
    if (is_empty(ones) || is_empty(others))
        return false;
    *one = ones->last & ~SET;
    *other = ~others->first;
    if (block_of(*one) == block_of(*other)) {
        *one = ~ones->first;
        *other = others->last & ~SET;
    }
    return block_of(*one) != block_of(*other);
}

static void add_race(Found *found, uint64_t key, uint64_t other, Found race)
{
    race.count = 1;
    race.block = block_of(key);
    race.lane = lane_of_key(key);
    race.other_stored = true;
    race.other = block_of(other);
    found_add(found, index_of(key), SIM_RACE_OF_BLOCKS, &race);
}

static void find_race(const BlockGrain *grain, uint64_t address, uint8_t bytes, Found *found)
{
    const Found read = {.space = SIM_GLOBAL, .bytes = bytes, .address = address};
    Found store = read, atomic = read;
    uint64_t key, other;
    store.is_store = atomic.is_store = atomic.is_atomic = true;
    if (is_empty(&grain->writes))
        return;
    if (grain->value == SEVERAL_VALUES && find_pair(&grain->writes, &grain->writes, &key, &other))
        add_race(found, key, other, store);
    if (find_pair(&grain->reads, &grain->writes, &key, &other))
        add_race(found, key, other, read);
    if (find_pair(&grain->atomics, &grain->writes, &key, &other))
        add_race(found, key, other, atomic);
}

void blocks_find_races(const Launch *launch, int allocation, uint64_t low, uint64_t high, Found *found)
{
    uint8_t grain = launch->plan->global_grain;
    const BlockGrain *grains = launch->plan->grains[allocation];
    uint64_t start = launch->memory->allocations[allocation].address;
    for (uint64_t i = (low - start) >> grain; grains != NULL && start + (i << grain) < high; i++)
        find_race(&grains[i], start + (i << grain), (uint8_t)(1u << grain), found);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static size_t mapped_bytes(const WatchPlan *plan, const Allocation *allocation)
{
    return ((allocation->bytes >> plan->global_grain) + 1) * sizeof(BlockGrain);
}

/* Only pages that are used come into being. */
void block_grains_map(WatchPlan *plan, const Launch *launch)
{
    for (int i = 0; i < plan->allocations; i++) {
        const Allocation *allocation = &launch->memory->allocations[i];
        if (allocation->bytes > VALIDITY_MAX_BYTES)
            continue;
        void *pages = mmap(NULL, mapped_bytes(plan, allocation), PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        plan->grains[i] = pages == MAP_FAILED ? NULL : pages;
    }
}

void block_grains_unmap(WatchPlan *plan, const Launch *launch)
{
    for (int i = 0; i < plan->allocations; i++)
        if (plan->grains[i] != NULL)
            munmap(plan->grains[i], mapped_bytes(plan, &launch->memory->allocations[i]));
}
