/* Where a bulk copy begins, it is checked and put into the worker's list. Where it ends, its bytes are moved.
 *
 * Source   PTX ISA 9.0, Data Movement and Conversion Instructions: cp.async.bulk, cp.reduce.async.bulk,
 *          cp.async.bulk.commit_group, cp.async.bulk.wait_group.  */
#include "simgpu/engine/bulk_copy.h"

#include "base/allocated.h"
#include "simgpu/block/cluster.h"
#include "simgpu/block/execute.h"
#include "simgpu/block/fault.h"
#include "simgpu/block/memory_note.h"
#include "simgpu/block/register.h"
#include "simgpu/block/store_note.h"
#include "simgpu/code/atomic_value.h"
#include "simgpu/code/mbarrier_word.h"
#include "simgpu/proxy/tensor_copy.h"
#include "simgpu/sanitizer/async_copies.h"
#include "simgpu/sanitizer/bulk_accesses.h"

#include <stdlib.h>
#include <string.h>

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
    if (copy.instruction->count > 0)
        pthread_mutex_unlock(&worker->launch->bulk_lock);
    if (copy.mbarrier == NULL)
        return;
    memcpy(&before, copy.mbarrier, sizeof before);
    word = mbarrier_after(before, 0, -(int64_t)copy.bytes, false);
    memcpy(copy.mbarrier, &word, sizeof word);
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
    MemoryNote *note = &worker->notes[request->instruction->index];
    if (!note_access(worker, note, is_store, address, request->bytes)) {
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
    return copy->mbarrier != NULL;
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
