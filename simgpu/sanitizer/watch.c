#include "simgpu/sanitizer/watch.h"

#include "base/allocated.h"
#include "simgpu/block/memory_note.h"
#include "simgpu/memory/validity.h"

#include <stdlib.h>
#include <string.h>

/* ---- the plan of a launch ---------------------------------------------------------------------------------------- */

/* A store that is not reported here would make loads look like reads of what nobody wrote. Texture fetches are not
 * reported either, but they only load. An mbarrier orders threads in a way of its own. */
static bool is_followed(const Instruction *instruction)
{
    switch ((InstructionKind)instruction->kind) {
    case ATOMIC: return instruction->detail != ATOMIC_ARRIVE && instruction->detail != ATOMIC_ARRIVE_DROP;
    case RUN_LANES:
    case LOAD_PARAMETER:
    case LOAD:
    case STORE:
    case COPY_ASYNC:
    case COPY_COMMIT:
    case COPY_WAIT:
    case SLOW_PATH:
    case BARRIER:
    case SHUFFLE:
    case VOTE:
    case MATCH:
    case REDUCE:
    case ACTIVE_MASK:
    case CLOCK:
    case PRINT:
    case FAIL_ASSERT:
    case TEXTURE:
    case LOAD_MATRIX:
    case MULTIPLY_MATRIX:
    case TRANSPOSE_MATRIX: return true;
    default: return false;
    }
}

static bool is_followed_throughout(const Code *code)
{
    for (int i = 0; i < code->instruction_count; i++)
        if (!is_followed(&code->instructions[i]))
            return false;
    return true;
}

static bool may_reach(const Instruction *instruction, PtxSpace space)
{
    if (instruction->kind == COPY_ASYNC)
        return space == PTX_SHARED;
    return instruction->space == PTX_NO_SPACE || instruction->space == (uint8_t)space;
}

/* Of the finest store into a space. */
static uint8_t grain_of(const Code *code, PtxSpace space)
{
    uint8_t grain = MAX_GRAIN;
    for (int i = 0; i < code->instruction_count; i++) {
        const Instruction *instruction = &code->instructions[i];
        if (instruction->kind == STORE && may_reach(instruction, space) && instruction->size < grain)
            grain = instruction->size;
    }
    return grain;
}

static bool has_compare(const Code *code, PtxSpace space)
{
    for (int i = 0; i < code->instruction_count; i++) {
        const Instruction *instruction = &code->instructions[i];
        if (instruction->kind == ATOMIC && instruction->detail == ATOMIC_COMPARE && may_reach(instruction, space))
            return true;
    }
    return false;
}

/* The allocations that the launch may store into: those that the parameters point into which its stores go through. A
 * pointer to no allocation might become one into any. */
static bool *find_changing(const Launch *launch)
{
    const Memory *memory = launch->memory;
    bool *may_change = zeroed((size_t)memory->count + 1, sizeof *may_change);
    bool may_be_any = (launch->code->targets & UNKNOWN_TARGET) != 0;
    for (uint32_t i = 0; i < 63; i++) {
        uint64_t value = 0;
        if (!(launch->code->targets >> i & 1))
            continue;
        memcpy(&value, (const char *)launch->request->parameters + i * sizeof value, sizeof value);
        int allocation = memory_find(memory, value);
        if (allocation >= 0)
            may_change[allocation] = true;
        else
            may_be_any |= value - memory->base < memory->span; /* others are numbers */
    }
    if (may_be_any)
        memset(may_change, true, (size_t)memory->count);
    return may_change;
}

