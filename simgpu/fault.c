/* Faults: where in the grid, which access, beside what. One sentence that a student can act on.  */
#include "simgpu/worker.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void thread_index(const Worker *worker, uint32_t lane, uint32_t index[3])
{
    const uint32_t *size = worker->launch->request->block;
    index[0] = lane % size[0];
    index[1] = lane / size[0] % size[1];
    index[2] = lane / size[0] / size[1];
}

static void describe(const Worker *worker, SimFault *fault, const char *what)
{
    char place[300] = "";
    const char *slash = strrchr(fault->file, '/');
    if (fault->line > 0)
        snprintf(place, sizeof place, " (%.120s:%d)", slash != NULL ? slash + 1 : fault->file, fault->line);
    snprintf(fault->text, sizeof fault->text, "kernel %.80s: block (%u,%u,%u), thread (%u,%u,%u) %s%s",
             worker->launch->function_name, fault->block[0], fault->block[1], fault->block[2], fault->thread[0],
             fault->thread[1], fault->thread[2], what, place);
}

/* Keeps the fault of the lowest block; blocks are handed out in order, so that this is the same in every run. */
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

static SimFault fault_at(const Worker *worker, int file, int line, uint32_t lane)
{
    SimFault fault = {.line = line, .lanes = 1};
    const char *name = file > 0 && file < worker->launch->file_count ? worker->launch->files[file] : NULL;
    snprintf(fault.file, sizeof fault.file, "%s", name != NULL ? name : "");
    if (name == NULL)
        fault.line = 0;
    memcpy(fault.block, worker->block_index, sizeof fault.block);
    thread_index(worker, lane, fault.thread);
    return fault;
}

bool worker_fault(Worker *worker, SimOutcome outcome, int file, int line, uint32_t lane, const char *format, ...)
{
    char what[300];
    SimFault fault = fault_at(worker, file, line, lane);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    describe(worker, &fault, what);
    report(worker, outcome, &fault);
    return false;
}

static void describe_global(const Worker *worker, uint64_t address, char *text, size_t size)
{
    const Memory *memory = worker->launch->memory;
    int index = memory_nearest(memory, address);
    if (address < WINDOWS_END || address < memory->base || address - memory->base >= memory->span) {
        snprintf(text, size, "at address 0x%llx, which is no device memory%s", (unsigned long long)address,
                 address < 65536 ? " (a null pointer?)" : address >= WINDOWS_END ? " (a pointer of the host?)" : "");
        return;
    }
    if (index < 0) {
        snprintf(text, size, "at address 0x%llx, where nothing is allocated", (unsigned long long)address);
        return;
    }
    const Allocation *near = &memory->allocations[index];
    char what[120];
    if (near->name != NULL)
        snprintf(what, sizeof what, "variable '%.60s' of %llu bytes", near->name, (unsigned long long)near->bytes);
    else
        snprintf(what, sizeof what, "an allocation of %llu bytes", (unsigned long long)near->bytes);
    if (address < near->address)
        snprintf(text, size, "at %llu bytes before the start of %s", (unsigned long long)(near->address - address),
                 what);
    else if (address - near->address >= near->bytes)
        snprintf(text, size, "at %llu bytes past the end of %s",
                 (unsigned long long)(address - near->address - near->bytes), what);
    else
        snprintf(text, size, "at offset %llu of %s, beyond its end", (unsigned long long)(address - near->address),
                 what);
}

static void describe_place(const Worker *worker, SimSpace space, uint64_t address, char *text, size_t size)
{
    switch (space) {
    case SIM_SHARED:
        snprintf(text, size, "at offset %llu of the block's %u bytes of shared memory", (unsigned long long)address,
                 worker->launch->shared_bytes);
        break;
    case SIM_LOCAL:
        snprintf(text, size, "at offset %llu of the thread's %u bytes of local memory", (unsigned long long)address,
                 worker->code->frame_bytes);
        break;
    case SIM_PARAMETER: snprintf(text, size, "at offset %llu of the parameters", (unsigned long long)address); break;
    default: describe_global(worker, address, text, size);
    }
}

bool worker_access_fault(Worker *worker, const Instruction *instruction, SimOutcome outcome, SimSpace space,
                         bool is_store, uint32_t lane, uint64_t address, uint32_t bytes, uint64_t lanes)
{
    SimFault fault = fault_at(worker, instruction->file, instruction->line, lane);
    char where[200], what[300];
    fault.space = space;
    fault.is_store = is_store;
    fault.address = address;
    fault.bytes = bytes;
    fault.lanes = lanes;
    describe_place(worker, space, address, where, sizeof where);
    snprintf(what, sizeof what, "%s %u byte%s %s%s", is_store ? "writes" : "reads", bytes, bytes == 1 ? "" : "s", where,
             outcome == SIM_MISALIGNED ? ", which is not a multiple of the size" : "");
    if (outcome == SIM_MISALIGNED)
        snprintf(what, sizeof what, "%s %u bytes at address 0x%llx, which is no multiple of %u",
                 is_store ? "writes" : "reads", bytes, (unsigned long long)address, bytes);
    describe(worker, &fault, what);
    report(worker, outcome, &fault);
    return false;
}
