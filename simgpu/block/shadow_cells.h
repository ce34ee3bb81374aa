/* shadow_cells.h - which threads of a block have written and read each cell of memory last.  */
#ifndef SIMGPU_BLOCK_SHADOW_CELLS_H
#define SIMGPU_BLOCK_SHADOW_CELLS_H

#include "simgpu/block/active.h"
#include "simgpu/block/sanitizer_state.h"
#include "simgpu/code/code.h"

/* ==== shadow cells ================================================================================================ */

enum { NOBODY = 0xFFFF };

/* Epochs before the block's first mean that it did nothing here, so that nothing is cleared between blocks. What a load looks at
 * comes first, so that it mostly needs one line of the host's cache. */
typedef struct ShadowCell {
    uint32_t write_epoch;  /* of the last plain store */
    uint32_t read_epoch;   /* of the plain loads by `reader` and `far_reader` */
    uint32_t atomic_epoch; /* of the last atomic operation */
    uint32_t copy_group;   /* the writer's group of copies where cp.async stored it; else 0 */
    uint32_t bulk_phase; /* a bulk copy stored it: the phase, from 1, of the mbarrier that ends with the copy; else 0 */
    uint32_t read_warp_epoch, far_warp_epoch;     /* of the warps of `reader` and `far_reader`, at the time */
    uint16_t reader, writer, changer;             /* lanes of the block: of the load, the store, the atomic operation */
    uint16_t far_reader;                          /* a lane of another warp that has read as well; NOBODY: none */
    bool is_agreed;                               /* several lanes have stored the same value */
    uint8_t bulk_mbarrier;                        /* number of it (warp_order.h) */
    bool is_product;                              /* `async_reader` was that of a wgmma */
    uint32_t write_warp_epoch, atomic_warp_epoch; /* of the warps of `writer` and `changer`, at the time */
    uint32_t value, store;                        /* what was stored last, and the number of that store */
    uint32_t strong_epoch, strong_warp_epoch;     /* of the last strong store that changed it, by `teller` */
    uint32_t async_epoch, async_group; /* of the worker, when a bulk copy or a wgmma of `async_reader` last read it; and
                                        * the group of that */
    uint16_t async_reader, teller;
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
/* The cell at an address of shared memory, with those of the following addresses behind it, or of global memory; NULL where there is
 * no room for another one. */
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
/* Remembers a plain load by a lane, after it was compared with the accesses that it may race with. */
static inline void shadow_cell_add_reader(const Sanitizer *sanitizer, ShadowCell *cell, uint32_t lane)
{
    const uint32_t warp = lane / SIM_WARP_SIZE;
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
/* Has the block written all that is read? */
bool shared_is_written(const Worker *worker, const SharedRead *read);
/* What a lane is about to store, or to copy, into the cell at `offset` of its access. */
uint32_t shadow_cell_value(const Worker *worker, const Instruction *store, uint32_t lane, uint32_t offset,
                           uint8_t cell_log);
/* The same of an access whose bytes lie at `values`. */
uint32_t shadow_cell_value_of(const unsigned char *values, uint32_t offset, uint8_t cell_log);

/* ==== deferred reads ============================================================================================== */

/* Reads of shared memory that are checked only if something changes there before the next
 * barrier. */

DeferredReads *deferred_reads_new(void);
void deferred_reads_free(DeferredReads *deferred);
/* Defers a read; false where it must be checked at once. */
bool deferred_reads_add(Worker *worker, const SharedRead *read);
/* Enters the deferred reads into the shadow cells: before a read that is not deferred, and before lanes of a warp wait
 * for each other. */
void deferred_reads_apply(Sanitizer *sanitizer);
/* The same, and defers no more until the next barrier: shared memory is about to be changed. */
void deferred_reads_stop(Sanitizer *sanitizer);
/* Forgets the deferred reads: there was a barrier. */
void deferred_reads_drop(Sanitizer *sanitizer);

/* ==== grid wait =================================================================================================== */

/* Which threads of a block have waited for the kernel before (griddepcontrol.wait).
 *
 * A kernel that is launched with programmatic stream serialization may begin as soon as each block of the kernel before
 * has let it (griddepcontrol.launch_dependents) or has ended. What that kernel has stored is sure to be there once a
 * thread has waited, for this thread and for those that wait for it in turn. So a footprint tells apart
 *   - the early uses of memory, by threads that have not waited, and
 *   - the late loads, of a block that has let the next kernel begin.
 *
 * Source   PTX ISA, Parallel Synchronization and Communication Instructions, "griddepcontrol"; CUDA Programming Guide,
 *          "Programmatic Dependent Launch and Synchronization". */

/* All threads of the block, or of its cluster, have passed a barrier; the active lanes of each warp a .sync operation. */
void grid_wait_barrier(Sanitizer *sanitizer);
void grid_wait_cluster_barrier(Sanitizer *sanitizer);
void grid_wait_sync_warps(Sanitizer *sanitizer, const Active *active);
/* The warps of `active` may have waited for any other thread of the block. */
void grid_wait_follow(Sanitizer *sanitizer, const Active *active);

/* The first active lane that has not waited, or else the first one. */
uint32_t grid_wait_earliest(const Sanitizer *sanitizer, const Active *active);
/* The bits that these uses of memory (FootprintUse) have besides: by a lane of the block; by some thread of it. */
uint32_t grid_wait_uses_of(const Sanitizer *sanitizer, uint32_t lane, uint32_t uses);
uint32_t grid_wait_uses(const Sanitizer *sanitizer, uint32_t uses);

/* ==== proxy fences ================================================================================================ */

/* Which ordinary stores come before what bulk copies and wgmma read and write.
 *
 * They use memory through another path than loads, the async proxy. It sees what a thread has stored only after a
 * fence.proxy.async: of the thread itself after its store, or of one that has waited for it.
 *
 * Source   PTX ISA 9.0, Data Movement and Conversion Instructions: Async Proxy; Memory Consistency Model: Causality Order,
 *          proxy-preserved base causality order. */

ProxyFences *proxy_fences_new(const Worker *worker);
void proxy_fences_free(ProxyFences *fences);
void proxy_fences_begin_block(const Worker *worker);
/* Does a fence stand between the last store into the cell and what `lane` asks the async proxy for? */
bool proxy_fences_cover(const Sanitizer *sanitizer, bool is_shared, const ShadowCell *cell, uint32_t lane);

#endif
