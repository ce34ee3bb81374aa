#include "simgpu/sanitizer/mbarriers.h"

#include "simgpu/block/register.h"
#include "simgpu/code/mbarrier_word.h"
#include "simgpu/sanitizer/async_copies.h"
#include "simgpu/sanitizer/deferred_reads.h"
#include "simgpu/sanitizer/thread_races.h"
#include "simgpu/sanitizer/warp_order.h"

#include <string.h>

static uint64_t mbarrier_changed(AtomicKind kind, uint64_t word, uint64_t number)
{
    const int64_t bytes = kind == ATOMIC_EXPECT_BYTES ? (int64_t)number : -(int64_t)number;
    return kind == ATOMIC_ARRIVE || kind == ATOMIC_ARRIVE_DROP
               ? mbarrier_after(word, number, 0, kind == ATOMIC_ARRIVE_DROP)
               : mbarrier_after(word, 0, bytes, false);
}

/* Would this operation end the phase of the mbarrier at `place`? */
static bool ends_phase(const Worker *worker, const Instruction *instruction, uint32_t lane, const unsigned char *place)
{
    const uint64_t number = register_value(worker, instruction->sources[1], lane);
    uint64_t word;
    memcpy(&word, place, sizeof word);
    return (mbarrier_changed((AtomicKind)instruction->detail, word, number) ^ word) & MBARRIER_PARITY;
}

void mbarrier_arrive(Worker *worker, const Instruction *instruction, uint32_t lane, uint64_t offset)
{
    Sanitizer *sanitizer = worker->sanitizer;
    const bool arrives = instruction->detail == ATOMIC_ARRIVE || instruction->detail == ATOMIC_ARRIVE_DROP;
    if (!sanitizer->is_detailed)
        return;
    deferred_reads_stop(sanitizer);
    thread_races_mbarrier(worker, instruction, lane, offset);
    if (instruction->signals_copies)
        async_copies_signal(sanitizer, lane);
    const bool ends = ends_phase(worker, instruction, lane, worker->shared + offset);
    if (arrives || ends)
        warp_order_arrive_at(sanitizer, offset, lane, ends);
}

void mbarrier_arrive_far(Worker *worker, Worker *owner, const Instruction *instruction, uint32_t lane, uint64_t offset)
{
    const Sanitizer *there = owner->sanitizer;
    if (there == NULL || there->plan->footprint != NULL || !there->is_detailed)
        return;
    deferred_reads_stop(owner->sanitizer);
    warp_order_arrive_far(owner->sanitizer, offset, ends_phase(worker, instruction, lane, owner->shared + offset));
}

void mbarrier_wait(Worker *worker, const Instruction *instruction, PtxSpace space, const Active *active, uint64_t first,
                   const Pattern *pattern)
{
    for (uint32_t lane = active->first; lane < active->end; lane++) {
        const int32_t relative = pattern->relative == NULL ? 0 : pattern->relative[lane - active->first];
        const uint64_t offset = first + (uint64_t)(int64_t)relative;
        if (space != PTX_SHARED || !worker->sanitizer->is_detailed || !active_has(active, lane))
            continue;
        thread_races_mbarrier(worker, instruction, lane, offset);
        warp_order_wait_at(worker->sanitizer, offset, lane);
        worker->sanitizer->waited_epoch = worker->sanitizer->epoch;
    }
}
