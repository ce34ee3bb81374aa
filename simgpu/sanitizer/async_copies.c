/* What a thread copies by cp.async is visible to the thread itself once it has waited for the group of the copy, and to
 * other threads after a barrier, or a .sync operation of the warp, that follows the wait. The simulated GPU makes all
 * copies at once. So each lane has a record of the groups for which it has waited, and when, which tells whether a
 * thread may use what was copied.
 *
 * Source   PTX ISA 9.0, Data Movement and Conversion Instructions: Asynchronous Copy, cp.async.wait_group.  */
#include "simgpu/sanitizer/async_copies.h"

#include "base/allocated.h"
#include "simgpu/sanitizer/warp_order.h"

#include <string.h>

enum { MOST_SIGNALS = 8 /* as many stages of a pipeline are known; earlier copies count as waited for */ };

typedef struct Signal { /* the end of copies arrives at an mbarrier */
    uint32_t group;     /* the last of them */
    uint32_t epoch;     /* of the warp */
} Signal;

/* Groups are numbered from 1, and complete in that order. */
struct LaneCopies {
    uint32_t committed;                   /* groups that the lane has committed */
    uint32_t arrived;                     /* groups that the lane has waited for */
    uint32_t wait_epoch, wait_warp_epoch; /* of the last wait */
    uint32_t arrived_before_epoch;        /* groups that it had waited for before that epoch of the worker */
    uint32_t arrived_before_warp_epoch;   /* groups that it had waited for before that epoch of the warp */
    Signal signals[MOST_SIGNALS];         /* the last ones: number i is at i % MOST_SIGNALS */
    uint32_t signal_count;
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
    LaneCopies *const all[] = {worker->sanitizer->copies, worker->sanitizer->bulk_copies};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i] != NULL)
            memset(all[i], 0, worker->launch->threads * sizeof **all);
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
    copies->arrived = groups > copies->arrived ? groups : copies->arrived;
}

void async_copies_note(Worker *worker, const Instruction *instruction, const Active *active)
{
    Sanitizer *sanitizer = worker->sanitizer;
    const bool is_bulk = instruction->kind == BULK_COMMIT || instruction->kind == BULK_WAIT;
    LaneCopies *all = is_bulk ? sanitizer->bulk_copies : sanitizer->copies;
    for (uint32_t lane = active->first; all != NULL && lane < active->end; lane++) {
        uint32_t warp = lane / SIM_WARP_SIZE, left = instruction->detail;
        LaneCopies *copies = &all[lane];
        if (!(active->bits[warp] >> (lane % SIM_WARP_SIZE) & 1))
            continue;
        if (instruction->kind == COPY_COMMIT || instruction->kind == BULK_COMMIT)
            copies->committed++;
        else if (copies->committed > left)
            wait_for(sanitizer, copies, sanitizer->warp_epoch[warp], copies->committed - left);
    }
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
    copies->signals[copies->signal_count++ % MOST_SIGNALS] = (Signal){++copies->committed,
                                                                      sanitizer->warp_epoch[lane / SIM_WARP_SIZE]};
}

/* Has the warp waited for the signal of a group? A thread may have signalled later groups since, which are for later
 * waits. */
static bool has_waited_for_signal(const Sanitizer *sanitizer, const ShadowCell *cell, uint32_t warp)
{
    const LaneCopies *copies = &sanitizer->copies[cell->writer];
    const uint32_t count = copies->signal_count, first = count < MOST_SIGNALS ? 0 : count - MOST_SIGNALS;
    for (uint32_t i = first; i < count; i++) {
        const Signal *signal = &copies->signals[i % MOST_SIGNALS];
        if (signal->group >= cell->copy_group)
            return (i == first && first > 0) ||
                   warp_order_has_waited(sanitizer, warp, cell->writer / SIM_WARP_SIZE, signal->epoch);
    }
    return false;
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
    return group <= arrived;
}

bool async_copies_have_arrived(const Sanitizer *sanitizer, const ShadowCell *cell, uint32_t lane)
{
    return has_waited_for_signal(sanitizer, cell, lane / SIM_WARP_SIZE) ||
           has_waited_for_group(sanitizer, sanitizer->copies, cell->writer, cell->copy_group, lane);
}

bool async_copies_have_read(const Sanitizer *sanitizer, const ShadowCell *cell, uint32_t lane)
{
    return has_waited_for_group(sanitizer, sanitizer->bulk_copies, cell->bulk_reader, cell->bulk_group, lane);
}
