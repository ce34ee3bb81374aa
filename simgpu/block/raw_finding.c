/* There is one entry for each kind of finding and each instruction. It keeps the lowest block that caused it, so that
 * it does not depend on which worker ran which block.  */
#include "simgpu/block/raw_finding.h"

#include "base/arena.h"
#include "simgpu/block/fault.h"
#include "simgpu/block/sanitizer_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

RawFinding *raw_findings_new(const Code *code)
{
    return zeroed((size_t)code->memory_count, SIM_FINDING_KINDS * sizeof(RawFinding));
}

static void join(RawFinding *sum, const RawFinding *part)
{
    uint64_t count = sum->count + part->count;
    if (part->count > 0 && (sum->count == 0 || part->block < sum->block))
        *sum = *part;
    sum->count = count;
}

void raw_finding_add(RawFinding *found, int32_t index, SimFindingKind kind, const RawFinding *one)
{
    join(&found[(size_t)index * SIM_FINDING_KINDS + kind], one);
}

void raw_finding_note(Worker *worker, const Instruction *instruction, SimFindingKind kind, RawFinding one)
{
    uint32_t asked = kind == SIM_UNINITIALISED || kind == SIM_UNSET_VARIABLE ? SIM_SANITIZE_UNINITIALISED
                                                                             : SIM_SANITIZE_RACES;
    if (!(worker->sanitizer->plan->flags & asked))
        return;
    one.count = 1;
    one.block = worker->block;
    raw_finding_add(worker->sanitizer->found, instruction->index, kind, &one);
}

void raw_findings_merge(const Code *code, RawFinding *sum, const RawFinding *part)
{
    for (size_t i = 0; i < (size_t)code->memory_count * SIM_FINDING_KINDS; i++)
        join(&sum[i], &part[i]);
}

/* ---- sentences --------------------------------------------------------------------------------------------------- */

/* "block (0,0,0)", "block 1" of the cluster, "thread (3,1,0)" */
static void name_other(const Launch *launch, SimFindingKind kind, uint64_t other, char *text, size_t size)
{
    if (kind == SIM_RACE_IN_CLUSTER) {
        snprintf(text, size, "block %llu", (unsigned long long)other);
        return;
    }
    bool is_block = kind == SIM_RACE_OF_BLOCKS || kind == SIM_NO_FENCE || kind == SIM_STALE_LOAD;
    SimFault place = fault_at(launch, is_block ? other : 0, is_block ? 0 : (uint32_t)other, 0, 0);
    const uint32_t *index = is_block ? place.block : place.thread;
    snprintf(text, size, "%s (%u,%u,%u)", is_block ? "block" : "thread", index[0], index[1], index[2]);
}

