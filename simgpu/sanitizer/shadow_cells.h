/* shadow_cells.h - which threads of a block have written and read each cell of memory last.  */
#ifndef SIMGPU_SANITIZER_SHADOW_CELLS_H
#define SIMGPU_SANITIZER_SHADOW_CELLS_H

#include "simgpu/block/active.h"
#include "simgpu/sanitizer/sanitizer_state.h"

enum { NOBODY = 0xFFFF };

/* Epochs before the block's first mean that it did nothing here, so that nothing is cleared between blocks. */
typedef struct ShadowCell {
    uint32_t write_epoch;                                          /* of the last plain store */
    uint32_t read_epoch;                                           /* of the plain loads by `reader` and `far_reader` */
    uint32_t atomic_epoch;                                         /* of the last atomic operation */
    uint32_t write_warp_epoch, read_warp_epoch, atomic_warp_epoch; /* of those lanes' warps, at the same times */
    uint32_t value, store;                    /* what was stored last, and the number of that store */
    uint32_t far_warp_epoch;                  /* of far_reader's warp */
    uint32_t strong_epoch, strong_warp_epoch; /* of the last strong store that changed it, by `teller` */
    uint32_t copy_group;                      /* the writer's group of copies where cp.async stored it; else 0 */
    uint32_t bulk_phase;               /* a bulk copy stored it: the phase, from 1, of the mbarrier that ends with the
                                       * copy; else 0 */
    uint32_t async_epoch, async_group; /* of the worker, when a bulk copy or a wgmma of `async_reader` last read it; and
                                        * the group of that */
    uint16_t async_reader;
    bool is_product;                  /* it was a wgmma */
    uint8_t bulk_mbarrier;            /* number of it (warp_order.h) */
    uint16_t writer, reader, changer; /* lanes of the block: of the store, the load, the atomic operation */
    uint16_t teller;
    uint16_t far_reader; /* a lane of another warp that has read as well; NOBODY: none */
    bool is_agreed;      /* several lanes have stored the same value */
} ShadowCell;

/* A load of shared memory that is allowed. */
typedef struct SharedRead {
    const Instruction *load;
    const Active *active;
    uint64_t address;        /* of the first lane */
    const int32_t *relative; /* [lane - active->first] beyond it, 0 where not active; NULL: one address for all */
    uint64_t low, end;       /* all lanes lie in [low, end) */
    uint32_t bytes;          /* of one lane */
} SharedRead;

/* Visits the cells that [address, address + bytes) touches; `place` is the address at which each begins. */
#define EACH_CELL(address, bytes, cell_log, place)                                                                     \
    for (uint64_t place = (address) >> (cell_log) << (cell_log); place < (address) + (bytes);                          \
         place += 1ull << (cell_log))

ShadowCells *shadow_cells_new(const Launch *launch);
void shadow_cells_free(ShadowCells *cells);
/* The cell at an address of shared or of global memory; NULL where there is no room for another one. */
ShadowCell *shadow_cell_at(Sanitizer *sanitizer, bool is_shared, uint64_t address);
/* Has the block written the cell? */
static inline bool shadow_cell_is_written(const Sanitizer *sanitizer, const ShadowCell *cell)
{
    return cell->write_epoch >= sanitizer->first_epoch;
}
/* It was written by an access that races with nothing. */
static inline void shadow_cell_set_written(const Sanitizer *sanitizer, ShadowCell *cell)
{
    cell->write_epoch = sanitizer->first_epoch;
    cell->copy_group = cell->bulk_phase = 0;
}
/* Remembers a plain load by a lane, after it was compared with whoever it may race with. */
void shadow_cell_add_reader(const Sanitizer *sanitizer, ShadowCell *cell, uint32_t lane);
/* Has the block written all that is read? */
bool shared_is_written(const Worker *worker, const SharedRead *read);
/* What a lane is about to store, or to copy, into the cell at `offset` of its access. */
uint32_t shadow_cell_value(const Worker *worker, const Instruction *store, uint32_t lane, uint32_t offset,
                           uint8_t cell_log);
/* The same of an access whose bytes lie at `values`. */
uint32_t shadow_cell_value_of(const unsigned char *values, uint32_t offset, uint8_t cell_log);

#endif