WatchPlan *watch_plan(const Launch *launch)
{
    const uint64_t most_blocks = 1ull << 33, most_accesses = 1 << 20; /* race_of_blocks.c: bits of a key */
    const Code *code = launch->code;
    const uint32_t bits = launch->request->watch & (SIM_SANITIZE_RACES | SIM_SANITIZE_UNINITIALISED);
    if (bits == 0 || launch->blocks >= most_blocks || (uint64_t)code->memory_count >= most_accesses ||
        !is_followed_throughout(code))
        return NULL;
    const uint64_t stride = (launch->blocks + DETAILED_BLOCKS - 1) / DETAILED_BLOCKS;
    WatchPlan *plan = zeroed(1, sizeof *plan);
    *plan = (WatchPlan){.bits = bits,
                        .stride = stride,
                        .close_stride = (launch->blocks + stride * CLOSE_BLOCKS - 1) / (stride * CLOSE_BLOCKS) * stride,
                        .shared_grain = grain_of(code, PTX_SHARED),
                        .global_grain = grain_of(code, PTX_GLOBAL),
                        .has_shared_compare = has_compare(code, PTX_SHARED),
                        .has_global_compare = has_compare(code, PTX_GLOBAL),
                        .may_change = find_changing(launch)};
    if (plan->bits & SIM_SANITIZE_RACES)
        plan->grains = block_grains_new(launch, plan->global_grain);
    for (int i = 0; i < launch->memory->count; i++)
        validity_settle(&launch->memory->allocations[i]);
    return plan;
}

void watch_plan_free(WatchPlan *plan)
{
    if (plan == NULL)
        return;
    block_grains_free(plan->grains);
    free(plan->may_change);
    free(plan);
}

/* ---- the watch of a worker --------------------------------------------------------------------------------------- */

static size_t local_bytes(const Worker *worker)
{
    return (size_t)worker->frame_stride * worker->capacity;
}

Watch *watch_new(const Worker *worker)
{
    const WatchPlan *plan = worker->launch->plan;
    if (plan == NULL)
        return NULL;
    Watch *watch = zeroed(1, sizeof *watch);
    watch->plan = plan;
    watch->grains = thread_grains_new(worker->launch);
    watch->copies = copies_new(worker);
    watch->late = late_reads_new();
    if ((plan->bits & SIM_SANITIZE_UNINITIALISED) && worker->frame_stride > 0)
        watch->local = zeroed(local_bytes(worker), 1);
    watch->found = found_new(worker->code);
    return watch;
}

void watch_free(Watch *watch)
{
    if (watch == NULL)
        return;
    thread_grains_free(watch->grains);
    free(watch->copies);
    late_reads_free(watch->late);
    free(watch->local);
    free(watch->found);
    free(watch);
}

/* What earlier blocks left in shared and local memory ages at once, instead of being wiped. */
void watch_begin_block(Worker *worker)
{
    Watch *watch = worker->watch;
    bool is_last = worker->block + 1 == worker->launch->blocks;
    watch->detailed = worker->block % watch->plan->stride == 0 || is_last;
    watch->close = worker->block % watch->plan->close_stride == 0 || is_last;
    watch->ordered = false;
    watch->first_epoch = watch->epoch + 1;
    watch->epoch += 2; /* so that an epoch of the block lies before its first accesses */
    copies_begin_block(worker);
    late_reads_forget(watch);
    if (watch->local != NULL && ++watch->generation == 0) {
        memset(watch->local, 0, local_bytes(worker));
        watch->generation = 1;
    }
}

void watch_barrier(Watch *watch)
{
    watch->epoch++;
    late_reads_forget(watch);
}

void watch_join(Watch *watch, const Active *active)
{
    late_reads_look(watch);
    for (uint32_t warp = active->first / SIM_WARP_SIZE; warp * SIM_WARP_SIZE < active->end; warp++)
        watch->turn[warp] += active->bits[warp] != 0;
}

/* ---- local memory ------------------------------------------------------------------------------------------------ */

static void touch_local(Worker *worker, const Instruction *instruction, bool is_store, uint32_t lane, uint64_t offset,
                        uint32_t bytes)
{
    Watch *watch = worker->watch;
    uint8_t *written = watch->local + (size_t)lane * worker->frame_stride + offset;
    if (is_store) {
        memset(written, watch->generation, bytes);
        return;
    }
    for (uint32_t i = 0; i < bytes && !instruction->is_hidden; i++)
        if (written[i] != watch->generation) {
            found_note(worker, instruction, SIM_UNINITIALISED,
                       (Found){.lane = lane, .space = SIM_LOCAL, .bytes = (uint8_t)bytes, .address = offset});
            return;
        }
}

/* ---- global memory ----------------------------------------------------------------------------------------------- */

static void note_unwritten(Worker *worker, const Instruction *instruction, uint32_t lane, uint64_t address,
                           uint32_t bytes)
{
    found_note(worker, instruction, SIM_UNINITIALISED,
               (Found){.lane = lane, .space = SIM_GLOBAL, .bytes = (uint8_t)bytes, .address = address});
}

