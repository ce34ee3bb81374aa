#include "simgpu/gpu/grid_run.h"

#include "simgpu/barrier/barrier.h"
#include "simgpu/engine/bulk_copy.h"
#include "simgpu/engine/interpreter.h"

#include <string.h>

/* Runs a block until all its threads wait at a barrier, or have looked for a change in vain. */
static bool run_turn(Worker *worker)
{
    Group *group = group_pick(worker);
    if (group == NULL && !bulk_copy_end_one(worker))
        return barrier_deadlock(worker);
    while (group != NULL) {
        if (!group_run(worker, group))
            return false;
        group = worker->group_count > 0 && !group_all_yield(worker) ? group_pick(worker) : NULL;
    }
    bulk_copy_end_one(worker);
    return true;
}

/* FNV-1a (Fowler, Noll, Vo) over words instead of bytes; the shift brings the upper bits down. */
static uint64_t add_to_digest(uint64_t digest, const void *from, size_t bytes)
{
    const unsigned char *at = from;
    for (size_t i = 0; i < bytes; i += sizeof(uint64_t)) {
        uint64_t word = 0;
        memcpy(&word, at + i, bytes - i < sizeof word ? bytes - i : sizeof word);
        digest = (digest ^ word) * 0x100000001B3u;
        digest ^= digest >> 32;
    }
    return digest;
}

/* Of where all threads are, and of their registers. */
static uint64_t digest_of(Worker *const *blocks, uint64_t count)
{
    uint64_t digest = 0xCBF29CE484222325u;
    for (uint64_t i = 0; i < count; i++) {
        const Worker *worker = blocks[i];
        for (int j = 0; j < worker->group_count; j++) {
            const Group *group = worker->groups[j];
            digest = add_to_digest(digest, &group->pc, sizeof group->pc);
            digest = add_to_digest(digest, group->active.bits, worker->launch->warps * sizeof *group->active.bits);
        }
        if (worker->group_count > 0)
            digest = add_to_digest(digest, worker->registers,
                                   (size_t)worker->code->unit_bytes * worker->launch->capacity);
    }
    return digest;
}

/* Where every thread is where it was a round before, with the same registers, nothing will change any more. That is
 * looked at in rounds 64 and 65, 128 and 129, and so on. (A thread that only counts in memory looks the same; it would
 * have to do nothing else.) */
static bool is_stuck(Worker *const *blocks, uint64_t count, uint64_t round, uint64_t *digest)
{
    enum { FIRST_LOOK = 64 };
    bool is_look = round >= FIRST_LOOK && (round & (round - 1)) == 0;
    bool is_second = round > FIRST_LOOK && ((round - 1) & (round - 2)) == 0;
    uint64_t before = *digest;
    if (is_look || is_second)
        *digest = digest_of(blocks, count);
    return is_second && *digest == before;
}

bool run_grid(Worker *const *blocks, uint64_t count)
{
    bool is_left = true;
    uint64_t digest = 0;
    for (uint64_t i = 0; i < count; i++)
        groups_begin(blocks[i]);
    for (uint64_t round = 1; is_left; round++) {
        is_left = false;
        if (is_stuck(blocks, count, round, &digest)) {
            atomic_store(&blocks[0]->launch->stop, SIM_TIME_LIMIT);
            return false;
        }
        for (uint64_t i = 0; i < count; i++) {
            if (blocks[i]->group_count > 0 && !run_turn(blocks[i]))
                return false;
            is_left |= blocks[i]->group_count > 0;
        }
    }
    for (uint64_t i = 0; i < count; i++)
        bulk_copy_end_all(blocks[i]);
    return may_go_on(blocks[0]);
}
