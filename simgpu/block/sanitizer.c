#include "simgpu/block/sanitizer.h"

#include "base/arena.h"
#include "simgpu/block/active.h"
#include "simgpu/block/async_copies.h"
#include "simgpu/block/block_races.h"
#include "simgpu/block/cluster.h"
#include "simgpu/block/cluster_races.h"
#include "simgpu/block/raw_finding.h"
#include "simgpu/block/register.h"
#include "simgpu/block/shadow_cells.h"
#include "simgpu/block/thread_races.h"
#include "simgpu/block/warp_order.h"
#include "simgpu/block/worker.h"
#include "simgpu/code/code.h"
#include "simgpu/memory/footprint.h"
#include "simgpu/memory/validity.h"

#include <stdlib.h>
#include <string.h>

/* ==== sanitizer plan ============================================================================================== */

static bool may_reach(const Instruction *instruction, PtxSpace space)
{
    if (instruction->kind == COPY_ASYNC)
        return space == PTX_SHARED;
    return instruction->space == PTX_NO_SPACE || instruction->space == (uint8_t)space;
}

/* The cell size that the smallest store into a space needs, as a logarithm. */
static uint8_t smallest_store(const Code *code, PtxSpace space)
{
    uint8_t finest = MAX_CELL_LOG;
    for (int i = 0; i < code->instruction_count; i++) {
        const Instruction *instruction = &code->instructions[i];
        if (instruction->kind == STORE && may_reach(instruction, space) && instruction->size < finest)
            finest = instruction->size;
    }
    return finest;
}

static bool has_compare(const Code *code, PtxSpace space)
{
    for (int i = 0; i < code->instruction_count; i++) {
        const Instruction *instruction = &code->instructions[i];
        if (instruction->kind == ATOMIC && instruction->detail == ATOMIC_COMPARE && may_reach(instruction, space))
            return true;
    }
    return false;
}

/* The allocation to which a parameter leads: it is an address or a surface; -1: neither. */
static int allocation_of(const Launch *launch, uint64_t value)
{
    bool was_one;
    const Texture *surface = texture_find(launch->textures, value, &was_one);
    return memory_find(launch->memory, surface != NULL ? surface->is.address : value);
}

/* The allocations into which the launch may store: those to which the parameters lead from which its stores take their
 * addresses. A parameter that points into device memory, but to no allocation, may lead to any of them. */
static bool *find_changing(const Launch *launch)
{
    const Memory *memory = launch->memory;
    bool *may_change = zeroed((size_t)memory->count + 1, sizeof *may_change);
    bool may_be_any = (launch->code->targets & UNKNOWN_TARGET) != 0;
    for (uint32_t i = 0; i < 63; i++) {
        uint64_t value = 0;
        if (!(launch->code->targets >> i & 1))
            continue;
        memcpy(&value, (const char *)launch->request->parameters + i * sizeof value, sizeof value);
        int allocation = allocation_of(launch, value);
        if (allocation >= 0)
            may_change[allocation] = true;
        else
            may_be_any |= value - memory->base < memory->span; /* any other value is a number */
    }
    if (may_be_any)
        memset(may_change, true, (size_t)memory->count);
    return may_change;
}

static bool has_read_only_load(const Code *code)
{
    for (int i = 0; i < code->instruction_count; i++)
        if (code->instructions[i].kind == LOAD && code->instructions[i].is_read_only)
            return true;
    return false;
}

static bool can_follow(const Launch *launch)
{
    const uint64_t most_blocks = 1ull << 33, most_accesses = 1 << 20; /* what fits into a key of block_races.c */
    return launch->blocks < most_blocks && (uint64_t)launch->code->memory_count < most_accesses &&
           (!launch->is_cooperative || (launch->cluster_blocks == 1 && !launch->code->uses_cluster));
}

/* The sanitizer knows no order between the blocks of a cooperative launch, so that of all blocks only loads through the
 * read-only cache are checked, for which no order helps. */
static bool is_sample(const Launch *launch)
{
    return (launch->request->flags & SIM_SANITIZE_SAMPLE) != 0 ||
           (launch->is_cooperative && !has_read_only_load(launch->code));
}

/* What the numbers that choose blocks are drawn for. */
enum { PURPOSE_DETAILED = 1, PURPOSE_CLOSE };

/* The block that is chosen of run `number` of `length` blocks, counted from the first of them. */
static uint64_t chosen_of(const Chacha20Key *key, uint32_t purpose, uint64_t number, uint64_t length)
{
    if (key == NULL || length == 1)
        return 0;
    const Chacha20Block random = chacha20_block(key, 0, purpose, (uint32_t)number, (uint32_t)(number >> 32));
    return ((uint64_t)random.words[1] << 32 | random.words[0]) % length;
}

/* Drawn for all runs at once, since each block asks for it. */
static uint64_t *draw_detailed(const Chacha20Key *key, uint64_t clusters, uint64_t stride)
{
    const uint64_t runs = (clusters + stride - 1) / stride;
    uint64_t *detailed = zeroed(runs, sizeof *detailed);
    for (uint64_t i = 0; i < runs; i++)
        detailed[i] = i * stride + chosen_of(key, PURPOSE_DETAILED, i, stride);
    return detailed;
}

