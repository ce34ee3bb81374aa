/* race.h - what the threads of the block that a worker runs did to a piece of memory; shared by race.c (which two
 * accesses race), race_grains.c (where it is kept), race_reads.c (reads that are put off) and race_copies.c (what
 * cp.async has under way).  */
#ifndef SIMGPU_SANITIZER_RACE_H
#define SIMGPU_SANITIZER_RACE_H

#include "simgpu/sanitizer/watch.h"

enum { NOBODY = 0xFFFF };

/* What is older than the block is of no meaning, so that nothing is wiped between blocks. */
typedef struct ThreadGrain {
    uint32_t write_epoch;  /* of the last plain store; below the block's first: nothing has written it */
    uint32_t read_epoch;   /* of the plain loads by `reader` and `far_reader` */
    uint32_t atomic_epoch; /* of the last atomic operation */
    uint32_t write_turn, read_turn, atomic_turn; /* of their lanes' warps */
    uint32_t value, store;                       /* what was stored, by which store */
    uint32_t copy_group;              /* of the writer's copies, where it was a cp.async that stored; else 0 */
    uint16_t writer, reader, changer; /* lanes of the block: of store, load, atomic operation */
    uint16_t far_reader;              /* one of another warp than `reader`; NOBODY: none */
    bool is_agreed;                   /* several lanes stored the same */
} ThreadGrain;

/* Visits the grains that [address, address + bytes) touches; `place` is where each begins. */
#define EACH_GRAIN(address, bytes, grain, place)                                                                       \
    for (uint64_t place = (address) >> (grain) << (grain); place < (address) + (bytes); place += 1ull << (grain))

/* ---- race.c ------------------------------------------------------------------------------------------------------ */

/* A plain load by a lane that has met whoever it races with. */
void remember_reader(const Watch *watch, ThreadGrain *grain, uint32_t lane);

/* ---- race_grains.c ----------------------------------------------------------------------------------------------- */

/* The grains of one space, found by address: all of shared memory, or those that the block has touched of global
 * memory, as long as there is room. */
ThreadGrain *thread_grain_at(Watch *watch, bool is_shared, uint64_t address); /* NULL: there is no room */

/* Has the block written all that is read? */
bool shared_is_written(const Worker *worker, const SharedRead *read);

/* ---- race_copies.c ----------------------------------------------------------------------------------------------- */

/* The group, from 1, that a copy of this lane's belongs to. */
uint32_t copies_group(const Watch *watch, uint32_t lane);
/* May `lane` rely on what the writer of a grain copied into it? */
bool copies_have_arrived(const Watch *watch, const ThreadGrain *grain, uint32_t lane);

#endif
