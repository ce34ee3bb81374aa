/* atom and red: the lanes operate one after the other, in order, each by an atomic operation of the host. A float sum
 * over several blocks depends on which block came first, as it does on hardware.
 *
 * Source   PTX ISA 9.0, Parallel Synchronization and Communication Instructions: atom, red.  */
#include "simgpu/engine/atomic.h"

#include "simgpu/block/fault.h"
#include "simgpu/block/memory_note.h"
#include "simgpu/block/register.h"
#include "simgpu/block/store_note.h"
#include "simgpu/code/atomic_value.h"
#include "simgpu/code/lane_math.h"
#include "simgpu/sanitizer/sanitizer.h"

#include <string.h>

typedef struct Word {
    void *at; /* in the host's memory */
    bool in_shared;
} Word;

/* The value that replaces `old`. In global memory, sums of 32-bit floats flush subnormal numbers to zero. */
static uint64_t new_value(const Instruction *instruction, bool in_shared, uint64_t old, uint64_t b, uint64_t c)
{
    if (instruction->detail == ATOMIC_FLOAT_ADD && instruction->size == 2 && !in_shared)
        return f32_bits(flush(flush(f32_from((u32)old)) + flush(f32_from((u32)b))));
    return atomic_value((AtomicKind)instruction->detail, instruction->size, instruction->is_signed, old, b, c);
}

/* Atomically replaces the T at `at`, and returns its old value. */
#define APPLY(T)                                                                                                       \
    static uint64_t apply_##T(const Instruction *instruction, Word word, uint64_t b, uint64_t c)                       \
    {                                                                                                                  \
        T *at = word.at, old = __atomic_load_n(at, __ATOMIC_RELAXED);                                                  \
        while (!__atomic_compare_exchange_n(at, &old, (T)new_value(instruction, word.in_shared, old, b, c), true,      \
                                            __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))                                       \
            continue;                                                                                                  \
        return old;                                                                                                    \
    }
APPLY(u16)
APPLY(u32)
APPLY(u64)

static uint64_t apply(const Instruction *instruction, Word word, uint64_t b, uint64_t c)
{
    switch (instruction->size) {
    case 1: return apply_u16(instruction, word, b, c);
    case 2: return apply_u32(instruction, word, b, c);
    default: return apply_u64(instruction, word, b, c);
    }
}

/* The same as find_word(), in the shared memory of another block of the cluster. */
static void *find_far_word(Worker *worker, const Instruction *instruction, uint32_t lane, uint64_t address)
{
    uint32_t bytes = 1u << instruction->size;
    SharedPlace why;
    unsigned char *word = shared_place(worker, address, bytes, &why);
    if (word == NULL)
        (void)worker_cluster_fault(worker, instruction, why, true, lane, address, bytes);
    else if (shared_offset(address) % bytes != 0)
        (void)worker_access_fault(worker, instruction, SIM_MISALIGNED, SIM_SHARED, true, lane, shared_offset(address),
                                  bytes, 1);
    else {
        if (worker->sanitizer != NULL)
            sanitizer_far_atomic(worker, shared_owner(worker, address, &why), instruction, lane,
                                 shared_offset(address));
        return word;
    }
    return NULL;
}

/* Checks a lane's access; `at` is NULL after a fault. */
static Word find_word(Worker *worker, const Instruction *instruction, uint32_t lane, MemoryNote *note)
{
    uint64_t address = register_value(worker, instruction->sources[0], lane) + (uint64_t)instruction->offset;
    uint32_t bytes = 1u << instruction->size;
    bool in_shared = instruction->space == PTX_SHARED;
    if (instruction->sources[0].slot != NO_SLOT && instruction->sources[0].size == 2)
        address = (uint32_t)address;
    if (instruction->space == PTX_NO_SPACE && address / SHARED_WINDOW == 1) {
        in_shared = true;
        address %= SHARED_WINDOW;
    }
    if (in_shared && is_of_other_block(address))
        return (Word){find_far_word(worker, instruction, lane, address), true};
    SimSpace space = in_shared ? SIM_SHARED : SIM_GLOBAL;
    uint64_t size = worker->launch->shared_bytes;
    bool inside = in_shared ? address < size && size - address >= bytes
                            : note_access(worker, note, true, address, bytes);
    if (!inside || address % bytes != 0) {
        worker_access_fault(worker, instruction, inside ? SIM_MISALIGNED : SIM_OUT_OF_BOUNDS, space, true, lane,
                            address, bytes, 1);
        return (Word){0};
    }
    if (worker->sanitizer != NULL)
        sanitizer_atomic(worker, instruction, in_shared, lane, address);
    if (!in_shared)
        store_note_word(worker, note, address, bytes);
    return (Word){in_shared ? (void *)(worker->shared + address) : (void *)address, in_shared};
}

bool execute_atomic(Worker *worker, const Instruction *instruction, Active *active)
{
    Operand result = instruction->results[0];
    unsigned char *to = register_write(worker, active, result, 0);
    MemoryNote *note = &worker->notes[instruction->index];
    for (uint32_t lane = active->first; lane < active->end; lane++) {
        if (!active_has(active, lane))
            continue;
        Word word = find_word(worker, instruction, lane, note);
        if (word.at == NULL)
            return false;
        uint64_t old = apply(instruction, word, register_value(worker, instruction->sources[1], lane),
                             register_value(worker, instruction->sources[2], lane));
        if (result.slot != NO_SLOT)
            memcpy(to + ((size_t)(lane - active->first) << result.size), &old, (size_t)1 << result.size);
    }
    register_written(worker, active, result, 0);
    if (!instruction->is_hidden) {
        worker->counters.atomic_requests += active->warps;
        worker->counters.atomic_lanes += active->count;
    }
    return true;
}
