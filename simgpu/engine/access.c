/* Such accesses are rare enough that each lane is executed by itself.  */
#include "simgpu/engine/access.h"

#include "simgpu/block/active.h"
#include "simgpu/block/cluster.h"
#include "simgpu/block/cluster_races.h"
#include "simgpu/block/fault.h"
#include "simgpu/block/register.h"
#include "simgpu/block/sanitizer.h"
#include "simgpu/block/special_registers.h"
#include "simgpu/block/store_note.h"
#include "simgpu/block/worker.h"
#include "simgpu/code/code.h"
#include "simgpu/code/instruction.h"
#include "simgpu/engine/request.h"

#include <string.h>

/* ==== access pattern ============================================================================================== */

/* The addresses of lanes [first, end) as 64-bit numbers, or their differences to the first. */
static const uint64_t *collect_addresses(Worker *worker, const Instruction *instruction, const Active *active)
{
    Operand address = instruction->sources[0];
    uint32_t count = active->end - active->first;
    uint64_t *addresses = worker->addresses;
    if (address.slot == NO_SLOT) {
        memset(addresses, 0, count * sizeof *addresses);
        return addresses;
    }
    const unsigned char *lanes = register_read(worker, address, active->first);
    if (address.size == 3)
        return (const uint64_t *)lanes;
    const uint32_t *narrow = (const uint32_t *)lanes;
    for (uint32_t i = 0; i < count; i++) /* 32-bit addresses wrap around: only the difference to the first matters */
        addresses[i] = (uint64_t)(int64_t)(int32_t)(narrow[i] - narrow[0]);
    return addresses;
}

uint64_t access_lane_address(const Worker *worker, const Instruction *instruction, uint32_t lane)
{
    uint64_t address = register_value(worker, instruction->sources[0], lane) + (uint64_t)instruction->offset;
    bool is_narrow = instruction->sources[0].slot != NO_SLOT && instruction->sources[0].size == 2;
    return is_narrow ? (uint32_t)address : address;
}

static bool is_remembered(Worker *worker, const Instruction *instruction, Active *active, const Pattern *pattern)
{
    Operand address = instruction->sources[0];
    uint32_t count = active->end - active->first;
    if (pattern->kind == PATTERN_NONE || pattern->first != active->first || pattern->count != count)
        return false;
    if (is_uniform(worker, address))
        return pattern->kind == PATTERN_STRIDED && pattern->step == 0;
    const unsigned char *lanes = lane_of(worker, address, active->first);
    uint64_t first = register_value(worker, address, active->first);
    if (address.size < 2)
        return false;
    if (active->exact)
        return worker->lanes->same_pattern[address.size == 3](lanes, first, pattern->relative, pattern->count);
    return worker->lanes->same_masked[address.size == 3](lanes, first, pattern->relative,
                                                         active_mask(worker, active) + active->first, pattern->count);
}

/* Fills in `first`, `pattern` and `bits`; false where the lanes' addresses lie 2 GiB or more apart. */
static bool access_find_pattern(Worker *worker, Access *access, Active *active)
{
    AllocationCache *note = access->note;
    access->first = access_lane_address(worker, access->instruction, active->first);
    access->bits = active->exact ? NULL : active->bits;
    access->pattern = active->exact ? &note->pattern : &note->masked;
    size_t bytes_of_bits = worker->launch->warps * sizeof *note->bits;
    bool same_lanes = active->exact || memcmp(note->bits, active->bits, bytes_of_bits) == 0;
    if (same_lanes && is_remembered(worker, access->instruction, active, access->pattern))
        return true;
    if (!active->exact)
        memcpy(note->bits, active->bits, bytes_of_bits);
    if (access->pattern->relative == NULL)
        pattern_new(access->pattern, worker->capacity);
    const uint64_t *addresses = collect_addresses(worker, access->instruction, active);
    return pattern_set(access->pattern, addresses, active->first, active->end - active->first, access->bits);
}

/* ==== access count ================================================================================================ */

