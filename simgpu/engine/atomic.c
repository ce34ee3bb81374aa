/* atom and red: the lanes operate one after the other, in order, each by an atomic operation of the host. A float sum
 * over several blocks depends on which block came first, as it does on hardware.
 *
 * Source   PTX ISA 9.0, Parallel Synchronization and Communication Instructions: atom, red.  */
#include "simgpu/block/active.h"

#include "simgpu/block/fault.h"
#include "simgpu/block/register.h"
#include "simgpu/block/sanitizer.h"
#include "simgpu/block/store_note.h"
#include "simgpu/block/worker.h"
#include "simgpu/code/code.h"
#include "simgpu/code/instruction.h"
#include "simgpu/code/lane_math.h"

#include <string.h>

typedef struct AtomicWord {
    void *at; /* in the host's memory */
    bool in_shared;
} AtomicWord;

/* The value that replaces `old`. In global memory, sums of 32-bit floats flush subnormal numbers to zero. */
static inline uint64_t new_value(const Instruction *instruction, bool in_shared, uint64_t old, uint64_t b, uint64_t c)
{
    if (instruction->detail == ATOMIC_FLOAT_ADD && instruction->size == 2 && !in_shared)
        return f32_bits(flush(flush(f32_from((u32)old)) + flush(f32_from((u32)b))));
    return atomic_value((AtomicKind)instruction->detail, instruction->size, instruction->is_signed, old, b, c);
}

/* Atomically replaces the T at `at`, and returns its old value. */
#define APPLY(T)                                                                                                       \
    static uint64_t apply_##T(const Instruction *instruction, AtomicWord word, uint64_t b, uint64_t c)                 \
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

static uint64_t apply(const Instruction *instruction, AtomicWord word, uint64_t b, uint64_t c)
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

static uint64_t address_of(const Instruction *instruction, RegisterColumn addresses, uint32_t lane)
{
    const uint64_t address = column_value(addresses, lane) + (uint64_t)instruction->offset;
    return addresses.lanes != NULL && addresses.size == 2 ? (uint32_t)address : address;
}

/* Facts shared by all lanes, computed once, since computing them for each takes longer than the operations themselves. */
typedef struct Target {
    AllocationCache *note;
    bool is_allowed;    /* every lane may access its word, and all lie in the allocation of the note */
    bool is_of_kernels; /* and nothing there comes from the host, so that stores need not be noted */
} Target;

static Target find_target(Worker *worker, const Instruction *instruction, const Active *active,
                          RegisterColumn addresses)
{
    Target target = {.note = &worker->notes[instruction->index]};
    const uint64_t bytes = 1u << instruction->size;
    uint64_t low = UINT64_MAX, high = 0, bits = 0;
    if (instruction->space == PTX_SHARED)
        return target;
    for (uint32_t lane = active->first; lane < active->end; lane++) {
        if (!active_has(active, lane))
            continue;
        const uint64_t address = address_of(instruction, addresses, lane);
        low = address < low ? address : low;
        high = address > high ? address : high;
        bits |= address;
    }
    target.is_allowed = low <= high && bits % bytes == 0 && high <= UINT64_MAX - bytes &&
                        cache_allocation(worker, target.note, true, low, high + bytes - low);
    target.is_of_kernels = target.is_allowed &&
                           worker->launch->memory->allocations[target.note->allocation].from_host == NULL;
    return target;
}

/* Checks a lane's access; `at` is NULL after a fault. */
static AtomicWord find_word(Worker *worker, const Instruction *instruction, uint32_t lane, uint64_t address,
                            const Target *target)
{
    uint32_t bytes = 1u << instruction->size;
    bool in_shared = instruction->space == PTX_SHARED;
    if (instruction->space == PTX_NO_SPACE && address / SHARED_WINDOW == 1) {
        in_shared = true;
        address %= SHARED_WINDOW;
    }
    if (in_shared && is_of_other_block(address))
        return (AtomicWord){find_far_word(worker, instruction, lane, address), true};
    SimSpace space = in_shared ? SIM_SHARED : SIM_GLOBAL;
    uint64_t size = worker->launch->shared_bytes;
    bool inside = in_shared ? address < size && size - address >= bytes
                            : target->is_allowed || cache_allocation(worker, target->note, true, address, bytes);
    if (!inside || address % bytes != 0) {
        worker_access_fault(worker, instruction, inside ? SIM_MISALIGNED : SIM_OUT_OF_BOUNDS, space, true, lane,
                            address, bytes, 1);
        return (AtomicWord){0};
    }
    if (worker->sanitizer != NULL)
        sanitizer_atomic(worker, instruction, in_shared, lane, address);
    if (!in_shared && !target->is_of_kernels)
        store_note_word(worker, target->note, address, bytes);
    return (AtomicWord){in_shared ? (void *)(worker->shared + address) : (void *)address, in_shared};
}

