/* Reads do not race with each other. So as long as nothing has changed shared memory since the last barrier, it is
 * enough to list who reads what. The list is entered into the shadow cells only if something changes shared memory
 * before the next barrier; mostly nothing does, and the list is dropped. Which lanes read, and how their addresses
 * relate (the shape), is the same for most reads of a loop, and is stored once.  */
#include "simgpu/block/shadow_cells.h"

#include "base/arena.h"
#include "simgpu/block/active.h"
#include "simgpu/block/register.h"
#include "simgpu/memory/footprint.h"

#include <stdlib.h>
#include <string.h>

/* ==== deferred reads ============================================================================================== */

enum { MOST_READS = 1 << 15, MOST_SHAPES = 32 };

typedef struct ReadShape {
    uint32_t first, end, bytes; /* the lanes that read lie in [first, end); bytes per lane */
    bool is_uniform;            /* all lanes read the same address */
    uint32_t bits[MAX_WARPS];
    int32_t relative[MAX_THREADS]; /* addresses minus the first lane's; not set where is_uniform */
} ReadShape;

typedef struct DeferredRead {
    uint32_t address, shape; /* of the first lane; index into `shapes` */
} DeferredRead;

struct DeferredReads {
    DeferredRead *reads;
    uint32_t count;
    ReadShape *shapes;
    uint32_t shape_count, last; /* index of the shape that was found last */
};

DeferredReads *deferred_reads_new(void)
{
    DeferredReads *deferred = zeroed(1, sizeof *deferred);
    deferred->reads = allocated(malloc(MOST_READS * sizeof *deferred->reads));
    deferred->shapes = allocated(malloc(MOST_SHAPES * sizeof *deferred->shapes));
    return deferred;
}

void deferred_reads_free(DeferredReads *deferred)
{
    if (deferred == NULL)
        return;
    free(deferred->reads);
    free(deferred->shapes);
    free(deferred);
}

static bool is_shape(const ReadShape *shape, const SharedRead *read, uint32_t warps)
{
    const Active *active = read->active;
    return shape->first == active->first && shape->end == active->end && shape->bytes == read->bytes &&
           shape->is_uniform == (read->relative == NULL) &&
           memcmp(shape->bits, active->bits, warps * sizeof *shape->bits) == 0 &&
           (shape->is_uniform ||
            memcmp(shape->relative, read->relative, (active->end - active->first) * sizeof *shape->relative) == 0);
}

static void shape_set(ReadShape *shape, const SharedRead *read)
{
    const Active *active = read->active;
    shape->first = active->first;
    shape->end = active->end;
    shape->bytes = read->bytes;
    shape->is_uniform = read->relative == NULL;
    memcpy(shape->bits, active->bits, sizeof shape->bits);
    if (!shape->is_uniform)
        memcpy(shape->relative, read->relative, (active->end - active->first) * sizeof *shape->relative);
}

/* False where there is no room. */
static bool find_shape(DeferredReads *deferred, const SharedRead *read, uint32_t warps)
{
    for (uint32_t i = 0; i < deferred->shape_count; i++) {
        if (is_shape(&deferred->shapes[deferred->last], read, warps))
            return true;
        deferred->last = deferred->last + 1 < deferred->shape_count ? deferred->last + 1 : 0;
    }
    if (deferred->shape_count == MOST_SHAPES)
        return false;
    deferred->last = deferred->shape_count++;
    shape_set(&deferred->shapes[deferred->last], read);
    return true;
}

/* ---- entering them into the shadow cells
 * --------------------------------------------------------------------------------------------- */

static void apply_read(Sanitizer *sanitizer, uint64_t address, uint32_t bytes, uint32_t lane)
{
    EACH_CELL(address, bytes, sanitizer->plan->shared_cell_log, place)
    shadow_cell_add_reader(sanitizer, shadow_cell_at(sanitizer, true, place), lane);
}

static void apply_shape(Sanitizer *sanitizer, const ReadShape *shape, uint32_t address)
{
    for (uint32_t warp = shape->first / SIM_WARP_SIZE; warp * SIM_WARP_SIZE < shape->end; warp++) {
        uint32_t start = warp * SIM_WARP_SIZE, bits = shape->bits[warp];
        if (shape->is_uniform && bits != 0) { /* the first and the last lane represent all */
            apply_read(sanitizer, address, shape->bytes, start + (uint32_t)__builtin_ctz(bits));
            apply_read(sanitizer, address, shape->bytes, start + 31 - (uint32_t)__builtin_clz(bits));
            continue;
        }
        for (; bits != 0; bits &= bits - 1) {
            uint32_t lane = start + (uint32_t)__builtin_ctz(bits);
            apply_read(sanitizer, address + (uint32_t)shape->relative[lane - shape->first], shape->bytes, lane);
        }
    }
}