void access_trace_load(Worker *worker, const Instruction *instruction, const Active *active, uint64_t first,
                       const int32_t *relative, uint32_t bytes)
{
    if (worker->trace != NULL)
        trace_load(worker->trace, &(TracedLoad){.load = instruction->index,
                                                .is_constant = instruction->space == PTX_CONST,
                                                .skips_l1 = instruction->skips_l1,
                                                .bits = active->bits,
                                                .first_lane = active->first,
                                                .end_lane = active->end,
                                                .bytes = bytes,
                                                .address = first,
                                                .relative = relative});
}

static void count_global(Worker *worker, const Access *access, const Active *active)
{
    SimCounters *counters = &worker->counters;
    uint32_t sectors = pattern_sectors(access->pattern, access->bits, access->first, access->bytes);
    if (access->is_store) {
        counters->global_store_requests += active->warps;
        counters->global_store_sectors += sectors;
        counters->global_store_lines += pattern_lines(access->pattern, access->bits);
        counters->global_store_bytes += (uint64_t)active->count * access->bytes;
    } else {
        counters->global_load_requests += active->warps;
        counters->global_load_sectors += sectors;
        counters->global_load_wavefronts += pattern_load_wavefronts(access->pattern, access->bits, access->bytes);
        counters->global_load_bytes += (uint64_t)active->count * access->bytes;
        access_trace_load(worker, access->instruction, active, access->first, access->pattern->relative, access->bytes);
    }
}

static void count_shared(Worker *worker, const Access *access, const Active *active)
{
    SimCounters *counters = &worker->counters;
    const Instruction *instruction = access->instruction;
    if (instruction->is_merged)
        return;
    uint32_t bytes = merged_bytes(instruction, access->bytes);
    uint32_t wavefronts = pattern_wavefronts(access->pattern, access->bits, access->first, bytes);
    if (access->is_store) {
        counters->shared_store_requests += active->warps;
        counters->shared_store_wavefronts += wavefronts;
    } else {
        counters->shared_load_requests += active->warps;
        counters->shared_load_wavefronts += wavefronts;
    }
}

static void count_constant(Worker *worker, const Access *access, const Active *active)
{
    worker->counters.constant_requests += active->warps;
    worker->counters.constant_replays += pattern_distinct(access->pattern, access->bits) - active->warps;
    access_trace_load(worker, access->instruction, active, access->first, access->pattern->relative, access->bytes);
}

/* Hardware interleaves the words of local memory: those of 8 neighbouring lanes at the same offset share a sector, and
 * different offsets lie in different sectors. */
static void count_local(Worker *worker, const Access *access, const Active *active)
{
    uint64_t sectors = 0;
    const Pattern *pattern = access->pattern;
    for (uint32_t start = active->first / 8 * 8; start < active->end; start += 8) {
        int32_t seen[8];
        uint32_t count = 0;
        for (uint32_t lane = start; lane < start + 8 && lane < active->end; lane++) {
            if (lane < active->first || !access_has_lane(access, lane))
                continue;
            int32_t word = pattern->relative[lane - pattern->first] / 4;
            uint32_t i = 0;
            while (i < count && seen[i] != word)
                i++;
            if (i == count)
                seen[count++] = word;
        }
        sectors += count * ((access->bytes + 3) / 4);
    }
    worker->counters.local_requests += active->warps;
    worker->counters.local_sectors += sectors;
}

/* Counts an access that is allowed, and tells the sanitizer of it. */
static void access_count(Worker *worker, const Access *access, const Active *active)
{
    if (worker->sanitizer != NULL)
        sanitizer_access(worker, access->instruction, access->space, access->is_store, active, access->first,
                         access->pattern, access->used_bytes);
    if (worker->requests != NULL)
        request_note(worker, access->instruction, access->space, access->is_store, active, access->first,
                     access->pattern, access->bytes);
    if (access->instruction->is_hidden || !worker->launch->is_timed)
        return;
    switch (access->space) {
    case PTX_SHARED: count_shared(worker, access, active); break;
    case PTX_CONST: count_constant(worker, access, active); break;
    case PTX_LOCAL: count_local(worker, access, active); break;
    case PTX_PARAM: break;
    default: count_global(worker, access, active);
    }
}