/* An arrival at something that is no mbarrier: it would be waited for in vain. */
static bool check_mbarrier(Worker *worker, const Instruction *instruction, uint32_t lane, uint64_t address,
                           AtomicWord word)
{
    char where[200];
    if (instruction->detail < ATOMIC_ARRIVE || mbarrier_is_set(*(const uint64_t *)word.at))
        return true;
    fault_describe_place(worker->launch, NULL, SIM_SHARED, shared_offset(address), where, sizeof where);
    return worker_space_fault(worker, instruction, SIM_UNSET_MBARRIER, SIM_SHARED, true, lane,
                              "arrives at the mbarrier at %s, which was not initialised: init() is missing, or a "
                              "barrier of the block between it and the first use",
                              where);
}

/* What the lanes of one warp ask of the memories. */
typedef struct AtomicRequest {
    uint64_t words[SIM_WARP_SIZE], sectors[SIM_WARP_SIZE]; /* different ones of global memory */
    uint32_t word_count, sector_count, lanes;              /* lanes: those that use global memory */
    uint32_t banks[SHARED_BANKS];                          /* lanes that use each bank */
} AtomicRequest;

static void add_different(uint64_t *numbers, uint32_t *count, uint64_t number)
{
    for (uint32_t i = *count; i-- > 0;)
        if (numbers[i] == number)
            return;
    numbers[(*count)++] = number;
}

static void add_to_request(AtomicRequest *request, uint64_t address, bool in_shared)
{
    if (in_shared) {
        request->banks[address / BANK_BYTES % SHARED_BANKS]++;
        return;
    }
    request->lanes++;
    add_different(request->words, &request->word_count, address / BANK_BYTES);
    add_different(request->sectors, &request->sector_count, address / SECTOR_BYTES);
}

static void count_request(SimCounters *counters, const AtomicRequest *request)
{
    uint32_t deepest = 0;
    for (int i = 0; i < SHARED_BANKS; i++)
        deepest = request->banks[i] > deepest ? request->banks[i] : deepest;
    counters->atomic_requests++;
    counters->shared_atomic_wavefronts += deepest;
    counters->atomic_sectors += request->sector_count + request->lanes - request->word_count;
}

bool execute_atomic(Worker *worker, const Instruction *instruction, Active *active)
{
    AtomicRequest request = {0};
    uint32_t warp = UINT32_MAX;
    uint64_t ticket = UINT64_MAX;
    Operand result = instruction->results[0];
    unsigned char *to = register_write(worker, active, result, 0);
    const RegisterColumn addresses = register_column(worker, instruction->sources[0]),
                         b = register_column(worker, instruction->sources[1]),
                         c = register_column(worker, instruction->sources[2]);
    const Target target = find_target(worker, instruction, active, addresses);
    for (uint32_t lane = active->first; lane < active->end; lane++) {
        if (!active_has(active, lane))
            continue;
        const uint64_t address = address_of(instruction, addresses, lane);
        AtomicWord word = find_word(worker, instruction, lane, address, &target);
        if (word.at == NULL || !check_mbarrier(worker, instruction, lane, address, word))
            return false;
        if (lane / SIM_WARP_SIZE != warp && warp != UINT32_MAX && !instruction->is_hidden)
            count_request(&worker->counters, &request);
        if (lane / SIM_WARP_SIZE != warp)
            request = (AtomicRequest){0};
        warp = lane / SIM_WARP_SIZE;
        add_to_request(&request, address, word.in_shared);
        uint64_t old = apply(instruction, word, column_value(b, lane), column_value(c, lane));
        ticket = !word.in_shared && old < ticket ? old : ticket;
        if (result.slot != NO_SLOT)
            memcpy(to + ((size_t)(lane - active->first) << result.size), &old, (size_t)1 << result.size);
    }
    register_written(worker, active, result, 0);
    if (warp != UINT32_MAX && !instruction->is_hidden) {
        count_request(&worker->counters, &request);
        worker->counters.atomic_lanes += active->count;
    }
    if (ticket != UINT64_MAX && instruction_takes_work(instruction))
        worker_take(worker, ticket);
    return true;
}
