/* A box is moved row by row; a row runs along dimension 0, and is contiguous in global memory.
 *
 * Source   PTX ISA 9.0, Data Movement and Conversion Instructions: Tensors, cp.async.bulk.tensor.  */
#include "simgpu/engine/bulk_copy.h"

#include "base/arena.h"
#include "simgpu/block/active.h"
#include "simgpu/block/async_copies.h"
#include "simgpu/block/cluster.h"
#include "simgpu/block/fault.h"
#include "simgpu/block/raw_finding.h"
#include "simgpu/block/register.h"
#include "simgpu/block/sanitizer.h"
#include "simgpu/block/store_note.h"
#include "simgpu/block/worker.h"
#include "simgpu/code/code.h"
#include "simgpu/code/matrix_fragment.h"
#include "simgpu/engine/access.h"
#include "simgpu/engine/provenance.h"
#include "simgpu/engine/request.h"

#include <stdlib.h>
#include <string.h>

typedef struct TensorBox {
    TensorMap map;
    int32_t at[TENSOR_DIMENSIONS]; /* of its first element in the tensor; may lie outside */
} TensorBox;

typedef struct TensorRow { /* what of a row lies within the tensor: bytes [skipped, skipped + bytes) of it */
    uint64_t address;
    uint32_t skipped, bytes; /* bytes 0: nothing does */
} TensorRow;

/* The bytes of a row of a box that begins at `shared`, as below. */
enum { TENSOR_MAX_ROW = TENSOR_MAX_BOX * 8 };

/* ==== tensor copy ================================================================================================= */

/* What a bulk copy through a tensor map moves: a box of a tensor (simgpu/code/matrix_fragment.h). */

enum { MAX_BOX_BYTES = 1 << 20 };

/* ---- the map ----------------------------------------------------------------------------------------------------- */

/* Is the box made of whole pieces, and not larger than any shared memory? */
static bool has_good_size(const TensorMap *map)
{
    const uint32_t row = map->box[0] * tensor_type_bytes((TensorType)map->type);
    uint64_t bytes = tensor_row_pitch(map);
    for (int i = 1; i < TENSOR_DIMENSIONS; i++)
        bytes *= tensor_box_count(map, i);
    return row % TENSOR_ROW_UNIT == 0 && bytes <= MAX_BOX_BYTES;
}

static bool is_valid(const TensorMap *map, int dimensions)
{
    bool is_good = map->mark == TENSOR_MAP_MARK && map->rank == dimensions && map->type < TENSOR_TYPES &&
                   map->swizzle < TENSOR_SWIZZLES;
    for (int i = 0; is_good && i < TENSOR_DIMENSIONS; i++)
        is_good = map->box[i] > 0 && map->box[i] <= TENSOR_MAX_BOX && map->steps[i] > 0 &&
                  map->steps[i] <= TENSOR_MAX_STEP && map->extents[i] > 0 && map->extents[i] <= 1ull << 32;
    return is_good && map->steps[0] == 1 && has_good_size(map);
}

/* Where the map lies; NULL where no map may lie there. */
static const unsigned char *map_place(const Worker *worker, uint64_t address)
{
    const Launch *launch = worker->launch;
    uint64_t offset = address % SHARED_WINDOW, size = launch->parameter_bytes;
    if (address % TENSOR_MAP_ALIGNMENT != 0)
        return NULL;
    if (space_at(address) == PTX_PARAM)
        return offset < size && size - offset >= TENSOR_MAP_BYTES
                   ? (const unsigned char *)launch->request->parameters + offset
                   : NULL;
    int index = memory_find(launch->memory, address);
    if (index < 0)
        return NULL;
    const Allocation *allocation = &launch->memory->allocations[index];
    return allocation->address + allocation->bytes - address >= TENSOR_MAP_BYTES ? (const unsigned char *)address
                                                                                 : NULL;
}

/* A parameter that is not a __grid_constant__ is copied to local memory where its address is taken. */
static bool refuse_map(Worker *worker, const Instruction *instruction, uint32_t lane, uint64_t address)
{
    const char *why = space_at(address) == PTX_LOCAL
                          ? "in local memory; a parameter that is a tensor map must be a const "
                            "__grid_constant__ CUtensorMap"
                          : "at an address without a map, or with one of other dimensions";
    return worker_fault(worker, SIM_BAD_HANDLE, instruction->file, instruction->line, lane,
                        "begins a copy through a tensor map %s", why);
}