uint32_t access_bytes_of_lane(const Instruction *instruction)
{
    return merged_bytes(instruction, instruction_facts(instruction).bytes);
}

/* ==== access check ================================================================================================ */

/* Checks that an access lies within its memory and is aligned, to the byte. */

static SimSpace reported_space(PtxSpace space)
{
    switch (space) {
    case PTX_SHARED: return SIM_SHARED;
    case PTX_LOCAL: return SIM_LOCAL;
    case PTX_CONST: return SIM_CONSTANT;
    case PTX_PARAM: return SIM_PARAMETER;
    default: return SIM_GLOBAL;
    }
}

/* Reports the first lane whose access is not allowed, and the number of such lanes; true where there is none. */
static bool fault(Worker *worker, const Access *access, const Active *active, SimOutcome outcome,
                  bool (*allowed)(Worker *, const Access *, uint64_t address))
{
    uint64_t lanes = 0, first_address = 0;
    uint32_t first_lane = active->first;
    for (uint32_t lane = active->first; lane < active->end; lane++) {
        uint64_t address = access_lane_address(worker, access->instruction, lane);
        if (!active_has(active, lane))
            continue;
        if (access->instruction->space == PTX_NO_SPACE && address < WINDOWS_END && access->space != PTX_NO_SPACE)
            address %= SHARED_WINDOW;
        if (allowed(worker, access, address))
            continue;
        if (lanes++ == 0) {
            first_lane = lane;
            first_address = address;
        }
    }
    if (lanes == 0)
        return true;
    return worker_access_fault(worker, access->instruction, outcome, reported_space(access->space), access->is_store,
                               first_lane, first_address, access->bytes, lanes);
}

static bool is_aligned(Worker *worker, const Access *access, uint64_t address)
{
    return (address & (access->bytes - 1)) == 0;
}

static bool is_inside_global(Worker *worker, const Access *access, uint64_t address)
{
    return cache_allocation(worker, access->note, access->is_store, address, access->used_bytes);
}

/* Size of the window of the access's space. */
static uint64_t access_window_bytes(const Worker *worker, const Access *access)
{
    switch (access->space) {
    case PTX_SHARED: return worker->launch->shared_bytes;
    case PTX_LOCAL: return worker->calls != NULL ? worker->calls->highest : worker->code->frame_bytes;
    default: return worker->launch->parameter_bytes;
    }
}

static bool is_inside_window(Worker *worker, const Access *access, uint64_t address)
{
    PtxSpace space = access->space;
    const WindowVariable *variable = space == PTX_SHARED ? NULL : variable_in(access->instruction, space);
    uint64_t begin = variable != NULL ? variable->offset : 0;
    uint64_t end = variable != NULL ? begin + variable->bytes : access_window_bytes(worker, access);
    return address >= begin && address < end && end - address >= access->used_bytes;
}

/* A kernel's parameters are read-only. */
static bool is_never_allowed(Worker *worker, const Access *access, uint64_t address)
{
    return false;
}

static bool check_alignment(Worker *worker, const Access *access, const Active *active)
{
    uint64_t all = access->first | access->pattern->misaligned;
    return (all & (access->bytes - 1)) == 0 || fault(worker, access, active, SIM_MISALIGNED, is_aligned);
}

/* Checks an access to global or constant memory, or to memory with a window of its own; false where a fault ended the
 * block. */
static bool access_check_global(Worker *worker, const Access *access, const Active *active)
{
    uint64_t low = access->first + (uint64_t)(int64_t)access->pattern->low;
    uint64_t bytes = (uint64_t)((int64_t)access->pattern->high - access->pattern->low) + access->used_bytes;
    if (!cache_allocation(worker, access->note, access->is_store, low, bytes) &&
        !fault(worker, access, active, SIM_OUT_OF_BOUNDS, is_inside_global))
        return false;
    return check_alignment(worker, access, active);
}

