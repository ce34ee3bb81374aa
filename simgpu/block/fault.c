#include "simgpu/block/fault.h"

#include "base/elf.h"
#include "simgpu/block/worker.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void triple(uint64_t number, const uint32_t size[3], uint32_t index[3])
{
    index[0] = (uint32_t)(number % size[0]);
    index[1] = (uint32_t)(number / size[0] % size[1]);
    index[2] = (uint32_t)(number / size[0] / size[1]);
}

SimFault fault_at(const Launch *launch, uint64_t block, uint32_t lane, int file, int line)
{
    SimFault fault = {.line = line, .lanes = 1};
    const char *name = file > 0 && file < launch->file_count ? launch->files[file] : NULL;
    snprintf(fault.file, sizeof fault.file, "%s", name != NULL ? name : "");
    if (name == NULL)
        fault.line = 0;
    triple(block, launch->request->shape.grid, fault.block);
    triple(lane, launch->request->shape.block, fault.thread);
    return fault;
}

void fault_describe(const Launch *launch, SimFault *fault, const char *what)
{
    char place[300] = "";
    const char *slash = strrchr(fault->file, '/');
    if (fault->line > 0)
        snprintf(place, sizeof place, " (%.120s:%d)", slash != NULL ? slash + 1 : fault->file, fault->line);
    snprintf(fault->text, sizeof fault->text, "kernel %.80s: block (%u,%u,%u), thread (%u,%u,%u) %s%s",
             launch->function_name, fault->block[0], fault->block[1], fault->block[2], fault->thread[0],
             fault->thread[1], fault->thread[2], what, place);
}

/* Keeps the fault of the lowest block. Blocks are taken in order, so that this fault is the same in every run. */
static void report(Worker *worker, SimOutcome outcome, const SimFault *fault)
{
    Launch *launch = worker->launch;
    pthread_mutex_lock(&launch->fault_lock);
    if (worker->block < atomic_load(&launch->fault_block)) {
        atomic_store(&launch->fault_block, worker->block);
        launch->outcome = outcome;
        launch->fault = *fault;
    }
    pthread_mutex_unlock(&launch->fault_lock);
}

static void describe_and_report(Worker *worker, SimOutcome outcome, SimFault *fault, const char *format,
                                va_list arguments)
{
    char what[300];
    vsnprintf(what, sizeof what, format, arguments);
    fault_describe(worker->launch, fault, what);
    report(worker, outcome, fault);
}

bool worker_fault(Worker *worker, SimOutcome outcome, int file, int line, uint32_t lane, const char *format, ...)
{
    SimFault fault = fault_at(worker->launch, worker->block, lane, file, line);
    va_list arguments;
    va_start(arguments, format);
    describe_and_report(worker, outcome, &fault, format, arguments);
    va_end(arguments);
    return false;
}

/* ---- addresses --------------------------------------------------------------------------------------------------- */

/* The number, from 1, of the kernel's parameter that points into an allocation; 0: none does. */
static uint32_t pointing_parameter(const Launch *launch, const Allocation *allocation)
{
    const SimFunctionInfo *info = launch->function;
    for (uint32_t i = 0; i < info->parameter_count; i++) {
        uint64_t value;
        if (info->parameter_sizes[i] != sizeof value)
            continue;
        memcpy(&value, (const char *)launch->request->parameters + info->parameter_offsets[i], sizeof value);
        if (value >= allocation->address && value - allocation->address < allocation->bytes)
            return i + 1;
    }
    return 0;
}

/* "an allocation of 100 bytes (parameter 2)" */
static void describe_allocation(const Launch *launch, const Allocation *allocation, char *text, size_t size)
{
    uint32_t parameter = pointing_parameter(launch, allocation);
    char name[64];
    int length;
    if (allocation->name != NULL) {
        symbol_name(allocation->name, name, sizeof name);
        snprintf(text, size, "variable '%s' of %llu bytes", name, (unsigned long long)allocation->bytes);
        return;
    }
    length = snprintf(text, size, "an allocation of %llu bytes", (unsigned long long)allocation->bytes);
    if (parameter > 0)
        snprintf(text + length, size - (size_t)length, " (parameter %u)", parameter);
}

