/* atom and red: the lanes operate one after the other, in order, each by an atomic operation of the host. A float sum
 * over several blocks depends on which block came first, as it does on hardware.
 *
 * Source   PTX ISA 9.0, Parallel Synchronization and Communication Instructions: atom.  */
#include "simgpu/engine/atomic.h"

#include "simgpu/block/fault.h"
#include "simgpu/block/memory_note.h"
#include "simgpu/block/register.h"
#include "simgpu/block/store_note.h"
#include "simgpu/code/lane_math.h"
#include "simgpu/code/mbarrier_word.h"
#include "simgpu/sanitizer/sanitizer.h"

#include <string.h>

static int64_t extended(uint64_t value, uint32_t size)
{
    return size == 2 ? (int32_t)value : (int64_t)value;
}

static uint64_t float_sum(uint64_t a, uint64_t b, uint32_t size)
{
    if (size == 2) {
        float x, y;
        memcpy(&x, &a, sizeof x);
        memcpy(&y, &b, sizeof y);
        x += y;
        uint32_t bits;
        memcpy(&bits, &x, sizeof bits);
        return bits;
    }
    double x, y;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    x += y;
    memcpy(&a, &x, sizeof a);
    return a;
}

/* The sum of two halves, or of two pairs of halves. */
static uint64_t half_sum(AtomicKind kind, uint64_t a, uint64_t b)
{
    return kind == ATOMIC_F16_ADD ? HALVES2(add_f16, (u32)a, (u32)b) : HALVES2(add_bf16, (u32)a, (u32)b);
}

uint64_t atomic_value(AtomicKind kind, uint32_t size, bool is_signed, uint64_t old, uint64_t b, uint64_t c)
{
    bool less = is_signed ? extended(old, size) < extended(b, size) : old < b;
    switch (kind) {
    case ATOMIC_ADD: return old + b;
    case ATOMIC_FLOAT_ADD: return float_sum(old, b, size);
    case ATOMIC_F16_ADD:
    case ATOMIC_BF16_ADD: return half_sum(kind, old, b);
    case ATOMIC_INC: return old >= b ? 0 : old + 1;
    case ATOMIC_DEC: return old == 0 || old > b ? b : old - 1;
    case ATOMIC_MIN: return less ? old : b;
    case ATOMIC_MAX: return less ? b : old;
    case ATOMIC_EXCHANGE: return b;
    case ATOMIC_COMPARE: return old == b ? c : old;
    case ATOMIC_AND: return old & b;
    case ATOMIC_OR: return old | b;
    case ATOMIC_XOR: return old ^ b;
    case ATOMIC_ARRIVE: return mbarrier_after(old, b, 0, false);
    case ATOMIC_ARRIVE_DROP: return mbarrier_after(old, b, 0, true);
    case ATOMIC_EXPECT_BYTES: return mbarrier_after(old, 0, (int64_t)b, false);
    case ATOMIC_COMPLETE_BYTES: return mbarrier_after(old, 0, -(int64_t)b, false);
    }
    return old;
}

/* The value that replaces `old`. */
static uint64_t new_value(const Instruction *instruction, uint64_t old, uint64_t b, uint64_t c)
{
    return atomic_value((AtomicKind)instruction->detail, instruction->size, instruction->is_signed, old, b, c);
}

/* Atomically replaces the T at `at`, and returns its old value. */
#define APPLY(T)                                                                                                       \
    static uint64_t apply_##T(const Instruction *instruction, void *at, uint64_t b, uint64_t c)                        \
    {                                                                                                                  \
        T *word = at, old = __atomic_load_n(word, __ATOMIC_RELAXED);                                                   \
        while (!__atomic_compare_exchange_n(word, &old, (T)new_value(instruction, old, b, c), true, __ATOMIC_SEQ_CST,  \
                                            __ATOMIC_RELAXED))                                                         \
            continue;                                                                                                  \
        return old;                                                                                                    \
    }
APPLY(u16)
APPLY(u32)
APPLY(u64)

static uint64_t apply(const Instruction *instruction, void *at, uint64_t b, uint64_t c)
{
    switch (instruction->size) {
    case 1: return apply_u16(instruction, at, b, c);
    case 2: return apply_u32(instruction, at, b, c);
    default: return apply_u64(instruction, at, b, c);
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
    else
        return word;
    return NULL;
}

/* Checks a lane's access. Returns the host address of the word, or NULL after a fault. */
static void *find_word(Worker *worker, const Instruction *instruction, uint32_t lane, MemoryNote *note)
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
        return find_far_word(worker, instruction, lane, address);
    SimSpace space = in_shared ? SIM_SHARED : SIM_GLOBAL;
    uint64_t size = worker->launch->shared_bytes;
    bool inside = in_shared ? address < size && size - address >= bytes
                            : note_access(worker, note, true, address, bytes);
    if (!inside || address % bytes != 0) {
        worker_access_fault(worker, instruction, inside ? SIM_MISALIGNED : SIM_OUT_OF_BOUNDS, space, true, lane,
                            address, bytes, 1);
        return NULL;
    }
    if (worker->sanitizer != NULL)
        sanitizer_atomic(worker, instruction, in_shared, lane, address);
    if (!in_shared)
        store_note_word(worker, note, address, bytes);
    return in_shared ? (void *)(worker->shared + address) : (void *)address;
}

bool execute_atomic(Worker *worker, const Instruction *instruction, Active *active)
{
    Operand result = instruction->results[0];
    unsigned char *to = register_write(worker, active, result, 0);
    MemoryNote *note = &worker->notes[instruction->index];
    for (uint32_t lane = active->first; lane < active->end; lane++) {
        if (!active_has(active, lane))
            continue;
        void *word = find_word(worker, instruction, lane, note);
        if (word == NULL)
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