SanitizerPlan *sanitizer_plan_new(const Launch *launch)
{
    const Code *code = launch->code;
    Footprint *footprint = launch->request->footprint;
    const uint32_t checks = SIM_SANITIZE_RACES | (launch->is_cooperative ? 0 : SIM_SANITIZE_UNINITIALISED);
    const uint32_t flags = footprint != NULL ? 0 : launch->request->flags & checks;
    if (flags == 0 && footprint == NULL)
        return NULL;
    if (footprint == NULL && !can_follow(launch)) /* a footprint needs no order */
        return NULL;
    const uint64_t most_blocks = is_sample(launch) ? SAMPLED_BLOCKS : DETAILED_BLOCKS;
    const uint64_t most = (most_blocks + launch->cluster_blocks - 1) / launch->cluster_blocks;
    const uint64_t clusters = launch->clusters, stride = (clusters + most - 1) / most;
    SanitizerPlan *plan = zeroed(1, sizeof *plan);
    *plan = (SanitizerPlan){.flags = flags,
                            .is_sample = is_sample(launch),
                            .sample_key = launch->request->sample_key,
                            .stride = stride,
                            .detailed = draw_detailed(launch->request->sample_key, clusters, stride),
                            .close_stride = (clusters + stride * CLOSE_BLOCKS - 1) / (stride * CLOSE_BLOCKS) * stride,
                            .shared_cell_log = smallest_store(code, PTX_SHARED),
                            .global_cell_log = smallest_store(code, PTX_GLOBAL),
                            .has_shared_compare = has_compare(code, PTX_SHARED),
                            .has_global_compare = has_compare(code, PTX_GLOBAL),
                            .may_change = find_changing(launch),
                            .footprint = footprint};
    if ((plan->flags & SIM_SANITIZE_RACES) && !plan->is_sample)
        plan->block_shadow = block_shadow_new(launch, plan->global_cell_log);
    for (int i = 0; i < launch->memory->count; i++)
        validity_settle(&launch->memory->allocations[i]);
    return plan;
}

void sanitizer_plan_free(SanitizerPlan *plan)
{
    if (plan == NULL)
        return;
    block_shadow_free(plan->block_shadow);
    free(plan->may_change);
    free(plan->detailed);
    free(plan);
}

/* Is it an operation on an mbarrier: an arrival, or a look whether a phase is over? */
static inline bool is_mbarrier(const Instruction *instruction)
{
    return instruction->kind == ATOMIC ? instruction->detail >= ATOMIC_ARRIVE
                                       : instruction->kind == LOAD && instruction->detail == LOAD_MBARRIER;
}

/* ==== mbarriers =================================================================================================== */

/* Tells the sanitizer who arrives and waits at mbarriers, the barriers that are objects in shared memory. */

static uint64_t mbarrier_changed(AtomicKind kind, uint64_t word, uint64_t number)
{
    const int64_t bytes = kind == ATOMIC_EXPECT_BYTES ? (int64_t)number : -(int64_t)number;
    return kind == ATOMIC_ARRIVE || kind == ATOMIC_ARRIVE_DROP
               ? mbarrier_after(word, number, 0, kind == ATOMIC_ARRIVE_DROP)
               : mbarrier_after(word, 0, bytes, false);
}

/* Would this operation end the phase of the mbarrier at `place`? */
static bool ends_phase(const Worker *worker, const Instruction *instruction, uint32_t lane, const unsigned char *place)
{
    const uint64_t number = register_value(worker, instruction->sources[1], lane);
    uint64_t word;
    memcpy(&word, place, sizeof word);
    return (mbarrier_changed((AtomicKind)instruction->detail, word, number) ^ word) & MBARRIER_PARITY;
}

/* A lane arrives at the mbarrier at an offset of the block's shared memory; of that of `owner`, another block. */
static void mbarrier_arrive(Worker *worker, const Instruction *instruction, uint32_t lane, uint64_t offset)
{
    Sanitizer *sanitizer = worker->sanitizer;
    const bool arrives = instruction->detail == ATOMIC_ARRIVE || instruction->detail == ATOMIC_ARRIVE_DROP;
    if (!sanitizer->is_detailed)
        return;
    deferred_reads_stop(sanitizer);
    thread_races_mbarrier(worker, instruction, lane, offset);
    if (instruction->signals_copies)
        async_copies_signal(sanitizer, lane);
    const bool ends = ends_phase(worker, instruction, lane, worker->shared + offset);
    if (arrives || ends)
        warp_order_arrive_at(sanitizer, offset, lane, ends);
}

static void mbarrier_arrive_far(Worker *worker, Worker *owner, const Instruction *instruction, uint32_t lane,
                                uint64_t offset)
{
    const Sanitizer *there = owner->sanitizer;
    if (there == NULL || there->plan->footprint != NULL || !there->is_detailed)
        return;
    deferred_reads_stop(owner->sanitizer);
    warp_order_arrive_far(owner->sanitizer, offset, ends_phase(worker, instruction, lane, owner->shared + offset));
}

/* The active lanes look whether a phase is over; their addresses are those of the pattern, from `first` on. */
static void mbarrier_wait(Worker *worker, const Instruction *instruction, PtxSpace space, const Active *active,
                          uint64_t first, const Pattern *pattern)
{
    for (uint32_t lane = active->first; lane < active->end; lane++) {
        const int32_t relative = pattern->relative == NULL ? 0 : pattern->relative[lane - active->first];
        const uint64_t offset = first + (uint64_t)(int64_t)relative;
        if (space != PTX_SHARED || !worker->sanitizer->is_detailed || !active_has(active, lane))
            continue;
        thread_races_mbarrier(worker, instruction, lane, offset);
        warp_order_wait_at(worker->sanitizer, offset, lane);
        worker->sanitizer->waited_epoch = worker->sanitizer->epoch;
    }
}

