/* Races in shared memory: for each grain, who wrote it last and who read it, and between which barriers.  */
#include "simgpu/watch.h"

#include "base/allocated.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct SharedGrain {
    uint32_t write_epoch;     /* of the last plain store; below the block's first: nothing has written it */
    uint32_t read_epoch;      /* of the plain loads by `reader` and `far_reader` */
    uint32_t atomic_epoch;    /* of the last atomic operation */
    uint32_t write_turn, read_turn, atomic_turn; /* of their lanes' warps */
    uint32_t value, store;    /* what was stored, by which store */
    uint16_t writer, reader, changer; /* lanes of the block: of store, load, atomic operation */
    uint16_t far_reader;      /* one of another warp than `reader`; NOBODY: none */
    bool is_agreed;           /* several lanes stored the same */
};

enum { NOBODY = 0xFFFF };

SharedGrain *shared_grains_new(const Launch *launch)
{
    return zeroed(launch->shared_bytes >> launch->plan->shared_grain, sizeof(SharedGrain));
}

uint32_t stored_part(const Worker *worker, const Instruction *store, uint32_t lane, uint32_t offset, uint8_t grain)
{
    uint64_t value = 0, copied = register_value(worker, store->sources[2], lane);
    if (store->kind == COPY_ASYNC) {
        if (offset < copied)
            memcpy(&value, (const char *)register_value(worker, store->sources[1], lane) + offset, (size_t)1 << grain);
    } else {
        value = register_value(worker, store->sources[1 + (offset >> store->size)], lane);
        value >>= 8 * (offset & ((1u << store->size) - 1));
    }
    return (uint32_t)(value & (0xFFFFFFFFull >> (32 - (8 << grain))));
}

static bool is_written(const Watch *watch, const SharedGrain *grain)
{
    return grain->write_epoch >= watch->first_epoch;
}

typedef struct SharedAccess {
    Worker *worker;
    const Instruction *instruction;
    uint32_t lane, bytes;
    uint64_t address;
    bool is_store;
} SharedAccess;

static void note(const SharedAccess *access, SimFindingKind kind, uint32_t other, bool other_stored)
{
    found_note(access->worker, access->instruction, kind,
               (Found){.lane = access->lane, .is_store = access->is_store, .other_stored = other_stored,
                       .space = SIM_SHARED, .bytes = (uint8_t)access->bytes, .address = access->address,
                       .other = other});
}

static void meet(const SharedAccess *access, uint32_t other, uint32_t other_turn, bool other_stored)
{
    const Watch *watch = access->worker->watch;
    uint32_t warp = access->lane / SIM_WARP_SIZE, other_warp = other / SIM_WARP_SIZE;
    if (other == access->lane)
        return;
    if (warp == other_warp && other_turn == watch->turn[warp])
        note(access, SIM_RACE_IN_WARP, other, other_stored);
    else if (warp != other_warp &&
             (watch->ordered_in[warp] != watch->epoch || watch->ordered_in[other_warp] != watch->epoch))
        note(access, SIM_RACE_OF_WARPS, other, other_stored);
}

static void note_unwritten(const SharedAccess *access, SharedGrain *grain)
{
    note(access, SIM_UNINITIALISED, 0, false);
    grain->write_epoch = access->worker->watch->first_epoch; /* once is enough */
}

static void remember_reader(const Watch *watch, SharedGrain *grain, uint32_t lane)
{
    uint32_t warp = lane / SIM_WARP_SIZE;
    if (grain->read_epoch != watch->epoch) {
        grain->far_reader = NOBODY;
    } else if (grain->reader / SIM_WARP_SIZE != warp) {
        grain->far_reader = (uint16_t)lane;
        return;
    }
    grain->reader = (uint16_t)lane;
    grain->read_epoch = watch->epoch;
    grain->read_turn = watch->turn[warp];
}

static void read_grain(const SharedAccess *access, SharedGrain *grain)
{
    Watch *watch = access->worker->watch;
    if (!is_written(watch, grain))
        note_unwritten(access, grain);
    if (access->instruction->is_strong) {
        watch->ordered_in[access->lane / SIM_WARP_SIZE] = watch->epoch;
        return;
    }
    if (grain->write_epoch == watch->epoch && !grain->is_agreed)
        meet(access, grain->writer, grain->write_turn, true);
    if (grain->atomic_epoch == watch->epoch && !watch->plan->has_shared_compare)
        meet(access, grain->changer, grain->atomic_turn, true);
    remember_reader(watch, grain, access->lane);
}

