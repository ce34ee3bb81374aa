/* Each cell remembers who wrote it last and who read it, and in which epoch. An access is compared with them, and then
 * remembered itself.  */
#include "simgpu/block/thread_races.h"

#include "simgpu/block/async_copies.h"
#include "simgpu/block/cluster_races.h"
#include "simgpu/block/raw_finding.h"
#include "simgpu/block/shadow_cells.h"
#include "simgpu/block/warp_order.h"

#include <string.h>

typedef struct ThreadAccess {
    Worker *worker;
    const Instruction *instruction;
    uint32_t lane, bytes;
    uint64_t address;
    bool is_shared, is_store;
    const unsigned char *values; /* that are stored; NULL: those of the registers */
} ThreadAccess;

static void note_other(const ThreadAccess *access, SimFindingKind kind, uint32_t other, bool other_stored, bool is_bulk)
{
    raw_finding_note(access->worker, access->instruction, kind,
                     (RawFinding){.lane = access->lane,
                                  .is_store = access->is_store,
                                  .other_stored = other_stored,
                                  .is_bulk = is_bulk,
                                  .space = access->is_shared ? SIM_SHARED : SIM_GLOBAL,
                                  .bytes = (uint8_t)access->bytes,
                                  .address = access->address,
                                  .variable = variable_in(access->instruction, PTX_SHARED),
                                  .other = other});
}

static void note(const ThreadAccess *access, SimFindingKind kind, uint32_t other, bool other_stored)
{
    note_other(access, kind, other, other_stored, false);
}

/* Locks or flags of the kernel may have ordered the two warps. */
static bool are_ordered(const Sanitizer *sanitizer, uint32_t warp, uint32_t other_warp)
{
    return sanitizer->ordered_in[warp] == sanitizer->epoch && sanitizer->ordered_in[other_warp] == sanitizer->epoch;
}

/* Compares with another lane's access in the same epoch of the worker. False: the two do not race. */
static bool compare_with(const ThreadAccess *access, uint32_t other, uint32_t other_warp_epoch, bool other_stored)
{
    const Sanitizer *sanitizer = access->worker->sanitizer;
    uint32_t warp = access->lane / SIM_WARP_SIZE, other_warp = other / SIM_WARP_SIZE;
    bool is_race = warp == other_warp ? other_warp_epoch == sanitizer->warp_epoch[warp]
                                      : !are_ordered(sanitizer, warp, other_warp) &&
                                            !warp_order_has_waited(sanitizer, warp, other_warp, other_warp_epoch);
    if (other == access->lane || !is_race)
        return false;
    const SimFindingKind in_warp = access->instruction->is_strong ? SIM_ORDER_IN_WARP : SIM_RACE_IN_WARP;
    note(access, warp == other_warp ? in_warp : SIM_RACE_OF_WARPS, other, other_stored);
    return true;
}

/* A thread that uses the data of a bulk copy must have waited for its mbarrier, and for nothing else. */
static void compare_with_bulk_copy(const ThreadAccess *access, const ShadowCell *cell)
{
    const Sanitizer *sanitizer = access->worker->sanitizer;
    const uint32_t warp = access->lane / SIM_WARP_SIZE;
    if (!warp_order_knows(sanitizer, warp, cell->bulk_mbarrier, cell->bulk_phase) &&
        !are_ordered(sanitizer, warp, cell->writer / SIM_WARP_SIZE))
        note_other(access, SIM_RACE_WITH_COPY, cell->writer, true, true);
}

/* Compares with the last store. */
static void compare_with_writer(const ThreadAccess *access, const ShadowCell *cell)
{
    const Sanitizer *sanitizer = access->worker->sanitizer;
    if (cell->bulk_phase > 0 && shadow_cell_is_written(sanitizer, cell)) {
        compare_with_bulk_copy(access, cell);
        return;
    }
    bool is_copied = cell->copy_group > 0 && shadow_cell_is_written(sanitizer, cell);
    if (cell->write_epoch == sanitizer->epoch && compare_with(access, cell->writer, cell->write_warp_epoch, true))
        return;
    if (is_copied && !async_copies_have_arrived(sanitizer, cell, access->lane) &&
        !are_ordered(sanitizer, access->lane / SIM_WARP_SIZE, cell->writer / SIM_WARP_SIZE))
        note(access, SIM_RACE_WITH_COPY, cell->writer, true);
}