/* What the other thread or block did, and what is missing between the two. */
static void describe_meeting(SimFindingKind kind, const RawFinding *found, const char *other, char *text, size_t size)
{
    const char *did = found->other_stored ? "has written" : "has read";
    switch (kind) {
    case SIM_RACE_OF_BLOCKS:
        snprintf(text, size,
                 found->is_atomic  ? "which %s writes without an atomic operation"
                 : found->is_store ? "where %s writes another value: blocks run in any order"
                                   : "which %s writes in the same launch: blocks run in any order",
                 other);
        break;
    case SIM_NO_FENCE:
        snprintf(text, size,
                 "which %s reads once a counter or flag says so: between this store and that, __threadfence() is "
                 "missing, or a barrier for the threads that store",
                 other);
        break;
    case SIM_STALE_LOAD:
        snprintf(
            text, size,
            "through the read-only cache (__ldg(), or a const __restrict__ pointer), while %s writes there in the same "
            "launch: the cache may hold an old value",
            other);
        break;
    case SIM_RACE_OF_WARPS: snprintf(text, size, "which %s %s with no barrier in between", other, did); break;
    case SIM_RACE_OF_LANES: snprintf(text, size, "where %s writes another value at the same time", other); break;
    case SIM_RACE_WITH_COPY:
        if (found->is_bulk)
            snprintf(text, size,
                     found->other_stored
                         ? "into which a bulk copy of %s copies: nothing has waited for the mbarrier of that copy"
                         : "which a bulk copy of %s reads: cp.async.bulk.wait_group.read by that thread is missing, or "
                           "a barrier after it",
                     other);
        else if (found->other == found->lane)
            snprintf(text, size, "into which its own cp.async copies: it has not waited for that copy");
        else
            snprintf(
                text, size,
                "into which a cp.async of %s copies: that thread did not wait for the copy before the last barrier",
                other);
        break;
    case SIM_RACE_WITH_PRODUCT:
        snprintf(text, size,
                 "which a wgmma of %s reads: its warpgroup has not waited for it by wgmma.wait_group, or a barrier "
                 "after that is missing",
                 other);
        break;
    case SIM_RACE_IN_CLUSTER:
        if (found->owner_may_end)
            snprintf(text, size, "which may end before that: a cluster.sync() after it is missing");
        else
            snprintf(text, size, "which %s of its cluster %s with no cluster.sync() in between", other, did);
        break;
    case SIM_NO_PROXY_FENCE:
        snprintf(text, size,
                 found->is_store
                     ? "which %s has written: that may come later than the bulk copy unless a fence.proxy.async comes "
                       "after the store and before the barrier"
                     : "which %s has written: bulk copies and wgmma see that only if a fence.proxy.async comes after "
                       "the store and before the barrier",
                 other);
        break;
    case SIM_RACE_IN_WARP:
    case SIM_ORDER_IN_WARP:
        snprintf(text, size, "which %s of its warp %s with no __syncthreads() or __syncwarp() in between", other, did);
        break;
    case SIM_UNINITIALISED: snprintf(text, size, "which nothing has written"); break;
    case SIM_OUTSIDE_VARIABLE:
    case SIM_BAD_SHUFFLE:
    case SIM_UNSET_VARIABLE:
    case SIM_UNWAITED_PRODUCT:
    case SIM_UNFENCED_PRODUCT:
    case SIM_UNEXPECTED_COPY:
    case SIM_MIXED_BARRIERS:
    case SIM_EARLY_EXIT: /* describe() words these itself */
    case SIM_FINDING_KINDS: break;
    }
}

static void describe(const Launch *launch, SimFindingKind kind, const RawFinding *found, char *text, size_t size)
{
    char other[60], place[200], outside[100], meeting[240] = "", times[40] = "";
    const char *verb = found->is_store ? "writes" : "reads", *plural = found->bytes == 1 ? "" : "s";
    if (found->count > 1)
        snprintf(times, sizeof times, ", %llu times in all", (unsigned long long)found->count);
    if (kind == SIM_BAD_SHUFFLE) {
        bool exists = found->lane / SIM_WARP_SIZE * SIM_WARP_SIZE + found->other < launch->threads;
        snprintf(text, size, "takes the value of lane %llu of its warp, which %s%s", (unsigned long long)found->other,
                 exists ? "takes no part in the shuffle" : "does not exist, since the block ends before it", times);
        return;
    }
    if (kind == SIM_UNWAITED_PRODUCT) {
        snprintf(text, size, "uses the sums of a wgmma before a wgmma.wait_group has waited for it%s", times);
        return;
    }
    if (kind == SIM_UNFENCED_PRODUCT) {
        snprintf(text, size, "executes a wgmma on registers that it has set, with no wgmma.fence in between%s", times);
        return;
    }
    if (kind == SIM_UNEXPECTED_COPY) {
        snprintf(
            text, size,
            "begins a bulk copy for which its mbarrier does not wait: expect_tx must announce the bytes before the "
            "phase ends%s",
            times);
        return;
    }
    if (kind == SIM_UNSET_VARIABLE) {
        snprintf(text, size, "uses a variable before it is set%s", times);
        return;
    }
    name_other(launch, kind, found->other, other, sizeof other);
    if (kind == SIM_MIXED_BARRIERS) {
        snprintf(text, size,
                 "waits at one __syncthreads() while %s waits at another: all threads of a block must reach the same "
                 "one%s",
                 other, times);
        return;
    }
    if (kind == SIM_EARLY_EXIT) {
        snprintf(text, size,
                 "has returned before a __syncthreads() that %s reaches: GPUs since Volta let that pass, but CUDA asks "
                 "all threads of a block to reach it%s",
                 other, times);
        return;
    }
    describe_meeting(kind, found, other, meeting, sizeof meeting);
    fault_describe_place(launch, NULL, (SimSpace)found->space, found->address, place, sizeof place);
    if (found->owner > 0) {
        const size_t length = strlen(place);
        snprintf(place + length, sizeof place - length, " of block %u of its cluster", found->owner - 1u);
    }
    if (kind == SIM_OUTSIDE_VARIABLE &&
        fault_describe_outside(launch, found->variable, SIM_SHARED, found->address, outside, sizeof outside))
        snprintf(text, size, "%s %u byte%s %s, at %s%s", verb, found->bytes, plural, outside, place, times);
    else
        snprintf(text, size, "%s %u byte%s at %s, %s%s", verb, found->bytes, plural, place, meeting, times);
}