/* ==== publication ================================================================================================= */

/* Which stores of a block other blocks may rely on.
 *
 * A block that has stored a result tells others by an atomic operation, or by a strong store, that it is there. They may
 * rely on it only if a __threadfence() comes after the store and before the telling: a store is first fenced, and then
 * published. Both must be done by the thread itself, or by one of its warp, or by one that has waited for it.
 *
 * Source   PTX ISA 9.0, Memory Consistency Model: Release and Acquire Patterns. */

/* Limits of a block: stores that are kept, and how often they are looked at. Stores beyond them count as published. */
enum { MOST_STORES = 1 << 15, MOST_LOOKS = 1 << 24 };

/* When a warp did something. */
typedef struct PublishedAt {
    uint32_t epoch, warp, warp_epoch;
} PublishedAt;

typedef struct SharedStore {
    const Instruction *store;
    uint64_t address;
    int allocation;
    uint32_t lane, bytes;
    bool was_late;    /* the block may have waited for others before */
    PublishedAt done; /* the store; once it is fenced, the fence */
} SharedStore;

struct Publication {
    SharedStore *stores;    /* [count]: first those that are fenced, then those that are not */
    uint32_t fenced, count; /* none of them is published */
    uint64_t looks;
};

/* NULL where the kernel has no operation by which blocks can wait for others. */
static Publication *publication_new(const Code *code)
{
    bool can_wait = false;
    for (int i = 0; i < code->instruction_count; i++) {
        const Instruction *instruction = &code->instructions[i];
        can_wait |= (instruction->kind == ATOMIC && tells_of_others(instruction)) ||
                    (instruction->kind == LOAD && instruction->is_strong);
    }
    if (!can_wait)
        return NULL;
    Publication *publication = zeroed(1, sizeof *publication);
    publication->stores = allocated(malloc(MOST_STORES * sizeof *publication->stores));
    return publication;
}

static void publication_free(Publication *publication)
{
    if (publication == NULL)
        return;
    free(publication->stores);
    free(publication);
}

static void publication_begin_block(Publication *publication)
{
    if (publication != NULL)
        *publication = (Publication){.stores = publication->stores};
}

/* Counts a look at all stores; false where there were too many. */
static bool may_look(Publication *publication)
{
    publication->looks += publication->count;
    if (publication->looks > MOST_LOOKS)
        publication->fenced = publication->count = 0;
    return publication->looks <= MOST_LOOKS;
}

static PublishedAt now(const Sanitizer *sanitizer, uint32_t warp)
{
    return (PublishedAt){.epoch = sanitizer->epoch, .warp = warp, .warp_epoch = sanitizer->warp_epoch[warp]};
}

/* Does what the warp does now come after that moment? */
static bool comes_after(const Sanitizer *sanitizer, uint32_t warp, const PublishedAt *moment)
{
    return moment->warp == warp || moment->epoch != sanitizer->epoch ||
           warp_order_has_waited(sanitizer, warp, moment->warp, moment->warp_epoch);
}

/* A plain store into global memory. */
static void publication_store(Worker *worker, const Instruction *store, uint32_t lane, int allocation, uint64_t address,
                              uint32_t bytes)
{
    const Sanitizer *sanitizer = worker->sanitizer;
    Publication *publication = sanitizer->publication;
    if (publication == NULL || publication->count == MOST_STORES || publication->looks > MOST_LOOKS)
        return;
    publication->stores[publication->count++] = (SharedStore){.store = store,
                                                              .address = address,
                                                              .allocation = allocation,
                                                              .lane = lane,
                                                              .bytes = bytes,
                                                              .was_late = block_races_is_late(worker),
                                                              .done = now(sanitizer, lane / SIM_WARP_SIZE)};
}

static void fence(Sanitizer *sanitizer, uint32_t warp)
{
    Publication *publication = sanitizer->publication;
    if (publication == NULL || !may_look(publication))
        return;
    for (uint32_t i = publication->fenced; i < publication->count; i++) {
        SharedStore fenced = publication->stores[i];
        if (!comes_after(sanitizer, warp, &fenced.done))
            continue;
        fenced.done = now(sanitizer, warp);
        publication->stores[i] = publication->stores[publication->fenced];
        publication->stores[publication->fenced++] = fenced;
    }
}

bool execute_fence(Worker *worker, const Instruction *instruction, Active *active)
{
    for (uint32_t warp = active->first / SIM_WARP_SIZE; warp * SIM_WARP_SIZE < active->end; warp++)
        if (worker->sanitizer != NULL && active->bits[warp] != 0)
            fence(worker->sanitizer, warp);
    return true;
}

/* A warp tells others: by an atomic operation, or a strong store. */
static void publication_tell(Sanitizer *sanitizer, const Instruction *instruction, uint32_t warp)
{
    Publication *publication = sanitizer->publication;
    if (publication == NULL)
        return;
    if (instruction->is_release)
        fence(sanitizer, warp);
    publication->looks += publication->fenced;
    for (uint32_t i = publication->fenced; i-- > 0;)
        if (comes_after(sanitizer, warp, &publication->stores[i].done)) {
            publication->stores[i] = publication->stores[--publication->fenced];
            publication->stores[publication->fenced] = publication->stores[--publication->count];
        }
}

/* A strong load, which cannot race: may it see too old a value of what another block has stored and not published? Not if
 * it is the load by which this block waits, the first of its kind. */