static bool access_check_window(Worker *worker, const Access *access, const Active *active)
{
    uint64_t low = access->first + (uint64_t)(int64_t)access->pattern->low; /* may wrap around, and is then outside */
    uint64_t high = access->first + (uint64_t)(int64_t)access->pattern->high;
    bool inside = low <= high && is_inside_window(worker, access, low) && is_inside_window(worker, access, high);
    if (access->is_store && access->space == PTX_PARAM)
        return fault(worker, access, active, SIM_OUT_OF_BOUNDS, is_never_allowed);
    if (!inside && !fault(worker, access, active, SIM_OUT_OF_BOUNDS, is_inside_window))
        return false;
    return check_alignment(worker, access, active);
}

/* ==== access move ================================================================================================= */

/* Moves data between registers and memory, for an access that has been checked. */

enum { MOST_BYTES_OF_LANE = 32 };

/* Moves what a load uses of each lane, and nothing behind it, where there may be no memory. */
static void load_used_bytes(Worker *worker, const Access *access, Active *active, size_t lane_distance)
{
    const Instruction *instruction = access->instruction;
    for (int i = 0; i < instruction->count; i++) {
        Operand to = instruction->results[i];
        unsigned char *values = register_write(worker, active, to, i);
        for (uint32_t j = 0; j < active->end - active->first; j++) {
            unsigned char lane[MOST_BYTES_OF_LANE] = {0};
            if (!access_has_lane(access, active->first + j))
                continue;
            memcpy(lane, access->host + j * lane_distance + access->pattern->relative[j], access->used_bytes);
            worker->lanes->load_strided[instruction->is_signed][instruction->size][to.size](
                values + ((size_t)j << to.size), (const char *)lane + ((size_t)i << instruction->size), 0, 1);
        }
        register_written(worker, active, to, i);
    }
}

/* Long runs of neighbours are moved by vectors. All other runs, with a call for each, take longer than loads lane by lane: twice as
 * long for runs of eight lanes. */
static bool runs_are_long(const Pattern *pattern, int32_t bytes)
{
    enum { LEAST_LANES = 16 };
    return pattern->runs[0].step == bytes && pattern->run_count * LEAST_LANES <= pattern->count;
}

static void load_pattern(const Worker *worker, const Access *access, const char *from, unsigned char *to, uint32_t size)
{
    const Pattern *pattern = access->pattern;
    const Instruction *instruction = access->instruction;
    const LaneTable *lanes = worker->lanes;
    if (pattern->kind == PATTERN_STRIDED) {
        lanes->load_strided[instruction->is_signed][instruction->size][size](to, from, pattern->step, pattern->count);
    } else if (pattern->kind == PATTERN_RUNS && runs_are_long(pattern, 1 << instruction->size)) {
        for (uint32_t i = 0; i < pattern->run_count; i++) {
            const PatternRun *run = &pattern->runs[i];
            lanes->load_strided[instruction->is_signed][instruction->size][size](
                to + ((size_t)run->lane << size), from + pattern->relative[run->lane], run->step, run->count);
        }
    } else {
        lanes->load_gathered[instruction->is_signed][instruction->size][size](to, from, pattern->relative,
                                                                              pattern->count);
    }
}

static void store_pattern(const Worker *worker, const Access *access, const unsigned char *from, char *to,
                          uint32_t size)
{
    const Pattern *pattern = access->pattern;
    const Instruction *instruction = access->instruction;
    const LaneTable *lanes = worker->lanes;
    if (access->bits != NULL) {
        for (uint32_t i = 0; i < pattern->count; i++) {
            const unsigned char *value = from + ((size_t)i << size);
            if (access_has_lane(access, pattern->first + i))
                lanes->store_strided[instruction->size][size](value, to + pattern->relative[i], 0, 1);
        }
    } else if (pattern->kind == PATTERN_STRIDED) {
        lanes->store_strided[instruction->size][size](from, to, pattern->step, pattern->count);
    } else if (pattern->kind == PATTERN_RUNS) {
        for (uint32_t i = 0; i < pattern->run_count; i++) {
            const PatternRun *run = &pattern->runs[i];
            lanes->store_strided[instruction->size][size](from + ((size_t)run->lane << size),
                                                          to + pattern->relative[run->lane], run->step, run->count);
        }
    } else {
        lanes->store_scattered[instruction->size][size](from, to, pattern->relative, pattern->count);
    }
}

