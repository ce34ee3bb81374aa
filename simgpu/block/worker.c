/* Each memory instruction remembers the allocation that it accessed last, which saves looking it up again, and the
 * range of addresses within it.  */
#include "simgpu/block/worker.h"

#include "base/arena.h"

#include <stdlib.h>

void note_forget(Worker *worker, AllocationCache *note, bool is_store)
{
    if (note->allocation >= 0) {
        Touched *touched = &(is_store ? worker->stored : worker->loaded)[note->allocation];
        touched->low = note->low < touched->low ? note->low : touched->low;
        touched->high = note->high > touched->high ? note->high : touched->high;
        note->loaded_watched |= !is_store && note->allocation == worker->launch->watched_source;
    }
    note->allocation = -1;
    note->low = UINT64_MAX;
    note->high = 0;
    note->begin = note->end = 0;
}

bool cache_allocation(Worker *worker, AllocationCache *note, bool is_store, uint64_t address, uint64_t bytes)
{
    if (address < note->begin || address >= note->end || note->end - address < bytes) {
        const Memory *memory = worker->launch->memory;
        int index = memory_find(memory, address);
        if (index < 0)
            return false;
        const Allocation *allocation = &memory->allocations[index];
        if (allocation->address + allocation->bytes - address < bytes)
            return false;
        note_forget(worker, note, is_store);
        note->allocation = index;
        note->begin = allocation->address;
        note->end = allocation->address + allocation->bytes;
    }
    const Heap *heap = &worker->launch->memory->heap;
    if (heap->bytes > 0 && note->begin == heap->address && !heap_holds(heap, address, bytes))
        return false;
    note->low = address < note->low ? address : note->low;
    note->high = address + bytes > note->high ? address + bytes : note->high;
    return true;
}

void touched_add(Touched *sum, const Touched *part, int count)
{
    for (int i = 0; i < count; i++) {
        sum[i].low = part[i].low < sum[i].low ? part[i].low : sum[i].low;
        sum[i].high = part[i].high > sum[i].high ? part[i].high : sum[i].high;
    }
}

uint64_t worker_accesses(const Worker *worker)
{
    const SimCounters *counters = &worker->counters;
    return counters->global_load_requests + counters->global_store_requests + counters->shared_load_requests +
           counters->shared_store_requests + counters->constant_requests + counters->texture_requests +
           counters->atomic_requests + counters->bulk_load_sectors + counters->bulk_store_sectors -
           worker->accesses_before;
}

void worker_end_taken(Worker *worker)
{
    const SimWarpPath *path = &worker->path, *taken = &worker->path_taken;
    if (path->instructions - taken->instructions > worker->longest.instructions)
        worker->longest = (SimWarpPath){.instructions = path->instructions - taken->instructions,
                                        .loads = path->loads - taken->loads,
                                        .shared_loads = path->shared_loads - taken->shared_loads,
                                        .constant_loads = path->constant_loads - taken->constant_loads};
    worker->path_taken = worker->path;
}

void worker_take(Worker *worker, uint64_t ticket)
{
    enum { MOST_OF_BLOCK = 1 << 16 };
    if (worker->taken_count == MOST_OF_BLOCK)
        return;
    worker_end_taken(worker);
    if (worker->taken_count == worker->taken_room) {
        worker->taken_room = 2 * worker->taken_room + 16;
        worker->taken = allocated(realloc(worker->taken, worker->taken_room * sizeof *worker->taken));
    }
    worker->taken[worker->taken_count++] = (WorkTaken){ticket, worker->work, worker_accesses(worker)};
}