/* Reads the map to which a lane's copy leads, and its coordinates; false after a fault. A box must begin at a multiple
 * of TENSOR_ROW_UNIT bytes of a row: an H200 refuses other copies. */
static bool tensor_box_read(Worker *worker, const Instruction *instruction, uint32_t lane, TensorBox *box)
{
    const uint64_t address = register_value(worker, instruction->sources[1], lane);
    const unsigned char *place = map_place(worker, address);
    if (place != NULL)
        memcpy(&box->map, place, sizeof box->map);
    if (place == NULL || !is_valid(&box->map, instruction->dimensions))
        return refuse_map(worker, instruction, lane, address);
    for (int i = 0; i < TENSOR_DIMENSIONS; i++) {
        uint64_t pair = register_value(worker, instruction->sources[2 + i / 2], lane);
        box->at[i] = i < instruction->dimensions ? (int32_t)(pair >> (i % 2 * 32)) : 0;
    }
    const int element = (int)tensor_type_bytes((TensorType)box->map.type);
    if ((int64_t)box->at[0] * element % TENSOR_ROW_UNIT != 0)
        return worker_fault(worker, SIM_MISALIGNED, instruction->file, instruction->line, lane,
                            "begins a copy through a tensor map at element %d of its rows: %d times %d bytes is not a "
                            "multiple of %d",
                            box->at[0], box->at[0], element, TENSOR_ROW_UNIT);
    /* An H200 fills what a load reads there, and ends a store with an illegal instruction. */
    for (int i = 0; i < instruction->dimensions && instruction->detail == BULK_STORE; i++)
        if (box->at[i] < 0)
            return worker_fault(worker, SIM_OUT_OF_BOUNDS, instruction->file, instruction->line, lane,
                                "stores through a tensor map before the tensor: coordinate %d is %d", i, box->at[i]);
    return true;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static uint32_t row_bytes(const TensorBox *box)
{
    return box->map.box[0] * tensor_type_bytes((TensorType)box->map.type);
}

static uint32_t tensor_box_rows(const TensorBox *box)
{
    uint32_t count = 1;
    for (int i = 1; i < TENSOR_DIMENSIONS; i++)
        count *= tensor_box_count(&box->map, i);
    return count;
}

/* Bytes of the box, with those that lie outside of the tensor. */
static uint32_t tensor_box_bytes(const TensorBox *box)
{
    return row_bytes(box) * tensor_box_rows(box);
}

/* Bytes of shared memory among which they lie: a swizzle spreads them over whole lines. */
static uint32_t tensor_box_span(const TensorBox *box)
{
    const uint32_t bytes = tensor_row_pitch(&box->map) * tensor_box_rows(box);
    return box->map.swizzle == TENSOR_NOT_SWIZZLED ? bytes : (bytes + TENSOR_LINE - 1) / TENSOR_LINE * TENSOR_LINE;
}

static TensorRow tensor_box_row(const TensorBox *box, uint32_t number)
{
    const TensorMap *map = &box->map;
    const uint32_t element = tensor_type_bytes((TensorType)map->type);
    TensorRow row = {.address = map->address};
    for (int i = 1; i < TENSOR_DIMENSIONS; i++) {
        const uint32_t count = tensor_box_count(map, i);
        const int64_t at = box->at[i] + (int64_t)(number % count) * map->steps[i];
        number /= count;
        if (at < 0 || (uint64_t)at >= map->extents[i])
            return row;
        row.address += (uint64_t)at * map->strides[i - 1];
    }
    const int64_t first = box->at[0] > 0 ? box->at[0] : 0, end = (int64_t)box->at[0] + map->box[0];
    const int64_t last = end < (int64_t)map->extents[0] ? end : (int64_t)map->extents[0];
    if (first >= last)
        return row;
    row.skipped = (uint32_t)(first - box->at[0]) * element;
    row.bytes = (uint32_t)(last - first) * element;
    row.address += (uint64_t)first * element;
    return row;
}

/* Checks that all elements within the tensor lie in one allocation, notes the access, and counts the sectors of 32
 * bytes. False after a fault. */
static bool tensor_box_check(Worker *worker, const Instruction *instruction, uint32_t lane, const TensorBox *box,
                             uint64_t *sectors)
{
    const bool is_store = instruction->detail == BULK_STORE;
    AllocationCache *note = &worker->notes[instruction->index];
    *sectors = 0;
    for (uint32_t i = 0, count = tensor_box_rows(box); i < count; i++) {
        const TensorRow row = tensor_box_row(box, i);
        if (row.bytes == 0)
            continue;
        if (!cache_allocation(worker, note, is_store, row.address, row.bytes))
            return worker_access_fault(worker, instruction, SIM_OUT_OF_BOUNDS, SIM_GLOBAL, is_store, lane, row.address,
                                       row.bytes, 1);
        if (worker->requests != NULL && instruction->detail == BULK_LOAD)
            request_note_copy(worker, row.address, row.bytes);
        if (is_store)
            store_note_word(worker, note, row.address, row.bytes);
        *sectors += (row.address + row.bytes - 1) / SECTOR_BYTES - row.address / SECTOR_BYTES + 1;
    }
    return true;
}

/* ---- the copy ---------------------------------------------------------------------------------------------------- */

static void fill(const TensorMap *map, unsigned char *to, uint32_t bytes)
{
    const uint16_t value = map->fills_nan && tensor_type_is_float((TensorType)map->type) ? TENSOR_NAN : 0;
    for (uint32_t i = 0; i < bytes; i += sizeof value)
        memcpy(to + i, &value, sizeof value);
}

/* The place in shared memory of byte `offset` of a row of the box. */
static uint64_t place_of(const TensorBox *box, uint64_t address, uint32_t row, uint32_t offset)
{
    const uint64_t place = address + (uint64_t)row * tensor_row_pitch(&box->map) + offset;
    return tensor_swizzled((TensorSwizzle)box->map.swizzle, place) - address;
}

static void tensor_box_gather(const TensorBox *box, const unsigned char *shared, uint64_t address, uint32_t row,
                              unsigned char values[TENSOR_MAX_ROW])
{
    for (uint32_t k = 0, bytes = row_bytes(box); k < bytes; k += TENSOR_ROW_UNIT)
        memcpy(values + k, shared + place_of(box, address, row, k), TENSOR_ROW_UNIT);
}

/* Moves a box. `shared` is where the box begins in shared memory, at the address `address`, a multiple of 128. */
static void tensor_box_load(const TensorBox *box, unsigned char *shared, uint64_t address)
{
    unsigned char values[TENSOR_MAX_ROW];
    const uint32_t bytes = row_bytes(box);
    for (uint32_t i = 0, count = tensor_box_rows(box); i < count; i++) {
        const TensorRow row = tensor_box_row(box, i);
        fill(&box->map, values, bytes);
        if (row.bytes > 0)
            memcpy(values + row.skipped, (const void *)row.address, row.bytes);
        for (uint32_t k = 0; k < bytes; k += TENSOR_ROW_UNIT)
            memcpy(shared + place_of(box, address, i, k), values + k, TENSOR_ROW_UNIT);
    }
}

/* Can elements of the map's type be combined with those in memory by this AtomicKind? */
static bool tensor_box_combines(const TensorBox *box, AtomicKind kind)
{
    const TensorType type = (TensorType)box->map.type;
    return tensor_type_is_float(type) ? kind == ATOMIC_ADD : tensor_type_bytes(type) >= 4;
}

/* The operation on elements of the map's type. */
static AtomicKind kind_for(const TensorMap *map, uint8_t reduction)
{
    AtomicKind kind = (AtomicKind)(reduction - 1);
    if (kind != ATOMIC_ADD || !tensor_type_is_float((TensorType)map->type))
        return kind;
    return map->type == TENSOR_F16 ? ATOMIC_F16_ADD : map->type == TENSOR_BF16 ? ATOMIC_BF16_ADD : ATOMIC_FLOAT_ADD;
}

static void combine(const TensorMap *map, uint8_t reduction, unsigned char *to, const unsigned char *values,
                    uint32_t bytes)
{
    const uint32_t element = tensor_type_bytes((TensorType)map->type), size = (uint32_t)__builtin_ctz(element);
    const bool is_signed = map->type == TENSOR_S32 || map->type == TENSOR_S64;
    for (uint32_t i = 0; i < bytes; i += element) {
        uint64_t old = 0, value = 0;
        memcpy(&old, to + i, element);
        memcpy(&value, values + i, element);
        old = atomic_value(kind_for(map, reduction), size, is_signed, old, value, 0);
        memcpy(to + i, &old, element);
    }
}

/* `reduction` 0: stores; else 1 + the AtomicKind by which elements are combined with those in memory, without a type. */
static void tensor_box_store(const TensorBox *box, const unsigned char *shared, uint64_t address, uint8_t reduction)
{
    unsigned char values[TENSOR_MAX_ROW];
    for (uint32_t i = 0, count = tensor_box_rows(box); i < count; i++) {
        const TensorRow row = tensor_box_row(box, i);
        tensor_box_gather(box, shared, address, i, values);
        if (row.bytes > 0 && reduction == 0)
            memcpy((void *)row.address, values + row.skipped, row.bytes);
        else if (row.bytes > 0)
            combine(&box->map, reduction, (unsigned char *)row.address, values + row.skipped, row.bytes);
    }
}

/* ==== copy async ================================================================================================== */

/* cp.async copies from global to shared memory without registers. The copies are made at once, and waiting for them
 * does nothing.  */

/* Checks and counts one side of a copy, as a load of `bytes` from global memory or as a store to shared memory. */
static bool check_copy(Worker *worker, const Instruction *instruction, Active *active, bool is_store, uint32_t bytes)
{
    Instruction side = *instruction;
    side.size = 0;
    side.count = instruction->detail;
    side.space = is_store ? PTX_SHARED : PTX_GLOBAL;
    side.sources[0] = instruction->sources[is_store ? 0 : 1];
    side.offset = 0;
    return check_access(worker, &side, active, is_store, bytes);
}

/* How many bytes a lane reads; the others become zeros. */
static uint32_t bytes_read(Worker *worker, const Instruction *instruction, uint32_t lane)
{
    uint64_t wanted = register_value(worker, instruction->sources[2], lane), bytes = instruction->detail;
    return (uint32_t)(wanted < bytes ? wanted : bytes);
}

static void copy_lane(Worker *worker, const Instruction *instruction, uint32_t lane)
{
    unsigned char *to = worker->shared + register_value(worker, instruction->sources[0], lane);
    const void *from = (const void *)register_value(worker, instruction->sources[1], lane);
    uint32_t copied = bytes_read(worker, instruction, lane);
    memcpy(to, from, copied);
    memset(to + copied, 0, instruction->detail - copied);
}

/* Lanes that read different numbers of bytes are checked apart: beyond its own a lane may have any global address. */
static bool check_reads(Worker *worker, const Instruction *instruction, const Active *active)
{
    uint32_t found = 0; /* bit n: some lane reads n bytes */
    for (uint32_t lane = active->first; lane < active->end; lane++)
        if (active_has(active, lane))
            found |= 1u << bytes_read(worker, instruction, lane);
    for (uint32_t bytes = instruction->detail; bytes > 0; bytes--) {
        if ((found >> bytes & 1) == 0)
            continue;
        Active readers = *active;
        for (uint32_t lane = active->first; lane < active->end; lane++)
            if (bytes_read(worker, instruction, lane) != bytes)
                readers.bits[lane / SIM_WARP_SIZE] &= ~(1u << lane % SIM_WARP_SIZE);
        active_measure(&readers, worker);
        if (!check_copy(worker, instruction, &readers, false, bytes))
            return false;
    }
    return true;
}

bool execute_copy_async(Worker *worker, const Instruction *instruction, Active *active)
{
    if (!check_reads(worker, instruction, active) ||
        !check_copy(worker, instruction, active, true, instruction->detail))
        return false;
    for (uint32_t lane = active->first; lane < active->end; lane++)
        if (active_has(active, lane))
            copy_lane(worker, instruction, lane);
    return true;
}

/* ==== bulk copy =================================================================================================== */

/* Where a bulk copy begins, it is checked and put into the worker's list. Where it ends, its bytes are moved.
 *
 * Source   PTX ISA 9.0, Data Movement and Conversion Instructions: cp.async.bulk, cp.reduce.async.bulk,
 *          cp.async.bulk.commit_group, cp.async.bulk.wait_group.  */

enum {
    MOST_COPIES = 4096, /* of a block that are under way; beyond, the oldest one ends */
    BULK_UNIT = 16      /* addresses and sizes are multiples of it */
};

typedef struct BulkCopy {
    const Instruction *instruction;
    unsigned char *to;
    const unsigned char *from;
    uint32_t bytes;
    unsigned char *mbarrier; /* NULL: the copy belongs to a group of its thread */
    Worker *owner;           /* of the mbarrier; another block of the cluster, or the worker that copies */
    uint64_t phase;          /* MBARRIER_PARITY of it when the copy began */
    uint32_t lane, group;    /* group 0: not committed yet */
    TensorBox box;           /* of a copy through a tensor map, else unused ... */
    uint64_t shared_address; /* ... and where it begins in shared memory */
} BulkCopy;

struct BulkCopies {
    BulkCopy *copies;      /* [worker->bulk_count], the oldest first */
    uint32_t *last_groups; /* [lane] groups that it has committed */
};

static struct BulkCopies *copies_of(Worker *worker)
{
    if (worker->bulk == NULL) {
        worker->bulk = zeroed(1, sizeof *worker->bulk);
        worker->bulk->copies = zeroed(MOST_COPIES, sizeof *worker->bulk->copies);
        worker->bulk->last_groups = zeroed(worker->capacity, sizeof *worker->bulk->last_groups);
    }
    return worker->bulk;
}

void bulk_copies_free(Worker *worker)
{
    if (worker->bulk != NULL) {
        free(worker->bulk->copies);
        free(worker->bulk->last_groups);
    }
    free(worker->bulk);
    worker->bulk = NULL;
}

/* ---- the end of a copy ------------------------------------------------------------------------------------------- */

static void reduce(const BulkCopy *copy)
{
    const Instruction *instruction = copy->instruction;
    uint32_t element = 1u << instruction->size;
    for (uint32_t i = 0; i < copy->bytes; i += element) {
        uint64_t old = 0, value = 0;
        memcpy(&old, copy->to + i, element);
        memcpy(&value, copy->from + i, element);
        old = atomic_value((AtomicKind)(instruction->count - 1), instruction->size, instruction->is_signed, old, value,
                           0);
        memcpy(copy->to + i, &old, element);
    }
}

static void move(const BulkCopy *copy)
{
    const Instruction *instruction = copy->instruction;
    if (instruction->dimensions > 0 && instruction->detail == BULK_LOAD)
        tensor_box_load(&copy->box, copy->to, copy->shared_address);
    else if (instruction->dimensions > 0)
        tensor_box_store(&copy->box, copy->from, copy->shared_address, instruction->count);
    else if (instruction->count > 0)
        reduce(copy);
    else
        memmove(copy->to, copy->from, copy->bytes);
}

/* Elements of a box that lie outside of the tensor are zeros. */
static void trace_box(Worker *worker, const BulkCopy *copy)
{
    const TensorBox *box = &copy->box;
    const uint32_t bytes = row_bytes(box), element = tensor_type_bytes((TensorType)box->map.type);
    const bool is_load = copy->instruction->detail == BULK_LOAD;
    for (uint32_t i = 0, count = tensor_box_rows(box); i < count; i++) {
        const TensorRow row = tensor_box_row(box, i);
        for (uint32_t k = 0; k < bytes; k += element) {
            const uint64_t offset = place_of(box, copy->shared_address, i, k / TENSOR_ROW_UNIT * TENSOR_ROW_UNIT) +
                                    k % TENSOR_ROW_UNIT;
            const bool is_inside = k >= row.skipped && k - row.skipped < row.bytes;
            void *global = is_inside ? (void *)(row.address + k - row.skipped) : NULL;
            if (is_load)
                provenance_moves(worker, copy->instruction, copy->lane, copy->to + offset, global, element);
            else if (is_inside)
                provenance_moves(worker, copy->instruction, copy->lane, global, copy->from + offset, element);
        }
    }
}

static void trace(Worker *worker, const BulkCopy *copy)
{
    if (copy->instruction->count > 0)
        provenance_unknown(worker, copy->instruction, "bulk copies that add to memory");
    else if (copy->instruction->dimensions > 0)
        trace_box(worker, copy);
    else
        provenance_moves(worker, copy->instruction, copy->lane, copy->to, copy->from, copy->bytes);
}

static void end_copy(Worker *worker, int index)
{
    struct BulkCopies *bulk = worker->bulk;
    const BulkCopy copy = bulk->copies[index];
    uint64_t word, before;
    memmove(&bulk->copies[index], &bulk->copies[index + 1],
            (size_t)(--worker->bulk_count - index) * sizeof *bulk->copies);
    if (copy.instruction->count > 0)
        pthread_mutex_lock(&worker->launch->bulk_lock);
    move(&copy);
    if (worker->provenance != NULL)
        trace(worker, &copy);
    if (copy.instruction->count > 0)
        pthread_mutex_unlock(&worker->launch->bulk_lock);
    if (copy.mbarrier == NULL)
        return;
    memcpy(&before, copy.mbarrier, sizeof before);
    word = mbarrier_after(before, 0, -(int64_t)copy.bytes, false);
    memcpy(copy.mbarrier, &word, sizeof word);
    if (worker->sanitizer != NULL && ((before ^ copy.phase) & MBARRIER_PARITY) != 0)
        raw_finding_note(worker, copy.instruction, SIM_UNEXPECTED_COPY, (RawFinding){.lane = copy.lane});
    if (worker->sanitizer != NULL && ((word ^ before) & MBARRIER_PARITY) != 0)
        bulk_ends_phase(worker, copy.owner, (uint64_t)(copy.mbarrier - copy.owner->shared));
}

/* Copies may end in any order. In every second block, the youngest ends first. */
bool bulk_copy_end_one(Worker *worker)
{
    if (worker->bulk_count == 0)
        return false;
    end_copy(worker, worker->block % 2 == 0 ? 0 : worker->bulk_count - 1);
    return true;
}

void bulk_copy_end_all(Worker *worker)
{
    while (worker->bulk_count > 0)
        end_copy(worker, 0);
    if (worker->bulk != NULL)
        memset(worker->bulk->last_groups, 0, worker->capacity * sizeof *worker->bulk->last_groups);
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

static void commit(Worker *worker, uint32_t lane)
{
    uint32_t group = ++worker->bulk->last_groups[lane];
    for (int i = 0; i < worker->bulk_count; i++) {
        BulkCopy *copy = &worker->bulk->copies[i];
        if (copy->lane == lane && copy->mbarrier == NULL && copy->group == 0)
            copy->group = group;
    }
}

static void wait_for_all_but(Worker *worker, uint32_t lane, uint32_t left)
{
    for (int i = 0; i < worker->bulk_count;) {
        const BulkCopy *copy = &worker->bulk->copies[i];
        bool is_awaited = copy->lane == lane && copy->group > 0 &&
                          copy->group + left <= worker->bulk->last_groups[lane];
        if (is_awaited)
            end_copy(worker, i);
        else
            i++;
    }
}

bool execute_bulk_group(Worker *worker, const Instruction *instruction, Active *active)
{
    copies_of(worker);
    if (worker->sanitizer != NULL)
        async_copies_bulk_group(worker, instruction, active);
    for (uint32_t lane = active->first; lane < active->end; lane++)
        if (active_has(active, lane) && instruction->kind == BULK_COMMIT)
            commit(worker, lane);
        else if (active_has(active, lane))
            wait_for_all_but(worker, lane, instruction->detail);
    return true;
}

/* ---- the beginning of a copy ------------------------------------------------------------------------------------- */

static void begin(Worker *worker, const BulkCopy *copy)
{
    struct BulkCopies *bulk = copies_of(worker);
    if (worker->bulk_count == MOST_COPIES)
        end_copy(worker, 0);
    bulk->copies[worker->bulk_count++] = *copy;
}

/* Bulk copies bypass the L1. */
static void count_copy(Worker *worker, BulkKind kind, uint64_t sectors)
{
    if (!worker->launch->is_timed)
        return;
    if (kind == BULK_LOAD)
        worker->counters.bulk_load_sectors += sectors;
    else if (kind == BULK_STORE)
        worker->counters.bulk_store_sectors += sectors;
    else if (kind == BULK_TO_CLUSTER)
        worker->counters.cluster_sectors += sectors;
}

typedef struct BulkRequest { /* what one lane asks for */
    const Instruction *instruction;
    BulkKind kind;
    uint32_t lane, bytes;
    uint64_t to, from, mbarrier; /* of a tensor's: `to` is the address in shared memory */
    const TensorBox *box;
} BulkRequest;

/* Where the global side of a copy lies; NULL after a fault. */
static unsigned char *global_side(Worker *worker, const BulkRequest *request)
{
    bool is_store = request->kind == BULK_STORE;
    uint64_t address = is_store ? request->to : request->from;
    AllocationCache *note = &worker->notes[request->instruction->index];
    if (!cache_allocation(worker, note, is_store, address, request->bytes)) {
        (void)worker_access_fault(worker, request->instruction, SIM_OUT_OF_BOUNDS, SIM_GLOBAL, is_store, request->lane,
                                  address, request->bytes, 1);
        return NULL;
    }
    if (is_store)
        store_note_word(worker, note, address, request->bytes);
    return (unsigned char *)address;
}

static unsigned char *shared_side(Worker *worker, const BulkRequest *request, bool is_store, uint64_t address,
                                  uint32_t bytes)
{
    SharedPlace why;
    unsigned char *place = shared_place(worker, address, bytes, &why);
    if (place == NULL)
        (void)worker_cluster_fault(worker, request->instruction, why, is_store, request->lane, address, bytes);
    return place;
}

/* Finds the mbarrier that a copy arrives at; false after a fault. */
static bool find_mbarrier(Worker *worker, const BulkRequest *request, BulkCopy *copy)
{
    SharedPlace why;
    copy->mbarrier = shared_side(worker, request, true, request->mbarrier, sizeof(uint64_t));
    copy->owner = shared_owner(worker, request->mbarrier, &why);
    if (copy->mbarrier == NULL)
        return false;
    memcpy(&copy->phase, copy->mbarrier, sizeof copy->phase);
    return true;
}

static bool check_alignment(Worker *worker, const BulkRequest *request)
{
    uint64_t all = (request->kind == BULK_PREFETCH ? 0 : request->to) | request->from | request->bytes;
    if (all % BULK_UNIT == 0)
        return true;
    return worker_fault(worker, SIM_MISALIGNED, request->instruction->file, request->instruction->line, request->lane,
                        "begins a bulk copy whose addresses and size are not all multiples of %d bytes", BULK_UNIT);
}

/* The address in block `rank` of the cluster that corresponds to one in the block's own shared memory. */
static uint64_t in_block(uint64_t address, uint32_t rank)
{
    return address | (uint64_t)(rank + 1) << CLUSTER_SHIFT;
}

/* Tells the sanitizer of the side of a copy in shared memory, which begins at `address`. */
static void note_shared(Worker *worker, const BulkCopy *copy, uint64_t address, uint32_t bytes)
{
    SharedPlace why;
    Worker *owner = shared_owner(worker, address, &why);
    const uint64_t offset = shared_offset(address);
    if (copy->mbarrier == NULL && owner == worker)
        bulk_reads_shared(worker, copy->instruction, copy->lane, offset, bytes);
    else if (copy->mbarrier != NULL && owner == worker && copy->owner == worker)
        bulk_writes_shared(worker, copy->instruction, copy->lane, offset, bytes,
                           (uint64_t)(copy->mbarrier - worker->shared));
    else if (copy->mbarrier != NULL)
        bulk_writes_far(owner, offset, bytes);
}

/* When a copy to another block has read its own side, only the other block knows. */
static void note_copy(Worker *worker, const BulkCopy *copy, const BulkRequest *request)
{
    if (request->kind == BULK_LOAD)
        bulk_reads_global(worker, copy->instruction, copy->lane, request->from, copy->bytes);
    note_shared(worker, copy, request->kind == BULK_STORE ? request->from : request->to, copy->bytes);
    if (request->kind == BULK_STORE)
        bulk_writes_global(worker, copy->instruction, copy->lane, request->to, copy->from, copy->bytes);
}

/* One copy, into one block. */
static bool begin_copy(Worker *worker, const BulkRequest *request)
{
    BulkCopy copy = {.instruction = request->instruction, .bytes = request->bytes, .lane = request->lane};
    bool signals = request->kind != BULK_STORE;
    copy.from = request->kind == BULK_LOAD ? global_side(worker, request)
                                           : shared_side(worker, request, false, request->from, request->bytes);
    if (copy.from == NULL)
        return false;
    copy.to = request->kind == BULK_STORE ? global_side(worker, request)
                                          : shared_side(worker, request, true, request->to, request->bytes);
    if (copy.to == NULL)
        return false;
    if (signals && !find_mbarrier(worker, request, &copy))
        return false;
    if (worker->sanitizer != NULL)
        note_copy(worker, &copy, request);
    begin(worker, &copy);
    if (worker->requests != NULL && request->kind == BULK_LOAD)
        request_note_copy(worker, request->from, request->bytes);
    count_copy(worker, request->kind, ((uint64_t)request->bytes + SECTOR_BYTES - 1) / SECTOR_BYTES);
    return true;
}

/* Begins a copy into one block, or into the same place of all blocks of the cluster whose bits are set in `blocks`. */
static bool begin_in_each(Worker *worker, const BulkRequest *asked, uint64_t blocks,
                          bool (*begin_one)(Worker *, const BulkRequest *))
{
    BulkRequest request = *asked;
    for (uint32_t rank = 0; rank < MAX_CLUSTER; rank++) {
        request.to = in_block(asked->to, rank);
        request.mbarrier = in_block(asked->mbarrier, rank);
        if ((blocks >> rank & 1) && !begin_one(worker, &request))
            return false;
    }
    return true;
}

static bool execute_lane(Worker *worker, const Instruction *instruction, uint32_t lane)
{
    const Operand *sources = instruction->sources;
    BulkRequest request = {.instruction = instruction,
                           .kind = (BulkKind)instruction->detail,
                           .lane = lane,
                           .to = register_value(worker, sources[0], lane),
                           .from = register_value(worker, sources[1], lane),
                           .bytes = (uint32_t)register_value(worker, sources[2], lane),
                           .mbarrier = register_value(worker, sources[3], lane)};
    if (!check_alignment(worker, &request))
        return false;
    if (request.kind == BULK_PREFETCH)
        return global_side(worker, &request) != NULL;
    if (sources[4].slot == NO_SLOT)
        return begin_copy(worker, &request);
    return begin_in_each(worker, &request, register_value(worker, sources[4], lane), begin_copy);
}

/* ---- copies through a tensor map --------------------------------------------------------------------------------- */

static void note_tensor_copy(Worker *worker, const BulkCopy *copy, const BulkRequest *request)
{
    unsigned char values[TENSOR_MAX_ROW];
    note_shared(worker, copy, request->to, tensor_box_span(&copy->box));
    for (uint32_t i = 0, count = tensor_box_rows(&copy->box); i < count; i++) {
        const TensorRow row = tensor_box_row(&copy->box, i);
        if (row.bytes > 0 && copy->mbarrier != NULL) {
            bulk_reads_global(worker, copy->instruction, copy->lane, row.address, row.bytes);
        } else if (row.bytes > 0) {
            tensor_box_gather(&copy->box, copy->from, copy->shared_address, i, values);
            bulk_writes_global(worker, copy->instruction, copy->lane, row.address, values + row.skipped, row.bytes);
        }
    }
}

/* One copy, into or from the shared memory of one block. */
static bool begin_tensor_copy(Worker *worker, const BulkRequest *request)
{
    const bool is_load = request->kind == BULK_LOAD;
    BulkCopy copy = {.instruction = request->instruction,
                     .bytes = request->bytes,
                     .lane = request->lane,
                     .box = *request->box,
                     .shared_address = shared_offset(request->to)};
    copy.from = copy.to = shared_side(worker, request, is_load, request->to, tensor_box_span(request->box));
    if (copy.to == NULL)
        return false;
    if (is_load && !find_mbarrier(worker, request, &copy))
        return false;
    if (worker->sanitizer != NULL)
        note_tensor_copy(worker, &copy, request);
    begin(worker, &copy);
    return true;
}

static bool execute_tensor_lane(Worker *worker, const Instruction *instruction, uint32_t lane)
{
    const uint64_t places = register_value(worker, instruction->sources[0], lane);
    const uint32_t blocks = (uint32_t)(register_value(worker, instruction->sources[4], lane) >> 32);
    TensorBox box;
    uint64_t sectors;
    BulkRequest request = {.instruction = instruction,
                           .kind = (BulkKind)instruction->detail,
                           .lane = lane,
                           .box = &box,
                           .to = (uint32_t)places,
                           .mbarrier = places >> 32};
    if (!tensor_box_read(worker, instruction, lane, &box) ||
        !tensor_box_check(worker, instruction, lane, &box, &sectors))
        return false;
    if (request.kind == BULK_PREFETCH)
        return true;
    if (instruction->count > 0 && !tensor_box_combines(&box, (AtomicKind)(instruction->count - 1)))
        return worker_fault(
            worker, SIM_UNSUPPORTED, instruction->file, instruction->line, lane,
            "combines elements of a tensor by an operation that the simulated GPU does not have for their "
            "type");
    request.bytes = tensor_box_bytes(&box);
    if (request.to % TENSOR_LINE != 0)
        return worker_fault(worker, SIM_MISALIGNED, instruction->file, instruction->line, lane,
                            "begins a copy through a tensor map whose address in shared memory is not a multiple of %d "
                            "bytes",
                            TENSOR_LINE);
    count_copy(worker, request.kind, sectors);
    return (blocks & BULK_OWN_BLOCK) != 0 ? begin_tensor_copy(worker, &request)
                                          : begin_in_each(worker, &request, blocks, begin_tensor_copy);
}

bool execute_bulk_copy(Worker *worker, const Instruction *instruction, Active *active)
{
    bool (*execute_one)(Worker *, const Instruction *, uint32_t) = instruction->dimensions > 0 ? execute_tensor_lane
                                                                                               : execute_lane;
    for (uint32_t lane = active->first; lane < active->end; lane++)
        if (active_has(active, lane) && !execute_one(worker, instruction, lane))
            return false;
    return true;
}