/* Moves data to or from memory that all lanes share, at access->host. */
static void access_move(Worker *worker, const Access *access, Active *active)
{
    const Instruction *instruction = access->instruction;
    if (access->used_bytes < access->bytes) {
        load_used_bytes(worker, access, active, 0);
        return;
    }
    for (int i = 0; i < instruction->count; i++) {
        char *host = access->host + ((size_t)i << instruction->size);
        if (access->is_store) {
            Operand from = instruction->sources[1 + i];
            store_pattern(worker, access, register_read(worker, from, active->first), host, from.size);
        } else {
            Operand to = instruction->results[i];
            load_pattern(worker, access, host, register_write(worker, active, to, i), to.size);
            register_written(worker, active, to, i);
        }
    }
}

/* Each lane has a frame of its own, so that equal offsets lie one frame apart. */
static void move_local(Worker *worker, const Access *access, Active *active)
{
    const Instruction *instruction = access->instruction;
    for (int i = 0; i < instruction->count; i++) {
        Operand operand = access->is_store ? instruction->sources[1 + i] : instruction->results[i];
        unsigned char *values = access->is_store ? register_read(worker, operand, active->first)
                                                 : register_write(worker, active, operand, i);
        for (uint32_t j = active->first; j < active->end; j++) {
            if (!access_has_lane(access, j))
                continue;
            char *host = worker->local + (size_t)j * worker->frame_stride + access->first +
                         access->pattern->relative[j - active->first] + ((size_t)i << instruction->size);
            unsigned char *value = values + ((size_t)(j - active->first) << operand.size);
            if (access->is_store)
                worker->lanes->store_strided[instruction->size][operand.size](value, host, 0, 1);
            else
                worker->lanes->load_strided[instruction->is_signed][instruction->size][operand.size](value, host, 0, 1);
        }
        if (!access->is_store)
            register_written(worker, active, operand, i);
    }
}

/* The usual case of local memory, all lanes at the same offset; false where it is another one. */
static bool move_local_rows(Worker *worker, const Access *access, Active *active)
{
    if (access->bits != NULL || access->pattern->kind != PATTERN_STRIDED || access->pattern->step != 0)
        return false;
    Access rows = *access;
    Pattern pattern = *access->pattern;
    pattern.step = (int32_t)worker->frame_stride;
    rows.pattern = &pattern;
    rows.host = worker->local + (size_t)active->first * worker->frame_stride + access->first;
    access_move(worker, &rows, active);
    return true;
}

/* Moves data to or from local memory, in which each lane has a frame of its own. */
static void access_move_local(Worker *worker, const Access *access, Active *active)
{
    if (access->used_bytes < access->bytes) {
        Access first = *access;
        first.host = worker->local + (size_t)active->first * worker->frame_stride + access->first;
        load_used_bytes(worker, &first, active, worker->frame_stride);
        return;
    }
    if (!move_local_rows(worker, access, active))
        move_local(worker, access, active);
}

/* ==== far access ================================================================================================== */

/* Loads from and stores into the shared memory of other blocks of the cluster. */

/* The address as one of shared memory, if it is one of another block's; else 0. */
static uint64_t far_address(Worker *worker, const Instruction *instruction, uint32_t lane)
{
    uint64_t address = access_lane_address(worker, instruction, lane);
    if (instruction->space == PTX_NO_SPACE && space_at(address) == PTX_SHARED)
        address %= SHARED_WINDOW;
    else if (instruction->space != PTX_SHARED)
        return 0;
    return is_of_other_block(address) ? address : 0;
}

/* Does a load or a store go to another block? `far` are the lanes that do so, `near` the others. */
static bool far_access_finds(Worker *worker, const Instruction *instruction, const Active *active, Active *far,
                             Active *near)
{
    bool is_possible = instruction->space == PTX_NO_SPACE || instruction->space == PTX_SHARED;
    if (!is_possible ||
        (is_uniform(worker, instruction->sources[0]) && far_address(worker, instruction, active->first) == 0))
        return false;
    *far = *near = *active;
    for (uint32_t lane = active->first; lane < active->end; lane++) {
        bool is_far = far_address(worker, instruction, lane) != 0;
        (is_far ? near : far)->bits[lane / SIM_WARP_SIZE] &= ~(1u << lane % SIM_WARP_SIZE);
    }
    active_measure(far, worker);
    active_measure(near, worker);
    return far->count > 0;
}

