/* Finds out that a launch can never end, long before its instructions are used up.
 *
 * Now and then the state of the blocks that a thread of the host runs is compared with an earlier one. Where the threads are,
 * their registers, shared and local memory and device memory decide alone what happens next. So what comes again comes again
 * for ever, unless a block that another thread of the host runs changes device memory in between. Therefore all these threads
 * must have seen their states come again while device memory stayed as it is.
 *
 * Cost    A look compares a hint, some hundred bytes of the registers, with that of an earlier look. Only where it is the same,
 *         as it never is in a loop that counts in registers, all of the state is digested.
 * Bounds  Whoever is in calls of procedures, uses the heap or waits for bulk copies is taken to go on, and so is a launch on a
 *         device with more than MOST_BYTES in use. SimLaunch.warp_instructions ends it. What blocks execute whose state has
 *         come again does not count there: the more threads the host has, the more of them wait for the last one to see it.
 * Source  Which earlier look: R. P. Brent, An Improved Monte Carlo Factorization Algorithm, BIT 20 (1980). The last one whose
 *         number is a power of two finds repetitions of any length.  */
#include "simgpu/engine/interpreter.h"

#include "base/arena.h"
#include "simgpu/block/fault.h"
#include "simgpu/block/register.h"
#include "simgpu/code/code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FIRST_LOOK = 4,         /* that compares anything */
    HINT_BLOCKS = 8,        /* of those of a grid, from which the hint is taken */
    MOST_MISSES = 8,        /* states that had the hint of the kept look, but were others */
    MOST_BYTES = 256 << 20, /* of device memory in use */
    MBARRIER_BYTES_SIGN = 1 << 20
};

struct Standstill {
    uint64_t looks; /* since the blocks have begun */
    uint64_t hint, state, memory;
    enum { HINT_KEPT, STATE_KEPT, MEMORY_KEPT } kept; /* up to which of these something was seen to come again */
    bool lasts;                                       /* at the last look all of it had come again */
    uint32_t misses;
    uint64_t round, counted; /* of the launch: when it was told of these blocks, and when it counted them */
    Worker *watched;         /* one of the blocks; NULL: none yet. And, when its state had come again, */
    uint64_t *warps;         /* [block_count] Executed.warps of it */
};

void standstill_begin(Worker *worker)
{
    if (worker->standstill == NULL)
        return;
    uint64_t *warps = worker->standstill->warps;
    *worker->standstill = (Standstill){.warps = warps};
}

void standstill_end(const Worker *worker)
{
    Launch *launch = worker->launch;
    if (worker->standstill == NULL || worker->standstill->round == 0)
        return;
    pthread_mutex_lock(&launch->fault_lock);
    launch->still.round++;
    launch->still.count = 0;
    pthread_mutex_unlock(&launch->fault_lock);
}

void standstill_free(Worker *worker)
{
    if (worker->standstill != NULL)
        free(worker->standstill->warps);
    free(worker->standstill);
    worker->standstill = NULL;
}

static Standstill *standstill_of(Worker *worker)
{
    if (worker->standstill == NULL) {
        worker->standstill = zeroed(1, sizeof *worker->standstill);
        worker->standstill->warps = zeroed((size_t)worker->code->block_count, sizeof(uint64_t));
    }
    return worker->standstill;
}

/* ---- digests ----------------------------------------------------------------------------------------------------- */

/* FNV-1a (Fowler, Noll, Vo) over words instead of bytes; the shift brings the upper bits down. */
static uint64_t add_word(uint64_t digest, uint64_t word)
{
    digest = (digest ^ word) * 0x100000001B3u;
    return digest ^ digest >> 32;
}

static uint64_t add_bytes(uint64_t digest, const void *from, size_t bytes)
{
    const unsigned char *at = from;
    for (size_t i = 0; i < bytes; i += sizeof(uint64_t)) {
        uint64_t word = 0;
        memcpy(&word, at + i, bytes - i < sizeof word ? bytes - i : sizeof word);
        digest = add_word(digest, word);
    }
    return digest;
}

static const uint64_t EMPTY_DIGEST = 0xCBF29CE484222325u;

/* Digest of where the threads are, and of the first lane's registers. */
static uint64_t hint_of(Worker *const *blocks, uint64_t count)
{
    uint64_t digest = EMPTY_DIGEST, word;
    for (uint64_t i = 0; i < count && i < HINT_BLOCKS; i++) {
        const Worker *worker = blocks[i];
        for (int j = 0; j < worker->group_count; j++)
            digest = add_word(digest, (uint64_t)worker->groups[j]->backward << 32 | (uint32_t)worker->groups[j]->pc);
        for (uint32_t unit = 0; worker->group_count > 0 && unit < worker->code->unit_bytes; unit++) {
            memcpy(&word, worker->registers + (size_t)unit * worker->capacity, sizeof word);
            digest = add_word(digest, word);
        }
    }
    return digest;
}