/* A variable that is not set is reported where it is used first, not where that was noticed. */
static SourcePlace place_of(const Code *code, const Instruction *instruction, int kind, const RawFinding *found)
{
    return kind == SIM_UNSET_VARIABLE ? code->unset[found->other]
                                      : (SourcePlace){.file = instruction->file, .line = instruction->line};
}

static SimFinding finding_of(const Launch *launch, const Instruction *instruction, SimFindingKind kind,
                             const RawFinding *found)
{
    char what[500];
    const SourcePlace place = place_of(launch->code, instruction, kind, found);
    SimFinding finding = {
        .kind = kind,
        .where = fault_at(launch, found->block, found->lane, place.file, place.line),
    };
    finding.where.space = (SimSpace)found->space;
    finding.where.is_store = found->is_store;
    finding.where.address = found->address;
    finding.where.bytes = found->bytes;
    finding.where.lanes = found->count;
    if (kind == SIM_OUTSIDE_VARIABLE)
        finding.where.left = fault_left(launch, NULL, found->variable, SIM_SHARED, found->address);
    describe(launch, kind, found, what, sizeof what);
    fault_describe(launch, &finding.where, what);
    return finding;
}

static bool same_line(SourcePlace a, SourcePlace b)
{
    return a.line > 0 && a.line == b.line && a.file == b.file;
}

static const RawFinding *found_at(const RawFinding *found, const Instruction *instruction, int kind)
{
    if (instruction->index < 0)
        return NULL;
    const RawFinding *one = &found[(size_t)instruction->index * SIM_FINDING_KINDS + (size_t)kind];
    return one->count > 0 ? one : NULL;
}

/* The findings of one kind at all instructions of a source line are one finding, reported at the first of them: an
 * unrolled loop would repeat it. NULL: it was reported at an earlier instruction. */
static const RawFinding *gather_line(const Code *code, const RawFinding *found, int first, int kind, RawFinding *sum)
{
    const Instruction *instruction = &code->instructions[first];
    const SourcePlace place = place_of(code, instruction, kind, found_at(found, instruction, kind));
    *sum = (RawFinding){0};
    for (int i = 0; i < code->instruction_count; i++) {
        const Instruction *other = &code->instructions[i];
        const RawFinding *one = found_at(found, other, kind);
        if (one == NULL || (i != first && !same_line(place, place_of(code, other, kind, one))))
            continue;
        if (i < first)
            return NULL;
        join(sum, one);
    }
    return sum;
}

uint32_t raw_findings_report(const Launch *launch, const RawFinding *found, SimFinding findings[SIM_MAX_FINDINGS],
                             uint32_t *more)
{
    const Code *code = launch->code;
    RawFinding sum;
    uint32_t count = 0;
    *more = 0;
    for (int kind = 0; kind < SIM_FINDING_KINDS; kind++)
        for (int i = 0; i < code->instruction_count; i++) {
            if (found_at(found, &code->instructions[i], kind) == NULL ||
                gather_line(code, found, i, kind, &sum) == NULL)
                continue;
            if (count < SIM_MAX_FINDINGS)
                findings[count++] = finding_of(launch, &code->instructions[i], (SimFindingKind)kind, &sum);
            else
                (*more)++;
        }
    return count;
}
