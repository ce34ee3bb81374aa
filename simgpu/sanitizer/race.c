/* Races among the threads of one block: for each grain, who wrote it last and who read it, and between which barriers.  */
#include "simgpu/sanitizer/race.h"

#include "simgpu/block/register.h"

#include <string.h>

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

static bool is_written(const Watch *watch, const ThreadGrain *grain)
{
    return grain->write_epoch >= watch->first_epoch;
}

/* By something that races with nothing. */
static void set_written(const Watch *watch, ThreadGrain *grain)
{
    grain->write_epoch = watch->first_epoch;
    grain->copy_group = 0;
}

typedef struct ThreadAccess {
    Worker *worker;
    const Instruction *instruction;
    uint32_t lane, bytes;
    uint64_t address;
    bool is_shared, is_store;
} ThreadAccess;

static void note(const ThreadAccess *access, SimFindingKind kind, uint32_t other, bool other_stored)
{
    found_note(access->worker, access->instruction, kind,
               (Found){.lane = access->lane,
                       .is_store = access->is_store,
                       .other_stored = other_stored,
                       .space = access->is_shared ? SIM_SHARED : SIM_GLOBAL,
                       .bytes = (uint8_t)access->bytes,
                       .address = access->address,
                       .variable = access->instruction->variable,
                       .other = other});
}

/* Locks and flags of their own may have put the two in order. */
static bool are_ordered(const Watch *watch, uint32_t warp, uint32_t other_warp)
{
    return watch->ordered_in[warp] == watch->epoch && watch->ordered_in[other_warp] == watch->epoch;
}

/* In the same epoch. False: there is nothing to say. */
static bool meet(const ThreadAccess *access, uint32_t other, uint32_t other_turn, bool other_stored)
{
    const Watch *watch = access->worker->watch;
    uint32_t warp = access->lane / SIM_WARP_SIZE, other_warp = other / SIM_WARP_SIZE;
    bool is_race = warp == other_warp ? other_turn == watch->turn[warp] : !are_ordered(watch, warp, other_warp);
    if (other == access->lane || !is_race)
        return false;
    note(access, warp == other_warp ? SIM_RACE_IN_WARP : SIM_RACE_OF_WARPS, other, other_stored);
    return true;
}

/* With what was stored last. */
static void meet_writer(const ThreadAccess *access, const ThreadGrain *grain)
{
    const Watch *watch = access->worker->watch;
    bool is_copied = grain->copy_group > 0 && is_written(watch, grain);
    if (grain->write_epoch == watch->epoch && meet(access, grain->writer, grain->write_turn, true))
        return;
    if (is_copied && !copies_have_arrived(watch, grain, access->lane) &&
        !are_ordered(watch, access->lane / SIM_WARP_SIZE, grain->writer / SIM_WARP_SIZE))
        note(access, SIM_RACE_WITH_COPY, grain->writer, true);
}

/* Of global memory validity.h knows. */
static void check_written(const ThreadAccess *access, ThreadGrain *grain)
{
    const Watch *watch = access->worker->watch;
    if (!access->is_shared || is_written(watch, grain))
        return;
    note(access, SIM_UNINITIALISED, 0, false);
    set_written(watch, grain); /* once is enough */
}

/* A loop around compare-and-swap begins with a plain load. */
static bool has_compare(const ThreadAccess *access)
{
    const WatchPlan *plan = access->worker->watch->plan;
    return access->is_shared ? plan->has_shared_compare : plan->has_global_compare;
}

void remember_reader(const Watch *watch, ThreadGrain *grain, uint32_t lane)
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

static void read_grain(const ThreadAccess *access, ThreadGrain *grain)
{
    Watch *watch = access->worker->watch;
    check_written(access, grain);
    if (access->instruction->is_strong)
        return;
    if (!grain->is_agreed)
        meet_writer(access, grain);
    if (grain->atomic_epoch == watch->epoch && !has_compare(access))
        meet(access, grain->changer, grain->atomic_turn, true);
    remember_reader(watch, grain, access->lane);
}

/* What the grain holds before this store, or what an earlier lane of it puts there. What global memory held before the
 * block came depends on which other blocks have run. */