/* "output[3]"; "output[10], past its last element output[9]"; "output[-1], before its first element" */
static void describe_element(const Allocation *near, uint64_t address, char *text, size_t size)
{
    uint64_t element = near->element_bytes, last = (near->bytes - 1) / element;
    if (address < near->address) {
        uint64_t before = (near->address - address + element - 1) / element;
        snprintf(text, size, "%s[-%llu], before its first element", near->label, (unsigned long long)before);
        return;
    }
    uint64_t index = (address - near->address) / element;
    int length = snprintf(text, size, "%s[%llu]", near->label, (unsigned long long)index);
    if (address - near->address >= near->bytes)
        snprintf(text + length, size - (size_t)length, ", past its last element %s[%llu]", near->label,
                 (unsigned long long)last);
}

/* "byte 40 of 40 that malloc() gave, past their end"; false where nothing was allocated before the address. */
static bool describe_heap(const Heap *heap, uint64_t address, char *text, size_t size)
{
    const HeapPiece *piece = heap_nearest(heap, address);
    if (piece == NULL || address < heap->address || address - heap->address >= heap->bytes)
        return false;
    uint64_t offset = address - heap->address - piece->offset;
    snprintf(text, size, "byte %llu of %llu that malloc() gave%s%s", (unsigned long long)offset,
             (unsigned long long)piece->bytes, piece->is_free ? " and free() took back" : "",
             offset >= piece->bytes ? ", past their end" : "");
    return true;
}

/* The allocation into which the pointer parameters and the variable point from which an address is made. NULL: none is
 * known, or more than one. */
static const Allocation *allocation_of_origin(const Launch *launch, const Origin *origin)
{
    const Memory *memory = launch->memory;
    int found = -1, count = 0;
    for (uint32_t i = 0; i < 64; i++) {
        uint64_t value = origin->constant;
        bool is_followed = i == 63 ? value != 0
                                   : (origin->parameters >> i & 1) && 8 * (i + 1) <= launch->parameter_bytes;
        if (is_followed && i < 63)
            memcpy(&value, (const char *)launch->request->parameters + (size_t)8 * i, sizeof value);
        int index = is_followed ? memory_find(memory, value) : -1;
        if (index >= 0 && index != found) {
            found = index;
            count++;
        }
    }
    bool is_from_memory = (origin->parameters & UNKNOWN_TARGET) != 0 && origin->constant == 0;
    return count == 1 && !is_from_memory && origin->constant != UINT64_MAX ? &memory->allocations[found] : NULL;
}

static void describe_near(const Launch *launch, const Allocation *near, uint64_t address, char *text, size_t size)
{
    const Heap *heap = &launch->memory->heap;
    char what[120];
    if (heap->bytes > 0 && near->address == heap->address && describe_heap(heap, address, text, size))
        return;
    if (near->label[0] != '\0' && near->element_bytes > 0) {
        describe_element(near, address, text, size);
        return;
    }
    describe_allocation(launch, near, what, sizeof what);
    if (address < near->address)
        snprintf(text, size, "offset -%llu of %s, before its start", (unsigned long long)(near->address - address),
                 what);
    else
        snprintf(text, size, "offset %llu of %s%s", (unsigned long long)(address - near->address), what,
                 address - near->address >= near->bytes ? ", past its end" : "");
}

static bool is_device_memory(const Memory *memory, uint64_t address)
{
    return address >= WINDOWS_END && address >= memory->base && address - memory->base < memory->span;
}

/* The allocation that an access means: the one that is known, or else the nearest one. NULL: the address was never one
 * of an allocation, or is not now. */
static const Allocation *meant_allocation(const Launch *launch, const Origin *origin, uint64_t address)
{
    const Memory *memory = launch->memory;
    const Allocation *meant = origin != NULL ? allocation_of_origin(launch, origin) : NULL;
    if (meant != NULL)
        return meant;
    int index = memory_nearest(memory, address);
    bool is_near = index >= 0 && is_device_memory(memory, address) && memory_find_released(memory, address) == NULL;
    return is_near ? &memory->allocations[index] : NULL;
}