static bool publication_may_be_missed(Sanitizer *sanitizer, const Instruction *strong_load)
{
    if (!sanitizer->is_ordered)
        sanitizer->poll = strong_load;
    sanitizer->is_ordered = true;
    return sanitizer->publication != NULL && strong_load != sanitizer->poll;
}

/* The block has ended: what it has not published, nobody may rely on. */
static void publication_end_block(Worker *worker)
{
    const Publication *publication = worker->sanitizer->publication;
    for (uint32_t i = 0; publication != NULL && i < publication->count; i++) {
        const SharedStore *store = &publication->stores[i];
        block_races_unpublished(worker, store->store, store->was_late, store->lane, store->allocation, store->address,
                                store->bytes);
    }
}

/* ==== steps ======================================================================================================= */

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

static void steps_access(const Worker *worker, const Instruction *instruction, PtxSpace space, bool is_store,
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

/* The active lanes load or store `bytes` each, at the distances `relative` from `first`; in any space. */
static void steps_uniform_load(const Worker *worker, const Instruction *load, const Active *active, uint64_t address,
                               uint32_t bytes)
{
    if (may_have_waited(load))
        grid_wait_follow(worker->sanitizer, active);
    if (load->space != PTX_SHARED)
        add_load(worker, load, grid_wait_earliest(worker->sanitizer, active), address, bytes);
}

static void steps_atomic(const Worker *worker, const Instruction *instruction, uint32_t lane, uint64_t address)
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

/* ==== sanitizer =================================================================================================== */

/* ---- the sanitizer of a worker ----------------------------------------------------------------------------------- */

static size_t local_bytes(const Worker *worker)
{
    return (size_t)worker->frame_stride * worker->capacity;
}

Sanitizer *sanitizer_new(const Worker *worker)
{
    const SanitizerPlan *plan = worker->launch->sanitizer_plan;
    if (plan == NULL)
        return NULL;
    Sanitizer *sanitizer = zeroed(1, sizeof *sanitizer);
    sanitizer->plan = plan;
    sanitizer->cells = shadow_cells_new(worker->launch);
    sanitizer->cluster = cluster_races_new(worker);
    sanitizer->copies = async_copies_new(worker, COPY_ASYNC);
    sanitizer->bulk_copies = async_copies_new(worker, BULK_COPY);
    sanitizer->products = async_copies_new(worker, LOAD_WGMMA_TILE);
    sanitizer->fences = proxy_fences_new(worker);
    sanitizer->deferred = deferred_reads_new();
    sanitizer->order = warp_order_new();
    if (plan->block_shadow != NULL && sanitizer->cluster == NULL && /* a block may tell what another one has stored */
        !worker->launch->is_cooperative)
        sanitizer->publication = publication_new(worker->code);
    if ((plan->flags & SIM_SANITIZE_UNINITIALISED) && worker->frame_stride > 0)
        sanitizer->local = zeroed(local_bytes(worker), 1);
    sanitizer->found = raw_findings_new(worker->code);
    return sanitizer;
}

void sanitizer_free(Sanitizer *sanitizer)
{
    if (sanitizer == NULL)
        return;
    shadow_cells_free(sanitizer->cells);
    cluster_races_free(sanitizer->cluster);
    cluster_global_free(sanitizer->cluster_global);
    free(sanitizer->copies);
    free(sanitizer->bulk_copies);
    free(sanitizer->products);
    proxy_fences_free(sanitizer->fences);
    free(sanitizer->order);
    publication_free(sanitizer->publication);
    deferred_reads_free(sanitizer->deferred);
    free(sanitizer->local);
    free(sanitizer->found);
    free(sanitizer);
}

static bool is_in_detail(const SanitizerPlan *plan, uint64_t block, uint64_t blocks)
{
    return block == 0 || block + 1 == blocks || block == plan->detailed[block / plan->stride];
}

bool sanitizer_details(const Launch *launch, uint64_t block)
{
    const SanitizerPlan *plan = launch->sanitizer_plan;
    return plan != NULL && is_in_detail(plan, block, launch->blocks);
}

/* A block that is searched closely is one of those that are checked in detail. The blocks of a cluster are chosen
 * together, and `block` counts clusters. */
static void choose_checks(Sanitizer *sanitizer, bool is_cooperative, uint64_t block, uint64_t blocks)
{
    const SanitizerPlan *plan = sanitizer->plan;
    const Chacha20Key *key = plan->sample_key;
    const uint64_t run = block / plan->stride, runs = plan->close_stride / plan->stride;
    const bool is_end = block == 0 || block + 1 == blocks;
    sanitizer->is_detailed = is_in_detail(plan, block, blocks);
    sanitizer->is_close = sanitizer->is_detailed && !is_cooperative &&
                          (is_end || run % runs == chosen_of(key, PURPOSE_CLOSE, run / runs, runs));
}

/* The new epoch and the new generation make all that earlier blocks left in the tables invalid, so that nothing needs
 * to be cleared. */
bool sanitizer_begin_block(Worker *worker)
{
    Sanitizer *sanitizer = worker->sanitizer;
    choose_checks(sanitizer, worker->launch->is_cooperative,
                  worker->cluster == NULL ? worker->block : worker->cluster->number, worker->launch->clusters);
    if (sanitizer->plan->is_sample && !sanitizer->is_detailed)
        return false;
    sanitizer->is_ordered = false;
    sanitizer->poll = NULL;
    sanitizer->first_epoch = sanitizer->epoch + 1;
    sanitizer->epoch += 2; /* first_epoch itself stands for "before the block's first accesses" */
    async_copies_begin_block(worker);
    deferred_reads_drop(sanitizer);
    warp_order_begin_block(sanitizer->order);
    proxy_fences_begin_block(worker);
    sanitizer->grid_wait = (GridWait){.has_waited = false};
    cluster_races_begin_block(sanitizer);
    publication_begin_block(sanitizer->publication);
    if (sanitizer->local != NULL && ++sanitizer->generation == 0) {
        memset(sanitizer->local, 0, local_bytes(worker));
        sanitizer->generation = 1;
    }
    return true;
}

void sanitizer_barrier(Sanitizer *sanitizer)
{
    sanitizer->epoch++;
    deferred_reads_drop(sanitizer);
    warp_order_barrier(sanitizer->order);
    grid_wait_barrier(sanitizer);
}

void sanitizer_cluster_barrier(Worker *worker)
{
    grid_wait_cluster_barrier(worker->sanitizer);
    sanitizer_barrier(worker->sanitizer);
    cluster_races_end_phase(worker);
}

void sanitizer_sync_warps(Sanitizer *sanitizer, const Active *active)
{
    deferred_reads_apply(sanitizer);
    grid_wait_sync_warps(sanitizer, active);
    for (uint32_t warp = active->first / SIM_WARP_SIZE; warp * SIM_WARP_SIZE < active->end; warp++)
        sanitizer->warp_epoch[warp] += active->bits[warp] != 0;
}

/* ---- local memory ------------------------------------------------------------------------------------------------ */

static void touch_local(Worker *worker, const Instruction *instruction, bool is_store, uint32_t lane, uint64_t offset,
                        uint32_t bytes)
{
    Sanitizer *sanitizer = worker->sanitizer;
    uint8_t *written = sanitizer->local + (size_t)lane * worker->frame_stride + offset;
    if (is_store) {
        memset(written, sanitizer->generation, bytes);
        return;
    }
    for (uint32_t i = 0; i < bytes && !instruction->is_hidden; i++)
        if (written[i] != sanitizer->generation) {
            raw_finding_note(
                worker, instruction, SIM_UNINITIALISED,
                (RawFinding){.lane = lane, .space = SIM_LOCAL, .bytes = (uint8_t)bytes, .address = offset});
            return;
        }
}

void sanitizer_local_written(Worker *worker, uint32_t lane, uint64_t offset, uint64_t bytes)
{
    const Sanitizer *sanitizer = worker->sanitizer;
    if (sanitizer->local != NULL)
        memset(sanitizer->local + (size_t)lane * worker->frame_stride + offset, sanitizer->generation, bytes);
}

/* No generation is 0. */
void sanitizer_local_forgotten(Worker *worker, uint32_t lane, uint64_t offset, uint64_t bytes)
{
    const Sanitizer *sanitizer = worker->sanitizer;
    if (sanitizer->local != NULL)
        memset(sanitizer->local + (size_t)lane * worker->frame_stride + offset, 0, bytes);
}

/* ---- global memory ----------------------------------------------------------------------------------------------- */

static void note_unwritten(Worker *worker, const Instruction *instruction, uint32_t lane, uint64_t address,
                           uint32_t bytes)
{
    raw_finding_note(worker, instruction, SIM_UNINITIALISED,
                     (RawFinding){.lane = lane, .space = SIM_GLOBAL, .bytes = (uint8_t)bytes, .address = address});
}

static void load_global(Worker *worker, const Instruction *instruction, uint32_t lane, int allocation, uint64_t address,
                        uint32_t bytes)
{
    Sanitizer *sanitizer = worker->sanitizer;
    if (!sanitizer->plan->is_sample &&
        !validity_holds(&worker->launch->memory->allocations[allocation], address, bytes))
        note_unwritten(worker, instruction, lane, address, bytes);
    if (sanitizer->is_close)
        thread_races_read(worker, instruction, false, lane, address, bytes);
    if (instruction->is_strong ? publication_may_be_missed(sanitizer, instruction)
                               : sanitizer->is_detailed || sanitizer->is_ordered || instruction->is_read_only)
        block_races_read(worker, instruction, lane, allocation, address, bytes);
}

static void store_global(Worker *worker, const Instruction *instruction, uint32_t lane, int allocation,
                         uint64_t address, uint32_t bytes)
{
    validity_mark(&worker->launch->memory->allocations[allocation], address, bytes);
    if (worker->sanitizer->is_close)
        thread_races_write(worker, instruction, false, lane, address, bytes);
    if (instruction->is_strong) {
        publication_tell(worker->sanitizer, instruction, lane / SIM_WARP_SIZE);
    } else {
        block_races_write(worker, instruction, lane, allocation, address, bytes, NULL);
        publication_store(worker, instruction, lane, allocation, address, bytes);
    }
}

/* The index of the allocation at an address: mostly that of the instruction's last access. */
static int allocation_at(const Worker *worker, const Instruction *instruction, uint64_t address)
{
    const AllocationCache *note = &worker->notes[instruction->index];
    return address - note->begin < note->end - note->begin ? note->allocation
                                                           : memory_find(worker->launch->memory, address);
}

static bool holds(const Allocation *allocation, uint64_t address)
{
    return address >= allocation->address && address - allocation->address < allocation->bytes;
}

/* ---- all spaces -------------------------------------------------------------------------------------------------- */

static void check_global(Worker *worker, const Instruction *instruction, bool is_store, const Active *active,
                         uint64_t first, const int32_t *relative, uint32_t bytes)
{
    const Memory *memory = worker->launch->memory;
    int allocation = allocation_at(worker, instruction, first);
    worker->sanitizer->store += is_store;
    for (uint32_t lane = active->first; lane < active->end; lane++) {
        if (!active_has(active, lane))
            continue;
        uint64_t address = first + (uint64_t)(int64_t)relative[lane - active->first];
        if (!holds(&memory->allocations[allocation], address))
            allocation = memory_find(memory, address);
        (is_store ? store_global : load_global)(worker, instruction, lane, allocation, address, bytes);
    }
}

void sanitizer_store_row(Worker *worker, const Instruction *instruction, uint32_t lane, uint64_t offset,
                         const unsigned char *values, uint32_t bytes)
{
    if (worker->sanitizer->plan->footprint != NULL || !worker->sanitizer->is_detailed)
        return;
    deferred_reads_stop(worker->sanitizer);
    thread_races_store(worker, instruction, lane, offset, bytes, values);
}

void sanitizer_load_row(Worker *worker, const Instruction *instruction, uint32_t lane, uint64_t offset, uint32_t bytes)
{
    if (worker->sanitizer->plan->footprint != NULL || !worker->sanitizer->is_detailed)
        return;
    deferred_reads_apply(worker->sanitizer);
    thread_races_read(worker, instruction, true, lane, offset, bytes);
}

void sanitizer_product_reads(Worker *worker, const Instruction *load, uint32_t lane, uint64_t offset, uint32_t bytes)
{
    if (worker->sanitizer->plan->footprint == NULL && worker->sanitizer->is_detailed)
        thread_races_take(worker, load, lane, offset, bytes);
}

/* Is there nothing to find in a load of [low, end) of global memory? So it is where the allocation is completely
 * written, and where either the block is not checked in detail or the launch does not store there. */
static bool is_plain(const Worker *worker, const Instruction *load, uint64_t low, uint64_t end)
{
    const Sanitizer *sanitizer = worker->sanitizer;
    int index = allocation_at(worker, load, low);
    const Allocation *allocation = &worker->launch->memory->allocations[index];
    return allocation->written == NULL && end - allocation->address <= allocation->bytes &&
           ((!sanitizer->is_detailed && !sanitizer->is_ordered && !load->is_read_only) ||
            (!load->is_strong && !sanitizer->plan->may_change[index]));
}

static void check_local(Worker *worker, const Instruction *instruction, bool is_store, const Active *active,
                        uint64_t first, const int32_t *relative, uint32_t bytes)
{
    for (uint32_t lane = active->first; lane < active->end; lane++)
        if (active_has(active, lane))
            touch_local(worker, instruction, is_store, lane, first + (uint64_t)(int64_t)relative[lane - active->first],
                        bytes);
}

static void check_shared(Worker *worker, const Instruction *instruction, bool is_store, const Active *active,
                         uint64_t first, const Pattern *pattern, uint32_t bytes)
{
    const SharedRead read = {.load = instruction,
                             .active = active,
                             .address = first,
                             .relative = pattern->relative,
                             .low = first + (uint64_t)(int64_t)pattern->low,
                             .end = first + (uint64_t)(int64_t)pattern->high + bytes,
                             .bytes = bytes};
    if (!is_store && deferred_reads_add(worker, &read))
        return;
    (is_store ? deferred_reads_stop : deferred_reads_apply)(worker->sanitizer);
    worker->sanitizer->store += is_store;
    for (uint32_t lane = active->first; lane < active->end; lane++) {
        uint64_t address = first + (uint64_t)(int64_t)pattern->relative[lane - active->first];
        if (active_has(active, lane))
            (is_store ? thread_races_write : thread_races_read)(worker, instruction, true, lane, address, bytes);
    }
}

/* The first and the last lane of each warp represent all its lanes. */
static void read_by_ends(Worker *worker, const Instruction *instruction, bool is_shared, const Active *active,
                         uint64_t address, uint32_t bytes)
{
    for (uint32_t warp = 0; warp < worker->launch->warps; warp++) {
        uint32_t bits = active->bits[warp], lane = warp * SIM_WARP_SIZE;
        if (bits == 0)
            continue;
        thread_races_read(worker, instruction, is_shared, lane + (uint32_t)__builtin_ctz(bits), address, bytes);
        thread_races_read(worker, instruction, is_shared, lane + 31 - (uint32_t)__builtin_clz(bits), address, bytes);
    }
}

static void check_uniform_bytes(Worker *worker, const Instruction *instruction, const Active *active, uint64_t address,
                                uint32_t bytes)
{
    const SharedRead read = {.load = instruction,
                             .active = active,
                             .address = address,
                             .low = address,
                             .end = address + bytes,
                             .bytes = bytes};
    if (instruction->kind == LOAD && is_mbarrier(instruction)) {
        const Pattern none = {.relative = NULL};
        mbarrier_wait(worker, instruction, (PtxSpace)instruction->space, active, address, &none);
    } else if (instruction->space == PTX_SHARED) {
        if (!worker->sanitizer->is_detailed || deferred_reads_add(worker, &read))
            return;
        deferred_reads_apply(worker->sanitizer);
        read_by_ends(worker, instruction, true, active, address, bytes);
    } else if (instruction->space != PTX_CONST && !is_plain(worker, instruction, address, address + bytes)) {
        load_global(worker, instruction, active->first, allocation_at(worker, instruction, address), address, bytes);
        if (worker->sanitizer->is_close)
            read_by_ends(worker, instruction, false, active, address, bytes);
    }
}

static void check_bytes(Worker *worker, const Instruction *instruction, PtxSpace space, bool is_store,
                        const Active *active, uint64_t first, const Pattern *pattern, uint32_t bytes)
{
    const Sanitizer *sanitizer = worker->sanitizer;
    /* Findings must not depend on which engine noticed that all lanes have the same address, so it is found out
     * here. */
    bool is_uniform = pattern->low == 0 && pattern->high == 0 && instruction->kind == LOAD &&
                      (instruction->space == PTX_GLOBAL || instruction->space == PTX_SHARED);
    if (space == PTX_CONST || space == PTX_PARAM)
        return;
    if (is_mbarrier(instruction)) {
        mbarrier_wait(worker, instruction, space, active, first, pattern);
        return;
    }
    if (is_uniform)
        check_uniform_bytes(worker, instruction, active, first, bytes);
    else if (space == PTX_SHARED && sanitizer->is_detailed)
        check_shared(worker, instruction, is_store, active, first, pattern, bytes);
    else if (space == PTX_LOCAL && sanitizer->is_detailed && sanitizer->local != NULL)
        check_local(worker, instruction, is_store, active, first, pattern->relative, bytes);
    else if (space != PTX_SHARED && space != PTX_LOCAL &&
             (is_store || !is_plain(worker, instruction, first + (uint64_t)(int64_t)pattern->low,
                                    first + (uint64_t)(int64_t)pattern->high + bytes)))
        check_global(worker, instruction, is_store, active, first, pattern->relative, bytes);
}

/* Bytes of a load that are not used cannot cause a finding. */
#define EACH_RUN(instruction, bytes, run)                                                                              \
    for (ByteRun run = next_used_bytes(instruction, bytes, 0); run.first < run.end;                                    \
         run = next_used_bytes(instruction, bytes, run.end))

void sanitizer_access(Worker *worker, const Instruction *instruction, PtxSpace space, bool is_store,
                      const Active *active, uint64_t first, const Pattern *pattern, uint32_t bytes)
{
    if (worker->sanitizer->plan->footprint != NULL) {
        steps_access(worker, instruction, space, is_store, active, first, pattern->relative, bytes);
        return;
    }
    EACH_RUN(instruction, bytes, run)
    check_bytes(worker, instruction, space, is_store, active, first + run.first, pattern, run.end - run.first);
}

void sanitizer_uniform_load(Worker *worker, const Instruction *instruction, const Active *active, uint64_t address,
                            uint32_t bytes)
{
    if (worker->sanitizer->plan->footprint != NULL) {
        steps_uniform_load(worker, instruction, active, address, bytes);
        return;
    }
    EACH_RUN(instruction, bytes, run)
    check_uniform_bytes(worker, instruction, active, address + run.first, run.end - run.first);
}

static void atomic_global(Worker *worker, const Instruction *instruction, uint32_t lane, uint64_t address)
{
    uint32_t bytes = 1u << instruction->size;
    int index = memory_find(worker->launch->memory, address);
    Allocation *allocation = &worker->launch->memory->allocations[index];
    if (!worker->sanitizer->plan->is_sample && !validity_holds(allocation, address, bytes) &&
        instruction->detail != ATOMIC_EXCHANGE)
        note_unwritten(worker, instruction, lane, address, bytes);
    validity_mark(allocation, address, bytes);
    if (worker->sanitizer->is_close)
        thread_races_atomic(worker, instruction, false, lane, address);
    block_races_atomic(worker, instruction, lane, index, address, bytes);
    publication_tell(worker->sanitizer, instruction, lane / SIM_WARP_SIZE);
    if (tells_of_others(instruction))
        worker->sanitizer->is_ordered = true;
}

void sanitizer_atomic(Worker *worker, const Instruction *instruction, bool in_shared, uint32_t lane, uint64_t address)
{
    if (worker->sanitizer->plan->footprint != NULL) {
        if (!in_shared)
            steps_atomic(worker, instruction, lane, address);
        return;
    }
    if (is_mbarrier(instruction) && in_shared)
        mbarrier_arrive(worker, instruction, lane, address);
    else if (!in_shared)
        atomic_global(worker, instruction, lane, address);
    else if (worker->sanitizer->is_detailed) {
        deferred_reads_stop(worker->sanitizer);
        thread_races_atomic(worker, instruction, true, lane, address);
    }
}

void sanitizer_far_atomic(Worker *worker, Worker *owner, const Instruction *instruction, uint32_t lane, uint64_t offset)
{
    (is_mbarrier(instruction) ? mbarrier_arrive_far : cluster_races_atomic)(worker, owner, instruction, lane, offset);
}

void sanitizer_shuffle(Worker *worker, const Instruction *instruction, uint32_t lane, uint32_t source)
{
    raw_finding_note(worker, instruction, SIM_BAD_SHUFFLE, (RawFinding){.lane = lane, .other = source});
}

static void check_set(Worker *worker, const Instruction *instruction, const Active *active)
{
    bool is_set = true;
    for (int i = 0; i < MAX_SOURCES; i++)
        is_set &= is_uniform(worker, instruction->sources[i]) &&
                  (instruction->sources[i].slot == NO_SLOT ||
                   register_value(worker, instruction->sources[i], active->first) == 0);
    for (uint32_t lane = active->first; !is_set && lane < active->end; lane++) {
        uint32_t bits = 0;
        for (int i = 0; i < MAX_SOURCES; i++)
            if (instruction->sources[i].slot != NO_SLOT)
                bits |= (uint32_t)register_value(worker, instruction->sources[i], lane);
        if (bits != 0 && active_has(active, lane))
            raw_finding_note(worker, instruction, SIM_UNSET_VARIABLE,
                             (RawFinding){.lane = lane, .other = (uint64_t)__builtin_ctz(bits)});
    }
}

/* ---- instructions of which only the sanitizer needs to know ------------------------------------------------------ */

/* Lanes whose marks are not zero are about to use what follows from a variable that they have not set. */
bool execute_check_set(Worker *worker, const Instruction *instruction, Active *active)
{
    if (worker->sanitizer != NULL)
        check_set(worker, instruction, active);
    return true;
}

bool execute_check_waited(Worker *worker, const Instruction *instruction, Active *active)
{
    if (worker->sanitizer != NULL)
        raw_finding_note(worker, instruction, SIM_UNWAITED_PRODUCT, (RawFinding){.lane = active->first});
    return true;
}

bool execute_check_fenced(Worker *worker, const Instruction *instruction, Active *active)
{
    if (worker->sanitizer != NULL)
        raw_finding_note(worker, instruction, SIM_UNFENCED_PRODUCT, (RawFinding){.lane = active->first});
    return true;
}

void sanitizer_end_block(Worker *worker)
{
    publication_end_block(worker);
    cluster_races_end_phase(worker);
}

/* ==== bulk accesses =============================================================================================== */

enum { UNIT = 16 /* bytes; a finding is about so many */ };

static uint32_t unit_at(uint64_t address, uint64_t end)
{
    return end - address < UNIT ? (uint32_t)(end - address) : UNIT;
}

static void check_written(Worker *worker, const Instruction *copy, uint32_t lane, int allocation, uint64_t address,
                          uint32_t bytes)
{
    if (!worker->sanitizer->plan->is_sample &&
        !validity_holds(&worker->launch->memory->allocations[allocation], address, bytes))
        raw_finding_note(worker, copy, SIM_UNINITIALISED,
                         (RawFinding){.lane = lane, .space = SIM_GLOBAL, .bytes = (uint8_t)bytes, .address = address});
}

void bulk_reads_global(Worker *worker, const Instruction *copy, uint32_t lane, uint64_t address, uint32_t bytes)
{
    const Sanitizer *sanitizer = worker->sanitizer;
    const int allocation = memory_find(worker->launch->memory, address);
    if (sanitizer->plan->footprint != NULL) {
        steps_bulk_load(worker, address, bytes);
        return;
    }
    for (uint64_t at = address, end = address + bytes; at < end; at += UNIT) {
        check_written(worker, copy, lane, allocation, at, unit_at(at, end));
        if (sanitizer->is_close)
            thread_races_take_global(worker, copy, lane, at, unit_at(at, end));
        if (sanitizer->is_detailed || sanitizer->is_ordered)
            block_races_read(worker, copy, lane, allocation, at, unit_at(at, end));
    }
}

static void combine(Worker *worker, const Instruction *copy, uint32_t lane, int allocation, uint64_t address,
                    uint32_t bytes)
{
    check_written(worker, copy, lane, allocation, address, bytes);
    block_races_atomic(worker, copy, lane, allocation, address, bytes);
}

void bulk_writes_global(Worker *worker, const Instruction *copy, uint32_t lane, uint64_t address,
                        const unsigned char *values, uint32_t bytes)
{
    const int allocation = memory_find(worker->launch->memory, address);
    if (worker->sanitizer->plan->footprint != NULL) {
        steps_bulk_store(worker, copy, address, values, bytes);
        return;
    }
    for (uint64_t at = address, end = address + bytes; at < end; at += UNIT)
        if (copy->count > 0)
            combine(worker, copy, lane, allocation, at, unit_at(at, end));
        else
            block_races_write(worker, copy, lane, allocation, at, unit_at(at, end), values + (at - address));
    validity_mark(&worker->launch->memory->allocations[allocation], address, bytes);
}

/* A footprint is of global memory. */
static bool is_checked(const Sanitizer *sanitizer)
{
    return sanitizer->plan->footprint == NULL && sanitizer->is_detailed;
}

void bulk_reads_shared(Worker *worker, const Instruction *copy, uint32_t lane, uint64_t offset, uint32_t bytes)
{
    for (uint64_t at = offset, end = offset + bytes; is_checked(worker->sanitizer) && at < end; at += UNIT)
        thread_races_take(worker, copy, lane, at, unit_at(at, end));
}

void bulk_writes_shared(Worker *worker, const Instruction *copy, uint32_t lane, uint64_t offset, uint32_t bytes,
                        uint64_t mbarrier)
{
    if (!is_checked(worker->sanitizer))
        return;
    deferred_reads_stop(worker->sanitizer);
    for (uint64_t at = offset, end = offset + bytes; at < end; at += UNIT)
        thread_races_fill(worker, copy, lane, at, unit_at(at, end), mbarrier);
}

void bulk_writes_far(Worker *owner, uint64_t offset, uint32_t bytes)
{
    if (owner->sanitizer == NULL || !is_checked(owner->sanitizer))
        return;
    deferred_reads_stop(owner->sanitizer);
    cluster_races_filled(owner, offset, bytes);
}

void bulk_ends_phase(const Worker *worker, Worker *owner, uint64_t mbarrier)
{
    if (owner->sanitizer == NULL || !is_checked(owner->sanitizer))
        return;
    if (owner == worker)
        warp_order_complete_at(owner->sanitizer, mbarrier);
    else
        warp_order_arrive_far(owner->sanitizer, mbarrier, true);
}