static uint64_t add_groups(uint64_t digest, const Worker *worker)
{
    for (int i = 0; i < worker->group_count; i++) {
        const Group *group = worker->groups[i];
        const uint32_t numbers[] = {(uint32_t)group->pc, group->barrier,     group->backward,
                                    group->is_waiting,   group->has_yielded, group->is_forced};
        digest = add_bytes(digest, numbers, sizeof numbers);
        digest = add_bytes(digest, group->active.bits, worker->launch->warps * sizeof *group->active.bits);
    }
    digest = add_bytes(digest, worker->arrived, sizeof worker->arrived);
    digest = add_bytes(digest, worker->expected, sizeof worker->expected);
    digest = add_bytes(digest, worker->cluster_arrived, sizeof worker->cluster_arrived);
    return add_bytes(digest, worker->cluster_owes, sizeof worker->cluster_owes);
}

/* May the state of the block change by something that no digest shows? */
static bool has_more_state(const Worker *worker)
{
    bool calls = false;
    for (int i = 0; i < worker->group_count; i++)
        calls |= worker->groups[i]->depth > 0;
    return calls || worker->bulk_count > 0 || worker->launch->memory->heap.bytes > 0;
}

/* False where it is not all there is. */
static bool digest_state(Worker *const *blocks, uint64_t count, uint64_t *digest)
{
    *digest = EMPTY_DIGEST;
    for (uint64_t i = 0; i < count; i++) {
        const Worker *worker = blocks[i];
        const Launch *launch = worker->launch;
        *digest = add_word(*digest, (uint64_t)worker->group_count);
        if (worker->group_count == 0)
            continue;
        if (has_more_state(worker))
            return false;
        *digest = add_groups(*digest, worker);
        *digest = add_word(*digest, worker->clock);
        *digest = add_bytes(*digest, worker->states, worker->code->slot_count);
        *digest = add_bytes(*digest, worker->registers, (size_t)worker->code->unit_bytes * worker->capacity);
        *digest = add_bytes(*digest, worker->shared, launch->shared_bytes);
        *digest = add_bytes(*digest, worker->local, (size_t)worker->frame_stride * launch->threads);
    }
    return true;
}

static bool digest_memory(const Memory *memory, uint64_t *digest)
{
    uint64_t bytes = 0;
    *digest = EMPTY_DIGEST;
    for (int i = 0; i < memory->count; i++)
        bytes += memory->allocations[i].bytes;
    for (int i = 0; bytes <= MOST_BYTES && i < memory->count; i++)
        *digest = add_bytes(*digest, (const void *)(uintptr_t)memory->allocations[i].address,
                            memory->allocations[i].bytes);
    return bytes <= MOST_BYTES;
}

/* ---- what is told ------------------------------------------------------------------------------------------------ */

/* What a thread may wait for, the clearest first. */
typedef enum Wait { WAIT_MBARRIER, WAIT_ATOMIC, WAIT_LOAD, WAIT_NONE } Wait;

static Wait wait_of(const Instruction *instruction)
{
    if (instruction->kind == LOAD && instruction->detail == LOAD_MBARRIER)
        return WAIT_MBARRIER;
    if (instruction->kind == ATOMIC && instruction->detail < ATOMIC_ARRIVE)
        return WAIT_ATOMIC;
    return instruction->kind == LOAD && instruction->is_strong && instruction->space != PTX_LOCAL ? WAIT_LOAD
                                                                                                  : WAIT_NONE;
}

/* The instruction at which the block waits: in a basic block that has run since Standstill.warps. NULL: there is none. */
static const Instruction *find_wait(const Worker *worker, const uint64_t *warps, Wait *wait)
{
    const Instruction *found = NULL;
    *wait = WAIT_NONE;
    for (int i = 0; i < worker->code->block_count; i++) {
        const BasicBlock *block = &worker->code->blocks[i];
        for (int32_t j = block->first; worker->executed[i].warps != warps[i] && j < block->end; j++) {
            const Instruction *instruction = &worker->code->instructions[j];
            if (wait_of(instruction) < *wait) {
                found = instruction;
                *wait = wait_of(instruction);
            }
        }
    }
    return found;
}

