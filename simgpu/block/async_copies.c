/* What a thread copies by cp.async is visible to the thread itself once it has waited for the group of the copy, and to
 * other threads after a barrier, or a .sync operation of the warp, that follows the wait. The simulated GPU makes all
 * copies at once. So each lane has a record of the groups for which it has waited, and when, which tells whether a
 * thread may use what was copied.
 *
 * Source   PTX ISA 9.0, Data Movement and Conversion Instructions: Asynchronous Copy, cp.async.wait_group.  */
#include "simgpu/block/async_copies.h"

#include "base/arena.h"
#include "simgpu/block/active.h"
#include "simgpu/block/warp_order.h"

#include <string.h>

enum {
    MOST_MOMENTS = 8, /* as many stages of a pipeline are known; earlier copies count as waited for */
    WARPGROUP_LANES = 4 * SIM_WARP_SIZE
};

typedef struct Moments { /* at which it is known of a lane's groups that they are over */
    struct {
        uint32_t group;   /* the last of them */
        uint32_t epoch;   /* of the warp */
    } last[MOST_MOMENTS]; /* number i is at i % MOST_MOMENTS */
    uint32_t count;
} Moments;

/* Groups are numbered from 1, and complete in that order. */
struct LaneCopies {
    uint32_t committed;                   /* groups that the lane has committed */
    uint32_t arrived;                     /* groups that the lane has waited for */
    uint32_t wait_epoch, wait_warp_epoch; /* of the last wait */
    uint32_t arrived_before_epoch;        /* groups that it had waited for before that epoch of the worker */
    uint32_t arrived_before_warp_epoch;   /* groups that it had waited for before that epoch of the warp */
    Moments signals;                      /* the end of copies arrives at an mbarrier */
    Moments waits;                        /* the lane has waited */
};

LaneCopies *async_copies_new(const Worker *worker, InstructionKind kind)
{
    for (int i = 0; i < worker->code->instruction_count; i++)
        if (worker->code->instructions[i].kind == kind)
            return zeroed(worker->capacity, sizeof(LaneCopies));
    return NULL;
}

void async_copies_begin_block(const Worker *worker)
{
    const Sanitizer *sanitizer = worker->sanitizer;
    LaneCopies *const all[] = {sanitizer->copies, sanitizer->bulk_copies, sanitizer->products};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i] != NULL)
            memset(all[i], 0, worker->launch->threads * sizeof **all);
}

static void moment_add(Moments *moments, uint32_t group, uint32_t epoch)
{
    const uint32_t at = moments->count++ % MOST_MOMENTS;
    moments->last[at].group = group;
    moments->last[at].epoch = epoch;
}

/* Has `warp` waited for a moment of `owner` at which the group was over? At later moments, later groups were, for which
 * others may wait later. */
static bool has_waited_for_moment(const Sanitizer *sanitizer, const Moments *moments, uint32_t group, uint32_t owner,
                                  uint32_t warp)
{
    const uint32_t first = moments->count < MOST_MOMENTS ? 0 : moments->count - MOST_MOMENTS;
    for (uint32_t i = first; i < moments->count; i++)
        if (moments->last[i % MOST_MOMENTS].group >= group)
            return (i == first && first > 0) ||
                   warp_order_has_waited(sanitizer, warp, owner / SIM_WARP_SIZE, moments->last[i % MOST_MOMENTS].epoch);
    return false;
}

static void wait_for(const Sanitizer *sanitizer, LaneCopies *copies, uint32_t warp_epoch, uint32_t groups)
{
    bool is_new_epoch = copies->wait_epoch != sanitizer->epoch;
    if (is_new_epoch)
        copies->arrived_before_epoch = copies->arrived;
    if (is_new_epoch || copies->wait_warp_epoch != warp_epoch)
        copies->arrived_before_warp_epoch = copies->arrived;
    copies->wait_epoch = sanitizer->epoch;
    copies->wait_warp_epoch = warp_epoch;
    if (groups > copies->arrived) {
        copies->arrived = groups;
        moment_add(&copies->waits, groups, warp_epoch);
    }
}