static bool changes(const ThreadAccess *access, const ThreadGrain *grain, uint64_t place, uint32_t value)
{
    const Watch *watch = access->worker->watch;
    uint32_t held = 0;
    bool is_known = grain->write_epoch == watch->epoch && grain->atomic_epoch != watch->epoch;
    if (is_known || !access->is_shared)
        return !is_known || grain->value != value;
    memcpy(&held, access->worker->shared + place, (size_t)1 << watch->plan->shared_grain);
    return held != value;
}

static void write_grain(const ThreadAccess *access, ThreadGrain *grain, uint64_t place, uint32_t value)
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
    else
        meet_writer(access, grain);
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
    grain->copy_group = access->instruction->kind == COPY_ASYNC ? copies_group(watch, access->lane) : 0;
    grain->is_agreed = false;
}

/* Is the access outside of the variable that its address was made from? */
static void check_variable(const ThreadAccess *access)
{
    const SharedVariable *variable = access->instruction->variable;
    if (!access->is_shared || variable == NULL)
        return;
    bool is_inside = access->address >= variable->offset &&
                     (variable->bytes == 0 || access->address + access->bytes <= variable->offset + variable->bytes);
    if (!is_inside)
        note(access, SIM_OUTSIDE_VARIABLE, 0, false);
}

static uint8_t grain_size(const Worker *worker, bool is_shared)
{
    const WatchPlan *plan = worker->watch->plan;
    return is_shared ? plan->shared_grain : plan->global_grain;
}

void threads_read(Worker *worker, const Instruction *instruction, bool is_shared, uint32_t lane, uint64_t address,
                  uint32_t bytes)
{
    const ThreadAccess access = {worker, instruction, lane, bytes, address, is_shared, false};
    Watch *watch = worker->watch;
    check_variable(&access);
    if (instruction->is_strong)
        watch->ordered_in[lane / SIM_WARP_SIZE] = watch->epoch;
    EACH_GRAIN(address, bytes, grain_size(worker, is_shared), place)
    {
        ThreadGrain *at = thread_grain_at(watch, is_shared, place);
        if (at != NULL)
            read_grain(&access, at);
    }
}

void threads_write(Worker *worker, const Instruction *instruction, bool is_shared, uint32_t lane, uint64_t address,
                   uint32_t bytes)
{
    const ThreadAccess access = {worker, instruction, lane, bytes, address, is_shared, true};
    Watch *watch = worker->watch;
    uint8_t grain = grain_size(worker, is_shared);
    check_variable(&access);
    if (instruction->is_strong)
        watch->ordered_in[lane / SIM_WARP_SIZE] = watch->epoch;
    EACH_GRAIN(address, bytes, grain, place)
    {
        ThreadGrain *at = thread_grain_at(watch, is_shared, place);
        if (at != NULL && !instruction->is_strong)
            write_grain(&access, at, place, stored_part(worker, instruction, lane, (uint32_t)(place - address), grain));
        else if (at != NULL && !is_written(watch, at))
            set_written(watch, at);
    }
}

static void change_grain(const ThreadAccess *access, ThreadGrain *grain)
{
    Watch *watch = access->worker->watch;
    uint32_t warp = access->lane / SIM_WARP_SIZE;
    if (access->instruction->detail != ATOMIC_EXCHANGE)
        check_written(access, grain);
    if (!grain->is_agreed)
        meet_writer(access, grain);
    if (!is_written(watch, grain))
        set_written(watch, grain);
    grain->atomic_epoch = watch->epoch;
    grain->atomic_turn = watch->turn[warp];
    grain->changer = (uint16_t)access->lane;
}

void threads_atomic(Worker *worker, const Instruction *instruction, bool is_shared, uint32_t lane, uint64_t address)
{
    uint32_t bytes = 1u << instruction->size;
    const ThreadAccess access = {worker, instruction, lane, bytes, address, is_shared, true};
    Watch *watch = worker->watch;
    check_variable(&access);
    EACH_GRAIN(address, bytes, grain_size(worker, is_shared), place)
    {
        ThreadGrain *at = thread_grain_at(watch, is_shared, place);
        if (at != NULL)
            change_grain(&access, at);
    }
    if (tells_of_others(instruction))
        watch->ordered_in[lane / SIM_WARP_SIZE] = watch->epoch;
}