static uint32_t first_lane(const Group *group)
{
    uint32_t warp = 0;
    while (group->active.bits[warp] == 0)
        warp++;
    return warp * SIM_WARP_SIZE + (uint32_t)__builtin_ctz(group->active.bits[warp]);
}

/* A group that runs in vain, or else one that waits at a barrier. */
static const Group *stuck_group(const Worker *worker)
{
    const Group *found = worker->groups[0];
    for (int i = 1; i < worker->group_count; i++) {
        const Group *group = worker->groups[i];
        if (group->is_waiting != found->is_waiting ? !group->is_waiting : first_lane(group) < first_lane(found))
            found = group;
    }
    return found;
}

/* What the phase of an mbarrier still expects. */
static void describe_pending(uint64_t word, char *text, size_t size)
{
    const uint64_t arrivals = word & MBARRIER_COUNT, expected = word >> MBARRIER_EXPECTED_SHIFT & MBARRIER_COUNT;
    const int64_t left = (int64_t)(word >> MBARRIER_BYTES_SHIFT & MBARRIER_BYTES);
    const int64_t bytes = left & MBARRIER_BYTES_SIGN ? left - 2 * MBARRIER_BYTES_SIGN : left;
    if (bytes > 0 && arrivals == 0)
        snprintf(text, size, "the phase expects %lld bytes more than copies bring", (long long)bytes);
    else if (bytes < 0)
        snprintf(text, size, "copies bring %lld bytes more than the phase expects", (long long)-bytes);
    else if (bytes > 0)
        snprintf(text, size, "the phase still expects %lld bytes and %llu arrivals", (long long)bytes,
                 (unsigned long long)arrivals);
    else
        snprintf(text, size, "%llu of the %llu arrivals that the phase expects never come",
                 (unsigned long long)arrivals, (unsigned long long)expected);
}

/* Are there blocks that no thread of the host has begun? */
static bool has_more_blocks(const Launch *launch)
{
    const uint64_t begun = atomic_load(&launch->finished_blocks) +
                           (uint64_t)launch->still.working * launch->cluster_blocks;
    return !launch->is_cooperative && begun < launch->blocks;
}

/* The address that the lane waits at, and its space; false where its register holds something else by now. */
static bool find_address(const Worker *worker, const Instruction *wait, uint32_t lane, SimSpace *space,
                         uint64_t *address)
{
    *address = (wait->sources[0].slot == NO_SLOT ? 0 : register_value(worker, wait->sources[0], lane)) +
               (uint64_t)wait->offset;
    const PtxSpace at = wait->space != PTX_NO_SPACE ? (PtxSpace)wait->space : space_at(*address);
    *space = at == PTX_SHARED ? SIM_SHARED : SIM_GLOBAL;
    if (at == PTX_SHARED) {
        *address = (uint32_t)*address;
        return *address < worker->launch->shared_bytes;
    }
    const AllocationCache *note = &worker->notes[wait->index];
    return *address >= note->low && *address < note->high;
}

static void describe_wait(const Worker *worker, const Instruction *instruction, Wait wait, uint32_t lane, char *text,
                          size_t size)
{
    char place[160] = "another value", pending[120] = "";
    SimSpace space = SIM_GLOBAL;
    uint64_t address = 0, word;
    const Launch *launch = worker->launch;
    const bool is_known = instruction != NULL && find_address(worker, instruction, lane, &space, &address);
    const char *others = has_more_blocks(launch) ? "; other blocks have not begun, and may not before this one ends"
                                                 : "";
    if (is_known)
        fault_describe_place(launch, NULL, space, address, place, sizeof place);
    if (wait == WAIT_NONE)
        snprintf(text, size, "repeats a loop for ever, in which nothing changes");
    else if (launch->workspace != 0 && is_known &&
             memory_find(launch->memory, address) == memory_find(launch->memory, launch->workspace))
        snprintf(text, size, "waits for ever at a grid.sync() that not all blocks reach");
    else if (wait == WAIT_MBARRIER && is_known) {
        memcpy(&word, worker->shared + address, sizeof word);
        describe_pending(word, pending, sizeof pending);
        snprintf(text, size, "waits for ever for the mbarrier at %s: %s", place, pending);
    } else if (is_known)
        snprintf(text, size, "waits for ever for another value at %s, which nothing that runs changes%s", place,
                 others);
    else
        snprintf(text, size, "waits for ever for a value that nothing that runs changes%s", others);
}

