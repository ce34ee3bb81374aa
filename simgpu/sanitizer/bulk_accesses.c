#include "simgpu/sanitizer/bulk_accesses.h"

#include "simgpu/block/worker.h"
#include "simgpu/memory/validity.h"
#include "simgpu/sanitizer/block_races.h"
#include "simgpu/sanitizer/cluster_races.h"
#include "simgpu/sanitizer/shadow_cells.h"
#include "simgpu/sanitizer/raw_finding.h"
#include "simgpu/sanitizer/sanitizer.h"
#include "simgpu/sanitizer/thread_races.h"
#include "simgpu/sanitizer/warp_order.h"

enum { UNIT = 16 /* bytes; a finding is about so many */ };

static uint32_t unit_at(uint64_t address, uint64_t end)
{
    return end - address < UNIT ? (uint32_t)(end - address) : UNIT;
}

static void check_written(Worker *worker, const Instruction *copy, uint32_t lane, int allocation, uint64_t address,
                          uint32_t bytes)
{
    if (!worker->sanitizer->plan->is_sample &&
        !validity_holds(&worker->launch->memory->allocations[allocation], address, bytes))
        raw_finding_note(worker, copy, SIM_UNINITIALISED,
                         (RawFinding){.lane = lane, .space = SIM_GLOBAL, .bytes = (uint8_t)bytes, .address = address});
}

void bulk_reads_global(Worker *worker, const Instruction *copy, uint32_t lane, uint64_t address, uint32_t bytes)
{
    const Sanitizer *sanitizer = worker->sanitizer;
    const int allocation = memory_find(worker->launch->memory, address);
    if (sanitizer->plan->footprint != NULL) {
        steps_bulk_load(worker, address, bytes);
        return;
    }
    for (uint64_t at = address, end = address + bytes; at < end; at += UNIT) {
        check_written(worker, copy, lane, allocation, at, unit_at(at, end));
        if (sanitizer->is_close)
            thread_races_take_global(worker, copy, lane, at, unit_at(at, end));
        if (sanitizer->is_detailed || sanitizer->is_ordered)
            block_races_read(worker, copy, lane, allocation, at, unit_at(at, end));
    }
}

static void combine(Worker *worker, const Instruction *copy, uint32_t lane, int allocation, uint64_t address,
                    uint32_t bytes)
{
    check_written(worker, copy, lane, allocation, address, bytes);
    block_races_atomic(worker, copy, lane, allocation, address, bytes);
}

void bulk_writes_global(Worker *worker, const Instruction *copy, uint32_t lane, uint64_t address,
                        const unsigned char *values, uint32_t bytes)
{
    const int allocation = memory_find(worker->launch->memory, address);
    if (worker->sanitizer->plan->footprint != NULL) {
        steps_bulk_store(worker, copy, address, values, bytes);
        return;
    }
    for (uint64_t at = address, end = address + bytes; at < end; at += UNIT)
        if (copy->count > 0)
            combine(worker, copy, lane, allocation, at, unit_at(at, end));
        else
            block_races_write(worker, copy, lane, allocation, at, unit_at(at, end), values + (at - address));
    validity_mark(&worker->launch->memory->allocations[allocation], address, bytes);
}

/* A footprint is of global memory. */
static bool is_checked(const Sanitizer *sanitizer)
{
    return sanitizer->plan->footprint == NULL && sanitizer->is_detailed;
}

void bulk_reads_shared(Worker *worker, const Instruction *copy, uint32_t lane, uint64_t offset, uint32_t bytes)
{
    for (uint64_t at = offset, end = offset + bytes; is_checked(worker->sanitizer) && at < end; at += UNIT)
        thread_races_take(worker, copy, lane, at, unit_at(at, end));
}

void bulk_writes_shared(Worker *worker, const Instruction *copy, uint32_t lane, uint64_t offset, uint32_t bytes,
                        uint64_t mbarrier)
{
    if (!is_checked(worker->sanitizer))
        return;
    deferred_reads_stop(worker->sanitizer);
    for (uint64_t at = offset, end = offset + bytes; at < end; at += UNIT)
        thread_races_fill(worker, copy, lane, at, unit_at(at, end), mbarrier);
}

void bulk_writes_far(Worker *owner, uint64_t offset, uint32_t bytes)
{
    if (owner->sanitizer == NULL || !is_checked(owner->sanitizer))
        return;
    deferred_reads_stop(owner->sanitizer);
    cluster_races_filled(owner, offset, bytes);
}

void bulk_ends_phase(const Worker *worker, Worker *owner, uint64_t mbarrier)
{
    if (owner->sanitizer == NULL || !is_checked(owner->sanitizer))
        return;
    if (owner == worker)
        warp_order_complete_at(owner->sanitizer, mbarrier);
    else
        warp_order_arrive_far(owner->sanitizer, mbarrier, true);
}