/* What the lanes have begun becomes a group; or else they wait for all but the last `instruction->detail` groups. */
static void note(Worker *worker, LaneCopies *all, bool commits, const Instruction *instruction, const Active *active)
{
    const Sanitizer *sanitizer = worker->sanitizer;
    for (uint32_t lane = active->first; all != NULL && lane < active->end; lane++) {
        uint32_t warp = lane / SIM_WARP_SIZE, left = instruction->detail;
        LaneCopies *copies = &all[lane];
        if (!(active->bits[warp] >> (lane % SIM_WARP_SIZE) & 1))
            continue;
        if (commits)
            copies->committed++;
        else if (copies->committed > left)
            wait_for(sanitizer, copies, sanitizer->warp_epoch[warp], copies->committed - left);
    }
}

bool execute_copy_group(Worker *worker, const Instruction *instruction, Active *active)
{
    if (worker->sanitizer != NULL)
        note(worker, worker->sanitizer->copies, instruction->kind == COPY_COMMIT, instruction, active);
    return true;
}

bool execute_product_group(Worker *worker, const Instruction *instruction, Active *active)
{
    if (worker->sanitizer != NULL)
        note(worker, worker->sanitizer->products, instruction->kind == WGMMA_COMMIT, instruction, active);
    return true;
}

void async_copies_bulk_group(Worker *worker, const Instruction *instruction, const Active *active)
{
    note(worker, worker->sanitizer->bulk_copies, instruction->kind == BULK_COMMIT, instruction, active);
}

uint32_t async_copies_group(const LaneCopies *copies, uint32_t lane)
{
    return copies[lane].committed + 1;
}

void async_copies_signal(Sanitizer *sanitizer, uint32_t lane)
{
    if (sanitizer->copies == NULL)
        return;
    LaneCopies *copies = &sanitizer->copies[lane];
    moment_add(&copies->signals, ++copies->committed, sanitizer->warp_epoch[lane / SIM_WARP_SIZE]);
}

/* Has `owner` waited for a group of its copies, and `lane` for that? */
static bool has_waited_for_group(const Sanitizer *sanitizer, const LaneCopies *all, uint32_t owner, uint32_t group,
                                 uint32_t lane)
{
    const LaneCopies *copies = &all[owner];
    uint32_t warp = lane / SIM_WARP_SIZE, arrived = copies->arrived;
    if (lane == owner || copies->wait_epoch != sanitizer->epoch)
        return group <= arrived;
    if (owner / SIM_WARP_SIZE != warp)
        arrived = copies->arrived_before_epoch;
    else if (copies->wait_warp_epoch == sanitizer->warp_epoch[warp])
        arrived = copies->arrived_before_warp_epoch;
    return group <= arrived || has_waited_for_moment(sanitizer, &copies->waits, group, owner, warp);
}

bool async_copies_have_arrived(const Sanitizer *sanitizer, const ShadowCell *cell, uint32_t lane)
{
    const uint32_t writer = cell->writer, group = cell->copy_group;
    return has_waited_for_moment(sanitizer, &sanitizer->copies[writer].signals, group, writer, lane / SIM_WARP_SIZE) ||
           has_waited_for_group(sanitizer, sanitizer->copies, writer, group, lane);
}

bool async_copies_have_read(const Sanitizer *sanitizer, const ShadowCell *cell, uint32_t lane)
{
    const uint32_t reader = cell->async_reader, group = cell->async_group;
    if (!cell->is_product)
        return has_waited_for_group(sanitizer, sanitizer->bulk_copies, reader, group, lane);
    /* Where one warp has waited for a wgmma, it is over for all four. */
    const uint32_t first = reader / WARPGROUP_LANES * WARPGROUP_LANES;
    for (uint32_t other = first; other < first + WARPGROUP_LANES; other += SIM_WARP_SIZE)
        if (has_waited_for_group(sanitizer, sanitizer->products, other, group, lane))
            return true;
    return false;
}