void deferred_reads_apply(Sanitizer *sanitizer)
{
    DeferredReads *deferred = sanitizer->deferred;
    for (uint32_t i = 0; i < deferred->count; i++)
        apply_shape(sanitizer, &deferred->shapes[deferred->reads[i].shape], deferred->reads[i].address);
    deferred->count = 0;
}

void deferred_reads_stop(Sanitizer *sanitizer)
{
    deferred_reads_apply(sanitizer);
    sanitizer->changed_epoch = sanitizer->epoch;
}

void deferred_reads_drop(Sanitizer *sanitizer)
{
    sanitizer->deferred->count = 0;
}

/* ---- deferring -------------------------------------------------------------------------------------------- */

/* Does a read stay within the variable from which its address was made? */
static bool is_within_variable(const SharedRead *read)
{
    const WindowVariable *variable = variable_in(read->load, PTX_SHARED);
    return variable == NULL ||
           (read->low >= variable->offset && (variable->bytes == 0 || read->end <= variable->offset + variable->bytes));
}

/* A read that causes a finding of its own is not deferred. */
static bool can_wait(const Worker *worker, const SharedRead *read)
{
    const Sanitizer *sanitizer = worker->sanitizer;
    return sanitizer->changed_epoch != sanitizer->epoch && sanitizer->copies == NULL &&
           sanitizer->bulk_copies == NULL && sanitizer->cluster == NULL && !read->load->is_strong &&
           is_within_variable(read) && shared_is_written(worker, read);
}

bool deferred_reads_add(Worker *worker, const SharedRead *read)
{
    Sanitizer *sanitizer = worker->sanitizer;
    DeferredReads *deferred = sanitizer->deferred;
    uint32_t warps = worker->launch->warps;
    if (!can_wait(worker, read))
        return false;
    if (deferred->count == MOST_READS)
        deferred_reads_apply(sanitizer);
    if (!find_shape(deferred, read, warps)) {
        deferred_reads_apply(sanitizer);
        deferred->shape_count = 0;
        find_shape(deferred, read, warps);
    }
    deferred->reads[deferred->count++] = (DeferredRead){.address = (uint32_t)read->address, .shape = deferred->last};
    return true;
}

/* ==== grid wait =================================================================================================== */

static void wait_here(Sanitizer *sanitizer, const Active *active)
{
    GridWait *wait = &sanitizer->grid_wait;
    wait->has_waited = true;
    for (uint32_t warp = active->first / SIM_WARP_SIZE; warp * SIM_WARP_SIZE < active->end; warp++)
        wait->waited[warp] |= active->bits[warp];
    if (sanitizer->plan->footprint != NULL && !wait->has_released)
        footprint_wait(sanitizer->plan->footprint);
}

bool execute_grid_control(Worker *worker, const Instruction *instruction, Active *active)
{
    if (worker->sanitizer == NULL)
        return true;
    if (instruction->detail == GRID_RELEASE)
        worker->sanitizer->grid_wait.has_released = true;
    else
        wait_here(worker->sanitizer, active);
    return true;
}

void grid_wait_barrier(Sanitizer *sanitizer)
{
    GridWait *wait = &sanitizer->grid_wait;
    if (wait->has_waited)
        memset(wait->waited, 0xFF, sizeof wait->waited);
}

/* In case of doubt the thread that has waited belongs to this cluster. */
void grid_wait_cluster_barrier(Sanitizer *sanitizer)
{
    const Footprint *footprint = sanitizer->plan->footprint;
    sanitizer->grid_wait.has_waited |= footprint != NULL && footprint_has_waited(footprint);
}

void grid_wait_sync_warps(Sanitizer *sanitizer, const Active *active)
{
    GridWait *wait = &sanitizer->grid_wait;
    for (uint32_t warp = active->first / SIM_WARP_SIZE; warp * SIM_WARP_SIZE < active->end; warp++)
        if ((wait->waited[warp] & active->bits[warp]) != 0)
            wait->waited[warp] |= active->bits[warp];
}

void grid_wait_follow(Sanitizer *sanitizer, const Active *active)
{
    GridWait *wait = &sanitizer->grid_wait;
    for (uint32_t warp = active->first / SIM_WARP_SIZE; wait->has_waited && warp * SIM_WARP_SIZE < active->end; warp++)
        wait->waited[warp] |= active->bits[warp];
}

