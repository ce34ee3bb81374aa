#include "simgpu/block/store_note.h"

#include "simgpu/block/worker.h"
#include "simgpu/memory/origin.h"

void store_note_word(Worker *worker, const AllocationCache *note, uint64_t address, uint32_t bytes)
{
    const Memory *memory = worker->launch->memory;
    bool is_noted = address >= note->begin && address < note->end;
    int index = is_noted ? note->allocation : memory_find(memory, address);
    if (index >= 0)
        origin_clear(&memory->allocations[index], address, bytes);
}

/* Do all lanes store into the allocation that the note remembers, and does nothing there come from the host? So it is
 * nearly always. */
static bool is_of_kernels(const Worker *worker, const AllocationCache *note, uint64_t first, const Pattern *pattern,
                          uint32_t bytes)
{
    uint64_t low = first + (uint64_t)(int64_t)pattern->low, high = first + (uint64_t)(int64_t)pattern->high + bytes;
    return note->allocation >= 0 && low >= note->begin && high <= note->end &&
           worker->launch->memory->allocations[note->allocation].from_host == NULL;
}

void store_note(Worker *worker, const AllocationCache *note, const Active *active, uint64_t first,
                const Pattern *pattern, uint32_t bytes)
{
    if (is_of_kernels(worker, note, first, pattern, bytes))
        return;
    for (uint32_t lane = active->first; lane < active->end; lane++)
        if (active_has(active, lane))
            store_note_word(worker, note, first + (uint64_t)(int64_t)pattern->relative[lane - active->first], bytes);
}