static void describe_global(const Launch *launch, const Origin *origin, uint64_t address, char *text, size_t size)
{
    const Memory *memory = launch->memory;
    const Allocation *meant = meant_allocation(launch, origin, address);
    if (meant != NULL) {
        describe_near(launch, meant, address, text, size);
        return;
    }
    if (!is_device_memory(memory, address)) {
        snprintf(text, size, "address 0x%llx, which is not device memory%s", (unsigned long long)address,
                 address < 65536          ? " (a null pointer?)"
                 : address >= WINDOWS_END ? " (a host pointer?)"
                                          : "");
        return;
    }
    const Released *released = memory_find_released(memory, address);
    if (released != NULL) {
        snprintf(text, size, "offset %llu of an allocation of %llu bytes that has been freed",
                 (unsigned long long)(address - released->address), (unsigned long long)released->bytes);
        return;
    }
    snprintf(text, size, "address 0x%llx, where nothing is allocated", (unsigned long long)address);
}

/* Offsets in a window have 32 bits, so that a negative one shows as a large one. */
static bool is_before_window(uint64_t offset)
{
    return (uint32_t)offset >= 1u << 31;
}

static long long signed_offset(uint64_t offset)
{
    return is_before_window(offset) ? (int32_t)offset : (long long)offset;
}

/* The array from which a shared address was made: the one that is known, or the only one that the kernel has. */
static const WindowVariable *meant_variable(const Launch *launch, const WindowVariable *variable)
{
    const WindowVariable *first = launch->code->shared;
    return variable == NULL && first != NULL && first->next == NULL ? first : variable;
}

static uint64_t variable_bytes(const Launch *launch, const WindowVariable *variable)
{
    uint64_t end = launch->shared_bytes > variable->offset ? launch->shared_bytes : variable->offset;
    return variable->bytes > 0 ? variable->bytes : end - variable->offset;
}

/* Where an address lies beside bytes of a window, which begin at `offset`; unknown: within them. */
static SimSide side_of(uint64_t address, uint64_t offset, uint64_t bytes)
{
    if (is_before_window(address) || address < offset)
        return SIM_BEFORE;
    return address - offset >= bytes ? SIM_PAST : SIM_SIDE_UNKNOWN;
}

/* The same beside the variable that an access to shared or local memory means; NULL: not known, so that all of that
 * memory is meant. */
static SimSide side_of_variable(const Launch *launch, const WindowVariable *variable, SimSpace space, uint64_t address)
{
    if (variable != NULL)
        return side_of(address, variable->offset, variable_bytes(launch, variable));
    return side_of(address, 0, space == SIM_SHARED ? launch->shared_bytes : launch->code->frame_bytes);
}

bool fault_describe_outside(const Launch *launch, const WindowVariable *known, SimSpace space, uint64_t address,
                            char *text, size_t size)
{
    const WindowVariable *variable = space == SIM_SHARED ? meant_variable(launch, known) : known;
    bool is_window = space == SIM_SHARED || space == SIM_LOCAL || variable != NULL;
    SimSide side = is_window ? side_of_variable(launch, variable, space, address) : SIM_SIDE_UNKNOWN;
    const char *words = side == SIM_BEFORE ? "before the start" : "past the end";
    if (side == SIM_SIDE_UNKNOWN)
        return false;
    if (variable != NULL && variable->parameter > 0)
        snprintf(text, size, "%s of a struct (parameter %u)", words, variable->parameter);
    else if (variable != NULL && variable->name != NULL)
        snprintf(text, size, "%s of shared array '%s'", words, variable->name);
    else
        snprintf(text, size, "%s of %s", words, space == SIM_LOCAL ? "a local array" : "the block's shared memory");
    return true;
}