uint32_t grid_wait_earliest(const Sanitizer *sanitizer, const Active *active)
{
    for (uint32_t warp = active->first / SIM_WARP_SIZE; warp * SIM_WARP_SIZE < active->end; warp++) {
        const uint32_t early = active->bits[warp] & ~sanitizer->grid_wait.waited[warp];
        if (early != 0)
            return warp * SIM_WARP_SIZE + (uint32_t)__builtin_ctz(early);
    }
    return active->first;
}

static uint32_t uses_besides(const Sanitizer *sanitizer, bool is_early, uint32_t uses)
{
    const bool loads = (uses & FOOTPRINT_LOAD) != 0, stores = (uses & (FOOTPRINT_STORE | FOOTPRINT_ATOMIC)) != 0;
    return (is_early && loads ? FOOTPRINT_EARLY_LOAD : 0) | (is_early && stores ? FOOTPRINT_EARLY_STORE : 0) |
           (sanitizer->grid_wait.has_released && loads ? FOOTPRINT_LATE_LOAD : 0);
}

uint32_t grid_wait_uses_of(const Sanitizer *sanitizer, uint32_t lane, uint32_t uses)
{
    const uint32_t waited = sanitizer->grid_wait.waited[lane / SIM_WARP_SIZE];
    return uses_besides(sanitizer, !(waited >> lane % SIM_WARP_SIZE & 1), uses);
}

uint32_t grid_wait_uses(const Sanitizer *sanitizer, uint32_t uses)
{
    return uses_besides(sanitizer, !sanitizer->grid_wait.has_waited, uses);
}

/* ==== proxy fences ================================================================================================ */

typedef struct SpaceFences { /* those that cover shared or global memory */
    uint32_t epoch;          /* of the worker, when some lane last executed one */
    uint32_t *stores;        /* [lane] number of the last store in front of its last one */
} SpaceFences;

struct ProxyFences {
    SpaceFences spaces[2]; /* [is_shared] */
};

ProxyFences *proxy_fences_new(const Worker *worker)
{
    ProxyFences *fences = zeroed(1, sizeof *fences);
    for (int i = 0; i < 2; i++)
        fences->spaces[i].stores = zeroed(worker->capacity, sizeof *fences->spaces[i].stores);
    return fences;
}

void proxy_fences_free(ProxyFences *fences)
{
    for (int i = 0; fences != NULL && i < 2; i++)
        free(fences->spaces[i].stores);
    free(fences);
}

void proxy_fences_begin_block(const Worker *worker)
{
    for (int i = 0; i < 2; i++) {
        SpaceFences *fences = &worker->sanitizer->fences->spaces[i];
        fences->epoch = 0;
        memset(fences->stores, 0, worker->launch->threads * sizeof *fences->stores);
    }
}

static void add(const Sanitizer *sanitizer, SpaceFences *fences, const Active *active)
{
    fences->epoch = sanitizer->epoch;
    for (uint32_t lane = active->first; lane < active->end; lane++)
        if (active->bits[lane / SIM_WARP_SIZE] >> (lane % SIM_WARP_SIZE) & 1)
            fences->stores[lane] = sanitizer->store;
}

bool execute_proxy_fence(Worker *worker, const Instruction *instruction, Active *active)
{
    Sanitizer *sanitizer = worker->sanitizer;
    for (int is_shared = 0; sanitizer != NULL && is_shared < 2; is_shared++)
        if (instruction->detail != (is_shared ? PROXY_GLOBAL : PROXY_SHARED))
            add(sanitizer, &sanitizer->fences->spaces[is_shared], active);
    if (sanitizer != NULL)
        sanitizer->store++; /* what is stored from now on comes after the fence */
    return true;
}

bool proxy_fences_cover(const Sanitizer *sanitizer, bool is_shared, const ShadowCell *cell, uint32_t lane)
{
    const SpaceFences *fences = &sanitizer->fences->spaces[is_shared];
    return cell->write_epoch < fences->epoch || cell->store <= fences->stores[cell->writer] ||
           cell->store <= fences->stores[lane];
}

/* ==== shadow cells ================================================================================================ */

/* The cells of shared memory are an array. Those of global memory lie in lines of neighbours; a block takes a line for
 * each place that it accesses, and finds it through a hash table.  */

enum {
    LINE_CELLS = 32,   /* as many as a warp touches that loads neighbours */
    MOST_LINES = 2048, /* cover 256 KiB of neighbouring floats; 3 MiB of cells */
    TABLE_BITS = 12    /* twice as many places as lines */
};