/* Compares with what other blocks of the cluster have done to the cell at `place`. */
static void compare_with_cluster(const ThreadAccess *access, ClusterAccess how, uint64_t place)
{
    if (access->is_shared)
        cluster_races_near(access->worker, access->instruction, how, access->lane, access->address, access->bytes,
                           place);
}

/* For shared memory only: for global memory validity.h does this. */
static void check_written(const ThreadAccess *access, ShadowCell *cell)
{
    const Sanitizer *sanitizer = access->worker->sanitizer;
    if (!access->is_shared || shadow_cell_is_written(sanitizer, cell))
        return;
    note(access, SIM_UNINITIALISED, 0, false);
    shadow_cell_set_written(sanitizer, cell); /* one finding is enough */
}

/* Is there a compare-and-swap in this space? The loop around it begins with a plain load. */
static bool has_compare(const ThreadAccess *access)
{
    const SanitizerPlan *plan = access->worker->sanitizer->plan;
    return access->is_shared ? plan->has_shared_compare : plan->has_global_compare;
}

/* A strong load takes what a strong store of another lane of its warp has left. The two do not race, but which comes first is
 * left open, unless the load waits for the store in a loop. */
static void compare_with_teller(const ThreadAccess *access, const ShadowCell *cell)
{
    const Sanitizer *sanitizer = access->worker->sanitizer;
    if (access->is_shared && !has_compare(access) && cell->strong_epoch == sanitizer->epoch &&
        cell->teller / SIM_WARP_SIZE == access->lane / SIM_WARP_SIZE)
        compare_with(access, cell->teller, cell->strong_warp_epoch, true);
}

/* Is there nothing that a plain load could race with, within its block? Most loads find what an ordinary store has left before the
 * last barrier. */
static bool is_settled(const Sanitizer *sanitizer, bool is_shared, const ShadowCell *cell)
{
    return cell->write_epoch != sanitizer->epoch && cell->atomic_epoch != sanitizer->epoch && cell->copy_group == 0 &&
           cell->bulk_phase == 0 && (!is_shared || shadow_cell_is_written(sanitizer, cell));
}

static void read_cell(const ThreadAccess *access, ShadowCell *cell, uint64_t place)
{
    Sanitizer *sanitizer = access->worker->sanitizer;
    check_written(access, cell);
    if (access->instruction->is_strong) {
        compare_with_teller(access, cell);
        return;
    }
    compare_with_cluster(access, CLUSTER_LOAD, place);
    if (!cell->is_agreed)
        compare_with_writer(access, cell);
    if (cell->atomic_epoch == sanitizer->epoch && !has_compare(access))
        compare_with(access, cell->changer, cell->atomic_warp_epoch, true);
    shadow_cell_add_reader(sanitizer, cell, access->lane);
}

/* Does the store change what the cell holds, also by an earlier lane of the same store? What global memory held before
 * the block stored there is not used, because it depends on which other blocks have run. */
static bool changes(const ThreadAccess *access, const ShadowCell *cell, uint64_t place, uint32_t value)
{
    const Sanitizer *sanitizer = access->worker->sanitizer;
    uint32_t held = 0;
    if (cell->bulk_phase > 0) /* what it copies is not known */
        return true;
    bool is_known = cell->write_epoch == sanitizer->epoch && cell->atomic_epoch != sanitizer->epoch;
    if (is_known || !access->is_shared)
        return !is_known || cell->value != value;
    memcpy(&held, access->worker->shared + place, (size_t)1 << sanitizer->plan->shared_cell_log);
    return held != value;
}