/* Has another block met a fault of another kind? Then that may be what this one waits for in vain. */
static bool is_faulty(Launch *launch)
{
    pthread_mutex_lock(&launch->fault_lock);
    const bool is_faulty = launch->outcome != SIM_OK && launch->outcome != SIM_ENDLESS;
    pthread_mutex_unlock(&launch->fault_lock);
    return is_faulty;
}

/* Ends the block: always false. */
static bool report(const Standstill *standstill)
{
    Worker *worker = standstill->watched;
    if (is_faulty(worker->launch))
        return false;
    const Group *group = stuck_group(worker);
    const BasicBlock *block = &worker->code->blocks[group->pc];
    char text[300];
    Wait wait;
    const Instruction *at = find_wait(worker, standstill->warps, &wait);
    describe_wait(worker, at, wait, first_lane(group), text, sizeof text);
    return worker_fault(worker, SIM_ENDLESS, at == NULL ? block->file : at->file, at == NULL ? block->line : at->line,
                        first_lane(group), "%s", text);
}

bool standstill_lasts(const Worker *worker)
{
    return worker->standstill != NULL && worker->standstill->lasts;
}

bool standstill_give_up(Worker *worker)
{
    const Group *group = stuck_group(worker);
    const BasicBlock *block = &worker->code->blocks[group->pc];
    return worker_fault(worker, SIM_TIME_LIMIT, block->file, block->line, first_lane(group),
                        "still runs after %llu instructions of its block, perhaps in an endless loop",
                        (unsigned long long)worker->launch->request->block_instructions);
}

/* ---- looks ------------------------------------------------------------------------------------------------------- */

/* The blocks' state has come again, and device memory with it. Are all threads of the host that far, since none of them has
 * changed it? */
static bool are_all_still(Launch *launch, Standstill *mine)
{
    pthread_mutex_lock(&launch->fault_lock);
    if (mine->round == 0 || launch->still.memory != mine->memory) {
        launch->still.memory = mine->memory;
        launch->still.count = 0;
        mine->round = ++launch->still.round;
    } else if (mine->counted != launch->still.round) {
        mine->counted = launch->still.round;
        launch->still.count++;
    }
    launch->still.is_over |= launch->still.count >= launch->still.working;
    const bool is_over = launch->still.is_over;
    pthread_mutex_unlock(&launch->fault_lock);
    return is_over;
}

/* The block that is told of, if all stand still: the first one whose threads do not all wait at barriers. */
static void watch(Standstill *standstill, Worker *const *blocks, uint64_t count)
{
    standstill->watched = NULL;
    for (uint64_t i = 0; i < count; i++) {
        Worker *worker = blocks[i];
        const bool runs = worker->group_count > 0 && !stuck_group(worker)->is_waiting;
        if (worker->group_count > 0 &&
            (standstill->watched == NULL || (runs && stuck_group(standstill->watched)->is_waiting)))
            standstill->watched = worker;
    }
    for (int i = 0; standstill->watched != NULL && i < standstill->watched->code->block_count; i++)
        standstill->warps[i] = standstill->watched->executed[i].warps;
}

/* The hint has come again. */
static bool look_closely(Standstill *standstill, Worker *const *blocks, uint64_t count)
{
    Launch *launch = blocks[0]->launch;
    uint64_t state, memory;
    if (!digest_state(blocks, count, &state))
        return true;
    if (standstill->kept == HINT_KEPT) {
        standstill->kept = STATE_KEPT;
        standstill->state = state;
        return true;
    }
    if (state != standstill->state) {
        standstill->misses++;
        return true;
    }
    if (!digest_memory(launch->memory, &memory))
        return true;
    if (standstill->kept == STATE_KEPT || memory != standstill->memory) {
        standstill->kept = MEMORY_KEPT;
        standstill->memory = memory;
        watch(standstill, blocks, count);
        return true;
    }
    standstill->lasts = true;
    return standstill->watched == NULL || !are_all_still(launch, standstill) || report(standstill);
}

bool standstill_look(Worker *const *blocks, uint64_t count)
{
    Standstill *standstill = standstill_of(blocks[0]);
    const uint64_t look = ++standstill->looks;
    const bool lasted = standstill->lasts;
    standstill->lasts = false;
    if (look < FIRST_LOOK)
        return true;
    const uint64_t hint = hint_of(blocks, count);
    if ((look & (look - 1)) == 0 && !lasted) {
        standstill->hint = hint;
        standstill->kept = HINT_KEPT;
        standstill->misses = 0;
        return true;
    }
    return hint != standstill->hint || standstill->misses >= MOST_MISSES || look_closely(standstill, blocks, count);
}
