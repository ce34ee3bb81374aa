/* Each memory instruction remembers the allocation that it accessed last, which saves looking it up again, and the
 * range of addresses within it.  */
#include "simgpu/block/memory_note.h"

#include "simgpu/block/worker.h"

bool note_is_of_stores(const Instruction *instruction)
{
    switch ((InstructionKind)instruction->kind) {
    case STORE:
    case ATOMIC: return true;
    case BULK_COPY: return instruction->detail == BULK_STORE;
    case LOAD:
    case COPY_ASYNC: /* its stores go to shared memory, of which there are no notes */
    case TEXTURE:
    case SURFACE:
    case LOAD_DESCRIBED:
    case LOAD_MATRIX:
    case STORE_MATRIX:
    case RUN_LANES:
    case SLOW_PATH:
    case LOAD_PARAMETER:
    case COPY_COMMIT:
    case COPY_WAIT:
    case BULK_COMMIT:
    case BULK_WAIT:
    case CLUSTER_ARRIVE:
    case SHUFFLE:
    case VOTE:
    case MATCH:
    case REDUCE:
    case ACTIVE_MASK:
    case CLOCK:
    case BARRIER:
    case PRODUCT_COMMIT:
    case PRODUCT_WAIT:
    case PRODUCT_FENCE:
    case CHECK_WAITED:
    case CHECK_FENCED:
    case FENCE:
    case PROXY_FENCE:
    case GRID_CONTROL:
    case PRINT:
    case FRAME_ADDRESS:
    case HEAP_ALLOCATE:
    case HEAP_FREE:
    case FAIL_ASSERT:
    case MULTIPLY_MATRIX:
    case TRANSPOSE_MATRIX:
    case CHECK_SET: return false;
    }
    return false;
}

void note_forget(Worker *worker, MemoryNote *note, bool is_store)
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

bool note_access(Worker *worker, MemoryNote *note, bool is_store, uint64_t address, uint64_t bytes)
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