/* A bulk copy or a wgmma may still read what the access changes. */
static void compare_with_async_reader(const ThreadAccess *access, const ShadowCell *cell)
{
    const Sanitizer *sanitizer = access->worker->sanitizer;
    if (cell->async_epoch >= sanitizer->first_epoch && !async_copies_have_read(sanitizer, cell, access->lane) &&
        !are_ordered(sanitizer, access->lane / SIM_WARP_SIZE, cell->async_reader / SIM_WARP_SIZE))
        note_other(access, cell->is_product ? SIM_RACE_WITH_PRODUCT : SIM_RACE_WITH_COPY, cell->async_reader, false,
                   true);
}

/* Compares a store with the atomic operations and the loads of the epoch. */
static void compare_with_users(const ThreadAccess *access, const ShadowCell *cell)
{
    const Sanitizer *sanitizer = access->worker->sanitizer;
    compare_with_async_reader(access, cell);
    if (cell->atomic_epoch == sanitizer->epoch)
        compare_with(access, cell->changer, cell->atomic_warp_epoch, true);
    if (cell->read_epoch == sanitizer->epoch) {
        compare_with(access, cell->reader, cell->read_warp_epoch, false);
        if (cell->far_reader != NOBODY && cell->reader / SIM_WARP_SIZE == access->lane / SIM_WARP_SIZE)
            compare_with(access, cell->far_reader, cell->far_warp_epoch, false);
    }
}

static void write_cell(const ThreadAccess *access, ShadowCell *cell, uint64_t place, uint32_t value)
{
    Sanitizer *sanitizer = access->worker->sanitizer;
    bool is_first_write = cell->write_epoch != sanitizer->epoch;
    if (shadow_cell_is_written(sanitizer, cell) && !changes(access, cell, place, value)) {
        cell->is_agreed |= !is_first_write && cell->writer != access->lane;
        return;
    }
    compare_with_cluster(access, CLUSTER_STORE, place);
    if (!is_first_write && cell->store == sanitizer->store &&
        cell->writer / SIM_WARP_SIZE == access->lane / SIM_WARP_SIZE && cell->writer != access->lane)
        note(access, SIM_RACE_OF_LANES, cell->writer, true);
    else
        compare_with_writer(access, cell);
    compare_with_users(access, cell);
    cell->write_epoch = sanitizer->epoch;
    cell->write_warp_epoch = sanitizer->warp_epoch[access->lane / SIM_WARP_SIZE];
    cell->writer = (uint16_t)access->lane;
    cell->value = value;
    cell->store = sanitizer->store;
    cell->copy_group = access->instruction->kind == COPY_ASYNC ? async_copies_group(sanitizer->copies, access->lane)
                                                               : 0;
    cell->bulk_phase = 0;
    cell->is_agreed = false;
}

static void tell_cell(const ThreadAccess *access, ShadowCell *cell, uint64_t place, uint32_t value)
{
    const Sanitizer *sanitizer = access->worker->sanitizer;
    const bool is_news = changes(access, cell, place, value);
    if (!shadow_cell_is_written(sanitizer, cell))
        shadow_cell_set_written(sanitizer, cell);
    if (!is_news)
        return;
    cell->strong_epoch = sanitizer->epoch;
    cell->strong_warp_epoch = sanitizer->warp_epoch[access->lane / SIM_WARP_SIZE];
    cell->teller = (uint16_t)access->lane;
}

/* Reports an access outside of the variable from which its address was made. */
static void check_variable(const ThreadAccess *access)
{
    const WindowVariable *variable = variable_in(access->instruction, PTX_SHARED);
    if (!access->is_shared || variable == NULL)
        return;
    bool is_inside = access->address >= variable->offset &&
                     (variable->bytes == 0 || access->address + access->bytes <= variable->offset + variable->bytes);
    if (!is_inside)
        note(access, SIM_OUTSIDE_VARIABLE, 0, false);
}

static uint8_t cell_log_of(const Worker *worker, bool is_shared)
{
    const SanitizerPlan *plan = worker->sanitizer->plan;
    return is_shared ? plan->shared_cell_log : plan->global_cell_log;
}