/* Checks a lane's access; NULL after a fault. */
static char *find_place(Worker *worker, const Instruction *instruction, uint32_t lane, bool is_store)
{
    uint64_t address = far_address(worker, instruction, lane);
    uint32_t bytes = (uint32_t)instruction->count << instruction->size;
    SharedPlace why;
    char *place = (char *)shared_place(worker, address, bytes, &why);
    if (place == NULL)
        (void)worker_cluster_fault(worker, instruction, why, is_store, lane, address, bytes);
    else if (address % bytes != 0)
        (void)worker_access_fault(worker, instruction, SIM_MISALIGNED, SIM_SHARED, is_store, lane,
                                  shared_offset(address), bytes, 1);
    else
        return place;
    return NULL;
}

/* Tells the sanitizer. */
static void note(Worker *worker, const Instruction *instruction, const Active *far, bool is_store)
{
    const uint32_t bytes = (uint32_t)instruction->count << instruction->size;
    SharedPlace why;
    for (uint32_t lane = far->first; lane < far->end; lane++) {
        if (!active_has(far, lane))
            continue;
        const uint64_t address = far_address(worker, instruction, lane);
        cluster_races_access(worker, shared_owner(worker, address, &why), instruction, is_store, lane,
                             shared_offset(address), bytes);
    }
}

static void move(const Worker *worker, const Instruction *instruction, unsigned char *value, uint8_t size, char *place,
                 bool is_store)
{
    if (is_store)
        worker->lanes->store_strided[instruction->size][size](value, place, 0, 1);
    else
        worker->lanes->load_strided[instruction->is_signed][instruction->size][size](value, place, 0, 1);
}

static void count(Worker *worker, const Instruction *instruction, const Active *far, bool is_store)
{
    uint64_t bytes = (uint64_t)far->count * instruction->count << instruction->size;
    if (!worker->launch->is_timed)
        return;
    *(is_store ? &worker->counters.shared_store_requests : &worker->counters.shared_load_requests) += far->warps;
    *(is_store ? &worker->counters.shared_store_wavefronts : &worker->counters.shared_load_wavefronts) += far->warps;
    worker->counters.cluster_sectors += (bytes + SECTOR_BYTES - 1) / SECTOR_BYTES;
}

/* Executes it in the lanes of `far`; false where a fault ended the block. */
static bool execute_far_access(Worker *worker, const Instruction *instruction, Active *far, bool is_store)
{
    char *places[MAX_THREADS];
    for (uint32_t lane = far->first; lane < far->end; lane++)
        if (active_has(far, lane) && (places[lane] = find_place(worker, instruction, lane, is_store)) == NULL)
            return false;
    if (worker->sanitizer != NULL)
        note(worker, instruction, far, is_store);
    for (int i = 0; i < instruction->count; i++) {
        Operand operand = is_store ? instruction->sources[1 + i] : instruction->results[i];
        unsigned char *values = is_store ? register_read(worker, operand, far->first)
                                         : register_write(worker, far, operand, i);
        for (uint32_t lane = far->first; lane < far->end; lane++)
            if (active_has(far, lane))
                move(worker, instruction, values + ((size_t)(lane - far->first) << operand.size), operand.size & 3,
                     places[lane] + ((size_t)i << instruction->size), is_store);
        if (!is_store)
            register_written(worker, far, operand, i);
    }
    count(worker, instruction, far, is_store);
    return true;
}

/* ==== uniform load ================================================================================================ */

/* Loads of one address by all lanes. */

static void load_once(Worker *worker, const Instruction *instruction, const char *host)
{
    for (int i = 0; i < instruction->count; i++) {
        Operand to = instruction->results[i];
        worker->lanes->load_strided[instruction->is_signed][instruction->size][to.size](
            lane_of(worker, to, 0), host + ((size_t)i << instruction->size), 0, 1);
        worker->states[to.slot] = UNIFORM;
    }
}

