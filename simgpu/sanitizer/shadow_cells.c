/* The cells of shared memory are an array. Those of global memory lie in lines of neighbours; a block takes a line for
 * each place that it accesses, and finds it through a hash table.  */
#include "simgpu/sanitizer/shadow_cells.h"

#include "base/allocated.h"
#include "simgpu/block/register.h"

#include <stdlib.h>
#include <string.h>

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
    const LinePlace *last; /* the one found last; NULL: none yet */
};

ShadowCells *shadow_cells_new(const Launch *launch)
{
    ShadowCells *cells = zeroed(1, sizeof *cells);
    cells->shared = zeroed((launch->shared_bytes >> launch->sanitizer_plan->shared_cell_log) + 1,
                           sizeof *cells->shared);
    cells->lines = zeroed(MOST_LINES, sizeof *cells->lines);
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

void shadow_cell_add_reader(const Sanitizer *sanitizer, ShadowCell *cell, uint32_t lane)
{
    uint32_t warp = lane / SIM_WARP_SIZE;
    if (cell->read_epoch != sanitizer->epoch) {
        cell->far_reader = NOBODY;
    } else if (cell->reader / SIM_WARP_SIZE != warp) {
        cell->far_reader = (uint16_t)lane;
        cell->far_warp_epoch = sanitizer->warp_epoch[warp];
        return;
    }
    cell->reader = (uint16_t)lane;
    cell->read_epoch = sanitizer->epoch;
    cell->read_warp_epoch = sanitizer->warp_epoch[warp];
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
    uint64_t value = 0, copied = register_value(worker, store->sources[2], lane);
    if (store->kind == COPY_ASYNC) {
        if (offset < copied)
            memcpy(&value, (const char *)register_value(worker, store->sources[1], lane) + offset,
                   (size_t)1 << cell_log);
    } else {
        value = register_value(worker, store->sources[1 + (offset >> store->size)], lane);
        value >>= 8 * (offset & ((1u << store->size) - 1));
    }
    return (uint32_t)(value & (0xFFFFFFFFull >> (32 - (8 << cell_log))));
}