void thread_races_read(Worker *worker, const Instruction *instruction, bool is_shared, uint32_t lane, uint64_t address,
                       uint32_t bytes)
{
    const ThreadAccess access = {worker, instruction, lane, bytes, address, is_shared, false, NULL};
    Sanitizer *sanitizer = worker->sanitizer;
    check_variable(&access);
    if (instruction->is_strong)
        note_wait(sanitizer, lane / SIM_WARP_SIZE);
    const bool may_be_settled = !instruction->is_strong && sanitizer->cluster == NULL;
    ShadowCell *shared = is_shared ? shadow_cell_at(sanitizer, true, address) : NULL;
    EACH_CELL(address, bytes, cell_log_of(worker, is_shared), place)
    {
        ShadowCell *at = is_shared ? shared++ : shadow_cell_at(sanitizer, false, place);
        if (at != NULL && may_be_settled && is_settled(sanitizer, is_shared, at))
            shadow_cell_add_reader(sanitizer, at, lane);
        else if (at != NULL)
            read_cell(&access, at, place);
    }
}

static uint32_t value_at(const ThreadAccess *access, uint64_t place, uint8_t cell_log)
{
    const uint32_t offset = (uint32_t)(place - access->address);
    return access->values == NULL
               ? shadow_cell_value(access->worker, access->instruction, access->lane, offset, cell_log)
               : shadow_cell_value_of(access->values, offset, cell_log);
}

static void write_cells(const ThreadAccess *access)
{
    Sanitizer *sanitizer = access->worker->sanitizer;
    uint8_t cell_log = cell_log_of(access->worker, access->is_shared);
    check_variable(access);
    if (access->instruction->is_strong)
        note_wait(sanitizer, access->lane / SIM_WARP_SIZE);
    EACH_CELL(access->address, access->bytes, cell_log, place)
    {
        ShadowCell *at = shadow_cell_at(sanitizer, access->is_shared, place);
        if (at != NULL)
            (access->instruction->is_strong ? tell_cell : write_cell)(access, at, place,
                                                                      value_at(access, place, cell_log));
    }
}

void thread_races_write(Worker *worker, const Instruction *instruction, bool is_shared, uint32_t lane, uint64_t address,
                        uint32_t bytes)
{
    write_cells(&(ThreadAccess){worker, instruction, lane, bytes, address, is_shared, true, NULL});
}

void thread_races_store(Worker *worker, const Instruction *instruction, uint32_t lane, uint64_t offset, uint32_t bytes,
                        const unsigned char *values)
{
    write_cells(&(ThreadAccess){worker, instruction, lane, bytes, offset, true, true, values});
}

/* What bulk copies and cp.async have stored needs no fence. */
static void check_fence(const ThreadAccess *access, const ShadowCell *cell)
{
    const Sanitizer *sanitizer = access->worker->sanitizer;
    const bool is_stored = cell->write_epoch > sanitizer->first_epoch && cell->bulk_phase == 0 && cell->copy_group == 0;
    if (is_stored && !cell->is_agreed && !proxy_fences_cover(sanitizer, access->is_shared, cell, access->lane))
        note(access, SIM_NO_PROXY_FENCE, cell->writer, true);
}

void thread_races_take(Worker *worker, const Instruction *reader, uint32_t lane, uint64_t offset, uint32_t bytes)
{
    const ThreadAccess access = {worker, reader, lane, bytes, offset, true, false, NULL};
    const bool is_product = reader->kind == LOAD_WGMMA_TILE;
    Sanitizer *sanitizer = worker->sanitizer;
    EACH_CELL(offset, bytes, cell_log_of(worker, true), place)
    {
        ShadowCell *cell = shadow_cell_at(sanitizer, true, place);
        check_written(&access, cell);
        compare_with_cluster(&access, CLUSTER_LOAD, place);
        if (!cell->is_agreed)
            compare_with_writer(&access, cell);
        check_fence(&access, cell);
        cell->async_reader = (uint16_t)lane;
        cell->async_group = async_copies_group(is_product ? sanitizer->products : sanitizer->bulk_copies, lane);
        cell->async_epoch = sanitizer->epoch;
        cell->is_product = is_product;
    }
}