typedef struct LinePlace {
    uint64_t number; /* of the line: address / bytes that a line covers */
    uint32_t block;  /* first epoch of the block that took it; another block's: the place is free */
    uint32_t line;
} LinePlace;

struct ShadowCells {
    ShadowCell *shared;
    ShadowCell (*lines)[LINE_CELLS];
    LinePlace table[1 << TABLE_BITS];
    uint32_t used, block;
    uint32_t begun;        /* the first lines, which have been used; the others hold nothing yet */
    const LinePlace *last; /* the one found last; NULL: none yet */
};

ShadowCells *shadow_cells_new(const Launch *launch)
{
    ShadowCells *cells = zeroed(1, sizeof *cells);
    cells->shared = zeroed((launch->shared_bytes >> launch->sanitizer_plan->shared_cell_log) + 1,
                           sizeof *cells->shared);
    cells->lines = allocated(malloc(MOST_LINES * sizeof *cells->lines));
    return cells;
}

void shadow_cells_free(ShadowCells *cells)
{
    if (cells == NULL)
        return;
    free(cells->shared);
    free(cells->lines);
    free(cells);
}

/* A new block begins: all lines are free. */
static void forget_lines(ShadowCells *cells, uint32_t block)
{
    cells->block = block;
    cells->used = 0;
    cells->last = NULL;
}

static const LinePlace *find_line(ShadowCells *cells, uint64_t number)
{
    const uint32_t mask = (1u << TABLE_BITS) - 1;
    /* Fibonacci hashing: Knuth, The Art of Computer Programming 3, 6.4 */
    uint32_t at = (uint32_t)(number * 0x9E3779B97F4A7C15ull >> (64 - TABLE_BITS));
    while (cells->table[at].block == cells->block && cells->table[at].number != number)
        at = (at + 1) & mask;
    LinePlace *place = &cells->table[at];
    if (place->block == cells->block)
        return place;
    if (cells->used == MOST_LINES)
        return NULL;
    if (cells->used == cells->begun) /* few launches need many lines */
        memset(cells->lines[cells->begun++], 0, sizeof *cells->lines);
    *place = (LinePlace){.number = number, .block = cells->block, .line = cells->used++};
    return place;
}

ShadowCell *shadow_cell_at(Sanitizer *sanitizer, bool is_shared, uint64_t address)
{
    ShadowCells *cells = sanitizer->cells;
    if (is_shared)
        return &cells->shared[address >> sanitizer->plan->shared_cell_log];
    uint64_t cell = address >> sanitizer->plan->global_cell_log, number = cell / LINE_CELLS;
    if (cells->block != sanitizer->first_epoch)
        forget_lines(cells, sanitizer->first_epoch);
    if (cells->last == NULL || cells->last->number != number)
        cells->last = find_line(cells, number);
    return cells->last == NULL ? NULL : &cells->lines[cells->last->line][cell % LINE_CELLS];
}

bool shared_is_written(const Worker *worker, const SharedRead *read)
{
    static const int32_t one_for_all[1];
    const Sanitizer *sanitizer = worker->sanitizer;
    uint32_t shift = sanitizer->plan->shared_cell_log, count = read->active->end - read->active->first;
    for (uint32_t offset = 0; offset < read->bytes; offset += 1u << shift)
        if (!worker->lanes->all_from(&sanitizer->cells->shared->write_epoch, sizeof(ShadowCell), read->address + offset,
                                     read->relative == NULL ? one_for_all : read->relative, shift,
                                     sanitizer->first_epoch, read->relative == NULL ? 1 : count))
            return false;
    return true;
}

uint32_t shadow_cell_value_of(const unsigned char *values, uint32_t offset, uint8_t cell_log)
{
    uint32_t value = 0;
    memcpy(&value, values + offset, (size_t)1 << cell_log);
    return value;
}

uint32_t shadow_cell_value(const Worker *worker, const Instruction *store, uint32_t lane, uint32_t offset,
                           uint8_t cell_log)
{
    uint64_t value = 0;
    if (store->kind == COPY_ASYNC) {
        if (offset < register_value(worker, store->sources[2], lane))
            memcpy(&value, (const char *)register_value(worker, store->sources[1], lane) + offset,
                   (size_t)1 << cell_log);
    } else {
        value = register_value(worker, store->sources[1 + (offset >> store->size)], lane);
        value >>= 8 * (offset & ((1u << store->size) - 1));
    }
    return (uint32_t)(value & (0xFFFFFFFFull >> (32 - (8 << cell_log))));
}