static void describe_shared(const Launch *launch, uint64_t address, char *text, size_t size)
{
    for (const WindowVariable *variable = launch->code->shared; variable != NULL; variable = variable->next)
        if (address >= variable->offset && address < launch->shared_bytes &&
            address - variable->offset < variable_bytes(launch, variable)) {
            snprintf(text, size, "byte %llu of shared variable '%s'", (unsigned long long)(address - variable->offset),
                     variable->name);
            return;
        }
    if (launch->shared_bytes == 0)
        snprintf(text, size, "offset %lld of shared memory, but the launch gives the block none",
                 signed_offset(address));
    else
        snprintf(text, size, "offset %lld of the block's %u bytes of shared memory", signed_offset(address),
                 launch->shared_bytes);
}

static void describe_local(const Launch *launch, uint64_t address, char *text, size_t size)
{
    snprintf(text, size, "offset %lld of the thread's %u bytes of local memory", signed_offset(address),
             launch->code->frame_bytes);
}

void fault_describe_place(const Launch *launch, const Origin *origin, SimSpace space, uint64_t address, char *text,
                          size_t size)
{
    switch (space) {
    case SIM_SHARED: describe_shared(launch, address, text, size); break;
    case SIM_LOCAL: describe_local(launch, address, text, size); break;
    case SIM_PARAMETER:
        snprintf(text, size, "offset %lld of the kernel's %u bytes of parameters%s", signed_offset(address),
                 launch->parameter_bytes, address >= launch->parameter_bytes ? ", past their end" : "");
        break;
    default: describe_global(launch, origin, address, text, size);
    }
}

/* ---- the array that was left ------------------------------------------------------------------------------------- */

static void set_name(char name[SIM_NAME_BYTES], const char *text)
{
    snprintf(name, SIM_NAME_BYTES, "%s", text);
}

static SimLeft left_in_global(const Launch *launch, const Origin *origin, uint64_t address)
{
    const Memory *memory = launch->memory;
    const Allocation *allocation = meant_allocation(launch, origin, address);
    SimLeft left = {0};
    if (allocation == NULL) {
        left.is_freed = memory_find_released(memory, address) != NULL;
        return left;
    }
    left.side = address < allocation->address ? SIM_BEFORE : SIM_PAST; /* within it only where it reaches out */
    if (memory->heap.bytes > 0 && allocation->address == memory->heap.address)
        return left;
    if (allocation->name != NULL)
        symbol_name(allocation->name, left.array, sizeof left.array);
    else
        set_name(left.array, allocation->label);
    left.parameter = pointing_parameter(launch, allocation);
    set_name(left.kernel, launch->function_name);
    return left;
}

SimLeft fault_left(const Launch *launch, const Origin *origin, const WindowVariable *known, SimSpace space,
                   uint64_t address)
{
    const WindowVariable *variable = space == SIM_SHARED ? meant_variable(launch, known) : known;
    SimLeft left = {0};
    if (space == SIM_GLOBAL || space == SIM_CONSTANT)
        return left_in_global(launch, origin, address);
    left.side = space == SIM_PARAMETER && variable == NULL ? side_of(address, 0, launch->parameter_bytes)
                                                           : side_of_variable(launch, variable, space, address);
    if (left.side == SIM_SIDE_UNKNOWN)
        left.side = SIM_PAST; /* it begins within and reaches out */
    left.parameter = variable != NULL ? variable->parameter : 0;
    if (left.parameter > 0)
        set_name(left.kernel, launch->function_name);
    if (variable != NULL && variable->name != NULL)
        set_name(left.array, variable->name);
    return left;
}

/* Does an access that is not allowed begin within the memory that it leaves? */
static bool begins_inside(const Launch *launch, SimSpace space, uint64_t address)
{
    switch (space) {
    case SIM_SHARED: return address < launch->shared_bytes;
    case SIM_LOCAL: return address < launch->code->frame_bytes;
    case SIM_PARAMETER: return false; /* they are read-only */
    default: return memory_find(launch->memory, address) >= 0;
    }
}

/* The variable from which an address in shared, local or parameter memory was made; NULL: not known. */
static const WindowVariable *known_variable(const Instruction *instruction, SimSpace space)
{
    switch (space) {
    case SIM_SHARED: return variable_in(instruction, PTX_SHARED);
    case SIM_LOCAL: return variable_in(instruction, PTX_LOCAL);
    case SIM_PARAMETER: return variable_in(instruction, PTX_PARAM);
    default: return NULL;
    }
}