static void load_global(Worker *worker, const Instruction *instruction, uint32_t lane, int allocation, uint64_t address,
                        uint32_t bytes)
{
    Watch *watch = worker->watch;
    if (!validity_holds(&worker->launch->memory->allocations[allocation], address, bytes))
        note_unwritten(worker, instruction, lane, address, bytes);
    if (watch->close)
        threads_read(worker, instruction, false, lane, address, bytes);
    if (instruction->is_strong)
        watch->ordered = true;
    else if (watch->detailed)
        blocks_read(worker, instruction, lane, allocation, address, bytes);
}

static void store_global(Worker *worker, const Instruction *instruction, uint32_t lane, int allocation,
                         uint64_t address, uint32_t bytes)
{
    validity_mark(&worker->launch->memory->allocations[allocation], address, bytes);
    if (worker->watch->close)
        threads_write(worker, instruction, false, lane, address, bytes);
    if (!instruction->is_strong)
        blocks_write(worker, instruction, lane, allocation, address, bytes);
}

/* That of the instruction's last access, mostly. */
static int allocation_at(const Worker *worker, const Instruction *instruction, uint64_t address)
{
    const MemoryNote *note = &worker->notes[instruction->index];
    return address - note->begin < note->end - note->begin ? note->allocation
                                                           : memory_find(worker->launch->memory, address);
}

static bool holds(const Allocation *allocation, uint64_t address)
{
    return address >= allocation->address && address - allocation->address < allocation->bytes;
}

/* ---- all spaces -------------------------------------------------------------------------------------------------- */

static void watch_global(Worker *worker, const Instruction *instruction, bool is_store, const Active *active,
                         uint64_t first, const int32_t *relative, uint32_t bytes)
{
    const Memory *memory = worker->launch->memory;
    int allocation = allocation_at(worker, instruction, first);
    worker->watch->store += is_store;
    for (uint32_t lane = active->first; lane < active->end; lane++) {
        if (!active_has(active, lane))
            continue;
        uint64_t address = first + (uint64_t)(int64_t)relative[lane - active->first];
        if (!holds(&memory->allocations[allocation], address))
            allocation = memory_find(memory, address);
        (is_store ? store_global : load_global)(worker, instruction, lane, allocation, address, bytes);
    }
}

/* Of a load of global memory between two addresses is there nothing to look for? The allocation is written all over,
 * and the block is one of many, or nobody stores there. */
static bool is_plain(const Worker *worker, const Instruction *load, uint64_t low, uint64_t end)
{
    const Watch *watch = worker->watch;
    int index = allocation_at(worker, load, low);
    const Allocation *allocation = &worker->launch->memory->allocations[index];
    return allocation->written == NULL && end - allocation->address <= allocation->bytes &&
           (!watch->detailed || (!load->is_strong && !watch->plan->may_change[index]));
}

static void watch_local(Worker *worker, const Instruction *instruction, bool is_store, const Active *active,
                        uint64_t first, const int32_t *relative, uint32_t bytes)
{
    for (uint32_t lane = active->first; lane < active->end; lane++)
        if (active_has(active, lane))
            touch_local(worker, instruction, is_store, lane, first + (uint64_t)(int64_t)relative[lane - active->first],
                        bytes);
}

static void watch_shared(Worker *worker, const Instruction *instruction, bool is_store, const Active *active,
                         uint64_t first, const Pattern *pattern, uint32_t bytes)
{
    const SharedRead read = {.load = instruction,
                             .active = active,
                             .address = first,
                             .relative = pattern->relative,
                             .low = first + (uint64_t)(int64_t)pattern->low,
                             .end = first + (uint64_t)(int64_t)pattern->high + bytes,
                             .bytes = bytes};
    if (!is_store && late_reads_add(worker, &read))
        return;
    (is_store ? late_reads_end : late_reads_look)(worker->watch);
    worker->watch->store += is_store;
    for (uint32_t lane = active->first; lane < active->end; lane++) {
        uint64_t address = first + (uint64_t)(int64_t)pattern->relative[lane - active->first];
        if (active_has(active, lane))
            (is_store ? threads_write : threads_read)(worker, instruction, true, lane, address, bytes);
    }
}