static void count_shared_broadcast(Worker *worker, const Instruction *load, const Active *active, uint32_t bytes)
{
    if (load->is_merged)
        return;
    worker->counters.shared_load_requests += active->warps;
    for (uint32_t warp = active->first / SIM_WARP_SIZE; warp * SIM_WARP_SIZE < active->end; warp++)
        worker->counters.shared_load_wavefronts += broadcast_wavefronts(active->bits[warp], merged_bytes(load, bytes));
}

/* Loads once for all lanes of the block. False, with nothing done, where the load may be a fault: the general way then
 * finds out. */
static bool uniform_load(Worker *worker, const Instruction *instruction, const Active *active)
{
    uint64_t address = access_lane_address(worker, instruction, 0);
    uint32_t bytes = (uint32_t)instruction->count << instruction->size;
    SimCounters *counters = &worker->counters;
    if ((address & (bytes - 1)) != 0)
        return false;
    if (instruction->space == PTX_SHARED) {
        uint64_t size = worker->launch->shared_bytes;
        if (address >= size || size - address < bytes)
            return false;
        if (worker->requests != NULL)
            request_note(worker, instruction, PTX_SHARED, false, active, address, NULL, bytes);
        count_shared_broadcast(worker, instruction, active, bytes);
        if (worker->sanitizer != NULL)
            sanitizer_uniform_load(worker, instruction, active, address, bytes);
        load_once(worker, instruction, (const char *)worker->shared + address);
        return true;
    }
    if (!cache_allocation(worker, &worker->notes[instruction->index], false, address, bytes))
        return false;
    if (instruction->space == PTX_CONST) {
        counters->constant_requests += active->warps;
    } else {
        counters->global_load_requests += active->warps;
        counters->global_load_sectors += active->warps;
        for (uint32_t warp = active->first / SIM_WARP_SIZE; warp * SIM_WARP_SIZE < active->end; warp++)
            counters->global_load_wavefronts += broadcast_load_wavefronts(active->bits[warp], bytes);
        counters->global_load_bytes += (uint64_t)active->count * bytes;
    }
    access_trace_load(worker, instruction, active, address, NULL, bytes);
    if (worker->requests != NULL)
        request_note(worker, instruction, (PtxSpace)instruction->space, false, active, address, NULL, bytes);
    if (worker->sanitizer != NULL)
        sanitizer_uniform_load(worker, instruction, active, address, bytes);
    load_once(worker, instruction, (const char *)address);
    return true;
}

/* ==== access ====================================================================================================== */

/* Loads and stores of all state spaces.
 *
 * Global memory lies in the host's memory at the same addresses, so that after the check an access is a plain move.
 * Shared, local and parameter memory are arrays of the worker.  */

/* Bytes that are not used need not be left out where memory, which ends at `end`, holds them for all lanes. */
static void take_all_before(Access *access, uint64_t end)
{
    uint64_t last = access->first + (uint64_t)(int64_t)access->pattern->high;
    if (last < end && end - last >= access->bytes)
        access->used_bytes = access->bytes;
}

static bool access_window(Worker *worker, Access *access, Active *active)
{
    if (!access_check_window(worker, access, active))
        return false;
    take_all_before(access, access_window_bytes(worker, access));
    access_count(worker, access, active);
    if (access->space == PTX_LOCAL) {
        access_move_local(worker, access, active);
        return true;
    }
    char *window = access->space == PTX_SHARED ? (char *)worker->shared : (char *)worker->launch->request->parameters;
    access->host = window + access->first;
    access_move(worker, access, active);
    return true;
}

static bool access_global(Worker *worker, Access *access, Active *active)
{
    if (!access_check_global(worker, access, active))
        return false;
    if (access->first + (uint64_t)(int64_t)access->pattern->low >= access->note->begin)
        take_all_before(access, access->note->end);
    access_count(worker, access, active);
    if (access->is_store)
        store_note(worker, access->note, active, access->first, access->pattern, access->bytes);
    access->host = (char *)access->first;
    access_move(worker, access, active);
    return true;
}