/* ---- accesses ---------------------------------------------------------------------------------------------------- */

bool worker_access_fault(Worker *worker, const Instruction *instruction, SimOutcome outcome, SimSpace space,
                         bool is_store, uint32_t lane, uint64_t address, uint32_t bytes, uint64_t lanes)
{
    SimFault fault = fault_at(worker->launch, worker->block, lane, instruction->file, instruction->line);
    const Launch *launch = worker->launch;
    const WindowVariable *variable = known_variable(instruction, space);
    char where[200], outside[100], what[400];
    fault.space = space;
    fault.is_store = is_store;
    fault.address = address;
    fault.bytes = bytes;
    fault.lanes = lanes;
    fault_describe_place(launch, &instruction->origin, space, address, where, sizeof where);
    if (outcome == SIM_OUT_OF_BOUNDS)
        fault.left = fault_left(launch, &instruction->origin, variable, space, address);
    bool leaves_variable = fault_describe_outside(launch, variable, space, address, outside, sizeof outside);
    bool reaches_out = !leaves_variable && begins_inside(launch, space, address);
    const char *verb = is_store ? "writes" : "reads";
    if (outcome == SIM_MISALIGNED)
        snprintf(what, sizeof what, "%s %u bytes at %s: the address 0x%llx is not a multiple of %u", verb, bytes, where,
                 (unsigned long long)address, bytes);
    else
        snprintf(what, sizeof what, "%s %u byte%s %s%sat %s%s", verb, bytes, bytes == 1 ? "" : "s",
                 leaves_variable ? outside : "", leaves_variable ? ", " : "", where,
                 reaches_out ? ", which reach past its end" : "");
    fault_describe(worker->launch, &fault, what);
    report(worker, outcome, &fault);
    return false;
}

bool worker_space_fault(Worker *worker, const Instruction *instruction, SimOutcome outcome, SimSpace space,
                        bool is_store, uint32_t lane, const char *format, ...)
{
    SimFault fault = fault_at(worker->launch, worker->block, lane, instruction->file, instruction->line);
    va_list arguments;
    fault.space = space;
    fault.is_store = is_store;
    va_start(arguments, format);
    describe_and_report(worker, outcome, &fault, format, arguments);
    va_end(arguments);
    return false;
}

bool worker_cluster_fault(Worker *worker, const Instruction *instruction, SharedPlace why, bool is_store, uint32_t lane,
                          uint64_t address, uint32_t bytes)
{
    const char *does = is_store ? "writes to" : "reads from";
    unsigned long long rank = (address >> CLUSTER_SHIFT) - 1;
    if (!is_of_other_block(address))
        return worker_access_fault(worker, instruction, SIM_OUT_OF_BOUNDS, SIM_SHARED, is_store, lane, address, bytes,
                                   1);
    if (rank >= worker->launch->cluster_blocks)
        return worker_space_fault(worker, instruction, SIM_OUT_OF_BOUNDS, SIM_SHARED, is_store, lane,
                                  "%s the shared memory of a block that its cluster of %u does not have", does,
                                  worker->launch->cluster_blocks);
    if (why == SHARED_OUTSIDE)
        return worker_space_fault(worker, instruction, SIM_OUT_OF_BOUNDS, SIM_SHARED, is_store, lane,
                                  "%s byte %llu of the shared memory of block %llu of its cluster, which has %u bytes",
                                  does, (unsigned long long)shared_offset(address), rank, worker->launch->shared_bytes);
    char where[200];
    fault_describe_place(worker->launch, NULL, SIM_SHARED, shared_offset(address), where, sizeof where);
    return worker_space_fault(worker, instruction, SIM_BAD_BARRIER, SIM_SHARED, is_store, lane,
                              "%s %u byte%s at %s of block %llu of its cluster, which may %s is missing",
                              is_store ? "writes" : "reads", bytes, bytes == 1 ? "" : "s", where, rank,
                              why == SHARED_ENDED ? "end before that: a cluster.sync() after it"
                                                  : "not have begun: a cluster.sync() before it");
}