void watch_access(Worker *worker, const Instruction *instruction, PtxSpace space, bool is_store, const Active *active,
                  uint64_t first, const Pattern *pattern, uint32_t bytes)
{
    const Watch *watch = worker->watch;
    /* Which engine noticed that an address is the same for all must not tell: it is looked for here. */
    bool is_uniform = pattern->low == 0 && pattern->high == 0 && instruction->kind == LOAD &&
                      (instruction->space == PTX_GLOBAL || instruction->space == PTX_SHARED);
    if (space == PTX_CONST || space == PTX_PARAM)
        return;
    if (is_uniform)
        watch_uniform_load(worker, instruction, active, first, bytes);
    else if (space == PTX_SHARED && watch->detailed)
        watch_shared(worker, instruction, is_store, active, first, pattern, bytes);
    else if (space == PTX_LOCAL && watch->detailed && watch->local != NULL)
        watch_local(worker, instruction, is_store, active, first, pattern->relative, bytes);
    else if (space != PTX_SHARED && space != PTX_LOCAL &&
             (is_store || !is_plain(worker, instruction, first + (uint64_t)(int64_t)pattern->low,
                                    first + (uint64_t)(int64_t)pattern->high + bytes)))
        watch_global(worker, instruction, is_store, active, first, pattern->relative, bytes);
}

/* The first and the last lane of each warp stand for all. */
static void read_by_ends(Worker *worker, const Instruction *instruction, bool is_shared, const Active *active,
                         uint64_t address, uint32_t bytes)
{
    for (uint32_t warp = 0; warp < worker->launch->warps; warp++) {
        uint32_t bits = active->bits[warp], lane = warp * SIM_WARP_SIZE;
        if (bits == 0)
            continue;
        threads_read(worker, instruction, is_shared, lane + (uint32_t)__builtin_ctz(bits), address, bytes);
        threads_read(worker, instruction, is_shared, lane + 31 - (uint32_t)__builtin_clz(bits), address, bytes);
    }
}

void watch_uniform_load(Worker *worker, const Instruction *instruction, const Active *active, uint64_t address,
                        uint32_t bytes)
{
    const SharedRead read = {.load = instruction,
                             .active = active,
                             .address = address,
                             .low = address,
                             .end = address + bytes,
                             .bytes = bytes};
    if (instruction->space == PTX_SHARED) {
        if (!worker->watch->detailed || late_reads_add(worker, &read))
            return;
        late_reads_look(worker->watch);
        read_by_ends(worker, instruction, true, active, address, bytes);
    } else if (instruction->space != PTX_CONST && !is_plain(worker, instruction, address, address + bytes)) {
        load_global(worker, instruction, active->first, allocation_at(worker, instruction, address), address, bytes);
        if (worker->watch->close)
            read_by_ends(worker, instruction, false, active, address, bytes);
    }
}

static void atomic_global(Worker *worker, const Instruction *instruction, uint32_t lane, uint64_t address)
{
    uint32_t bytes = 1u << instruction->size;
    int index = memory_find(worker->launch->memory, address);
    Allocation *allocation = &worker->launch->memory->allocations[index];
    if (!validity_holds(allocation, address, bytes) && instruction->detail != ATOMIC_EXCHANGE)
        note_unwritten(worker, instruction, lane, address, bytes);
    validity_mark(allocation, address, bytes);
    if (worker->watch->close)
        threads_atomic(worker, instruction, false, lane, address);
    blocks_atomic(worker, instruction, lane, index, address);
    if (tells_of_others(instruction))
        worker->watch->ordered = true;
}

void watch_atomic(Worker *worker, const Instruction *instruction, bool in_shared, uint32_t lane, uint64_t address)
{
    if (!in_shared)
        atomic_global(worker, instruction, lane, address);
    else if (worker->watch->detailed) {
        late_reads_end(worker->watch);
        threads_atomic(worker, instruction, true, lane, address);
    }
}

void watch_shuffle(Worker *worker, const Instruction *instruction, uint32_t lane, uint32_t source)
{
    found_note(worker, instruction, SIM_BAD_SHUFFLE, (Found){.lane = lane, .other = source});
}