void thread_races_take_global(Worker *worker, const Instruction *reader, uint32_t lane, uint64_t address,
                              uint32_t bytes)
{
    const ThreadAccess access = {worker, reader, lane, bytes, address, false, false, NULL};
    EACH_CELL(address, bytes, cell_log_of(worker, false), place)
    {
        const ShadowCell *cell = shadow_cell_at(worker->sanitizer, false, place);
        if (cell == NULL || !shadow_cell_is_written(worker->sanitizer, cell))
            continue;
        if (!cell->is_agreed)
            compare_with_writer(&access, cell);
        check_fence(&access, cell);
    }
}

void thread_races_fill(Worker *worker, const Instruction *copy, uint32_t lane, uint64_t offset, uint32_t bytes,
                       uint64_t mbarrier)
{
    const ThreadAccess access = {worker, copy, lane, bytes, offset, true, true, NULL};
    Sanitizer *sanitizer = worker->sanitizer;
    uint8_t number = 0;
    uint32_t phase = 0;
    const bool is_known = warp_order_phase(sanitizer, mbarrier, &number, &phase);
    EACH_CELL(offset, bytes, cell_log_of(worker, true), place)
    {
        ShadowCell *cell = shadow_cell_at(sanitizer, true, place);
        if (shadow_cell_is_written(sanitizer, cell))
            compare_with_writer(&access, cell);
        compare_with_users(&access, cell);
        check_fence(&access, cell);
        cell->write_epoch = sanitizer->epoch;
        cell->write_warp_epoch = sanitizer->warp_epoch[lane / SIM_WARP_SIZE];
        cell->writer = (uint16_t)lane;
        cell->copy_group = 0;
        cell->bulk_mbarrier = number;
        cell->bulk_phase = is_known ? phase : 0;
        cell->is_agreed = !is_known; /* then nothing is compared with it */
    }
}

static void change_cell(const ThreadAccess *access, ShadowCell *cell, uint64_t place)
{
    Sanitizer *sanitizer = access->worker->sanitizer;
    uint32_t warp = access->lane / SIM_WARP_SIZE;
    if (access->instruction->detail != ATOMIC_EXCHANGE)
        check_written(access, cell);
    compare_with_cluster(access, CLUSTER_ATOMIC, place);
    if (!cell->is_agreed)
        compare_with_writer(access, cell);
    compare_with_async_reader(access, cell);
    if (!shadow_cell_is_written(sanitizer, cell))
        shadow_cell_set_written(sanitizer, cell);
    cell->atomic_epoch = sanitizer->epoch;
    cell->atomic_warp_epoch = sanitizer->warp_epoch[warp];
    cell->changer = (uint16_t)access->lane;
}

void thread_races_atomic(Worker *worker, const Instruction *instruction, bool is_shared, uint32_t lane,
                         uint64_t address)
{
    uint32_t bytes = 1u << instruction->size;
    const ThreadAccess access = {worker, instruction, lane, bytes, address, is_shared, true, NULL};
    Sanitizer *sanitizer = worker->sanitizer;
    check_variable(&access);
    EACH_CELL(address, bytes, cell_log_of(worker, is_shared), place)
    {
        ShadowCell *at = shadow_cell_at(sanitizer, is_shared, place);
        if (at != NULL)
            change_cell(&access, at, place);
    }
    if (tells_of_others(instruction))
        note_wait(sanitizer, lane / SIM_WARP_SIZE);
}

void thread_races_mbarrier(Worker *worker, const Instruction *instruction, uint32_t lane, uint64_t offset)
{
    const ThreadAccess access = {worker, instruction, lane, sizeof(uint64_t), offset, true, instruction->kind == ATOMIC,
                                 NULL};
    EACH_CELL(offset, sizeof(uint64_t), cell_log_of(worker, true), place)
    {
        ShadowCell *cell = shadow_cell_at(worker->sanitizer, true, place);
        check_written(&access, cell);
        compare_with_writer(&access, cell);
    }
}