/* What the grain holds before this store, or what an earlier lane of it puts there. */
static bool changes(const SharedAccess *access, const SharedGrain *grain, uint64_t place, uint32_t value)
{
    const Watch *watch = access->worker->watch;
    uint32_t held = 0;
    if (grain->write_epoch == watch->epoch && grain->atomic_epoch != watch->epoch)
        return grain->value != value;
    memcpy(&held, access->worker->shared + place, (size_t)1 << watch->plan->shared_grain);
    return held != value;
}

static void write_grain(const SharedAccess *access, SharedGrain *grain, uint64_t place, uint32_t value)
{
    Watch *watch = access->worker->watch;
    bool is_fresh = grain->write_epoch != watch->epoch;
    if (is_written(watch, grain) && !changes(access, grain, place, value)) {
        grain->is_agreed |= !is_fresh && grain->writer != access->lane;
        return;
    }
    if (!is_fresh && grain->store == watch->store && grain->writer / SIM_WARP_SIZE == access->lane / SIM_WARP_SIZE &&
        grain->writer != access->lane)
        note(access, SIM_RACE_OF_LANES, grain->writer, true);
    else if (!is_fresh)
        meet(access, grain->writer, grain->write_turn, true);
    if (grain->atomic_epoch == watch->epoch)
        meet(access, grain->changer, grain->atomic_turn, true);
    if (grain->read_epoch == watch->epoch) {
        meet(access, grain->reader, grain->read_turn, false);
        if (grain->far_reader != NOBODY && grain->reader / SIM_WARP_SIZE == access->lane / SIM_WARP_SIZE)
            meet(access, grain->far_reader, 0, false);
    }
    grain->write_epoch = watch->epoch;
    grain->write_turn = watch->turn[access->lane / SIM_WARP_SIZE];
    grain->writer = (uint16_t)access->lane;
    grain->value = value;
    grain->store = watch->store;
    grain->is_agreed = false;
}

/* Visits the grains that [address, address + bytes) touches; `place` is where each begins. */
#define EACH_GRAIN(address, bytes, grain, place)                                                                       \
    for (uint64_t place = (address) >> (grain) << (grain); place < (address) + (bytes); place += 1ull << (grain))

void shared_read(Worker *worker, const Instruction *instruction, uint32_t lane, uint64_t address, uint32_t bytes)
{
    const SharedAccess access = {worker, instruction, lane, bytes, address, false};
    uint8_t grain = worker->watch->plan->shared_grain;
    EACH_GRAIN(address, bytes, grain, place)
        read_grain(&access, &worker->watch->shared[place >> grain]);
}

void shared_write(Worker *worker, const Instruction *instruction, uint32_t lane, uint64_t address, uint32_t bytes)
{
    const SharedAccess access = {worker, instruction, lane, bytes, address, true};
    Watch *watch = worker->watch;
    uint8_t grain = watch->plan->shared_grain;
    EACH_GRAIN(address, bytes, grain, place) {
        SharedGrain *at = &watch->shared[place >> grain];
        if (!instruction->is_strong)
            write_grain(&access, at, place,
                        stored_part(worker, instruction, lane, (uint32_t)(place - address), grain));
        else if (!is_written(watch, at))
            at->write_epoch = watch->first_epoch;
    }
    if (instruction->is_strong)
        watch->ordered_in[lane / SIM_WARP_SIZE] = watch->epoch;
}

static void change_grain(const SharedAccess *access, SharedGrain *grain)
{
    Watch *watch = access->worker->watch;
    uint32_t warp = access->lane / SIM_WARP_SIZE;
    if (!is_written(watch, grain) && access->instruction->detail != ATOMIC_EXCHANGE)
        note_unwritten(access, grain);
    if (grain->write_epoch == watch->epoch && !grain->is_agreed)
        meet(access, grain->writer, grain->write_turn, true);
    if (!is_written(watch, grain))
        grain->write_epoch = watch->first_epoch;
    grain->atomic_epoch = watch->epoch;
    grain->atomic_turn = watch->turn[warp];
    grain->changer = (uint16_t)access->lane;
    if (tells_of_others(access->instruction))
        watch->ordered_in[warp] = watch->epoch;
}

void shared_atomic(Worker *worker, const Instruction *instruction, uint32_t lane, uint64_t address)
{
    uint32_t bytes = 1u << instruction->size;
    const SharedAccess access = {worker, instruction, lane, bytes, address, true};
    uint8_t grain = worker->watch->plan->shared_grain;
    EACH_GRAIN(address, bytes, grain, place)
        change_grain(&access, &worker->watch->shared[place >> grain]);
}