static bool access_one_space(Worker *worker, Access *access, Active *active)
{
    if (!access_find_pattern(worker, access, active)) { /* lanes 2 GiB or more apart are executed one by one */
        for (uint32_t lane = active->first; lane < active->end; lane++) {
            Active single = {.bits = {0}};
            single.bits[lane / SIM_WARP_SIZE] = active->bits[lane / SIM_WARP_SIZE] & 1u << lane % SIM_WARP_SIZE;
            active_measure(&single, worker);
            if (single.count == 1 && !access_one_space(worker, access, &single))
                return false;
        }
        return true;
    }
    if (access->instruction->space == PTX_NO_SPACE && access->space != PTX_NO_SPACE)
        access->first %= SHARED_WINDOW;
    if (access->space == PTX_NO_SPACE || access->space == PTX_GLOBAL || access->space == PTX_CONST)
        return access_global(worker, access, active);
    return access_window(worker, access, active);
}

/* Splits a generic access by the windows in which its lanes' addresses lie; mostly there is only one. */
static bool access_generic(Worker *worker, Access *access, Active *active)
{
    Active left = *active;
    while (left.count > 0) {
        PtxSpace space = space_at(access_lane_address(worker, access->instruction, left.first));
        Active part = left;
        for (uint32_t lane = left.first; lane < left.end; lane++)
            if (space_at(access_lane_address(worker, access->instruction, lane)) != space)
                part.bits[lane / SIM_WARP_SIZE] &= ~(1u << lane % SIM_WARP_SIZE);
        active_measure(&part, worker);
        access->space = space;
        if (!access_one_space(worker, access, &part))
            return false;
        for (uint32_t word = 0; word < worker->launch->warps; word++)
            left.bits[word] &= ~part.bits[word];
        active_measure(&left, worker);
    }
    return true;
}

static Access access_of(Worker *worker, const Instruction *instruction, bool is_store)
{
    uint32_t bytes = (uint32_t)instruction->count << instruction->size;
    return (Access){.instruction = instruction,
                    .is_store = is_store,
                    .space = (PtxSpace)instruction->space,
                    .bytes = bytes,
                    .used_bytes = end_of_used_bytes(instruction, bytes),
                    .note = &worker->notes[instruction->index]};
}

static bool execute_access(Worker *worker, const Instruction *instruction, Active *active, bool is_store)
{
    Active far, near;
    if (worker->cluster != NULL && far_access_finds(worker, instruction, active, &far, &near)) {
        if (!execute_far_access(worker, instruction, &far, is_store))
            return false;
        if (near.count == 0)
            return true;
        active = &near;
    }
    Access access = access_of(worker, instruction, is_store);
    if (access.space == PTX_NO_SPACE)
        return access_generic(worker, &access, active);
    return access_one_space(worker, &access, active);
}

bool execute_load(Worker *worker, const Instruction *instruction, Active *active)
{
    PtxSpace space = (PtxSpace)instruction->space;
    bool same_for_all = space == PTX_GLOBAL || space == PTX_CONST || space == PTX_SHARED;
    if (active->whole && same_for_all && is_uniform(worker, instruction->sources[0]) &&
        uniform_load(worker, instruction, active))
        return true;
    return execute_access(worker, instruction, active, false);
}

bool execute_store(Worker *worker, const Instruction *instruction, Active *active)
{
    return execute_access(worker, instruction, active, true);
}

bool check_access(Worker *worker, const Instruction *instruction, Active *active, bool is_store, uint32_t used_bytes)
{
    Access access = access_of(worker, instruction, is_store);
    access.used_bytes = used_bytes;
    if (!access_find_pattern(worker, &access, active))
        return worker_fault(worker, SIM_OUT_OF_BOUNDS, instruction->file, instruction->line, active->first,
                            "accesses addresses more than 2 GiB apart");
    bool in_window = access.space != PTX_GLOBAL && access.space != PTX_CONST;
    if (!(in_window ? access_check_window : access_check_global)(worker, &access, active))
        return false;
    access_count(worker, &access, active);
    return true;
}
