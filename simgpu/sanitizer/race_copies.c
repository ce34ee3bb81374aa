/* cp.async: what a thread copies is there for itself once it has waited for the copies' group, and for others after a
 * barrier, or a .sync operation of the warp, that follows on that. Here copies are done at once; so only a list of who
 * waited for which groups, and when, tells whether a thread relied on more.
 *
 * Source   PTX ISA 9.0, Data Movement and Conversion Instructions: Asynchronous Copy, cp.async.wait_group.  */
#include "simgpu/sanitizer/race.h"

#include "base/allocated.h"

/* Groups are numbered from 1, and arrive in order. */
struct LaneCopies {
    uint32_t committed;             /* groups that are closed */
    uint32_t arrived;               /* groups that the lane has waited for */
    uint32_t wait_epoch, wait_turn; /* when it last waited, */
    uint32_t arrived_earlier;       /*   what had arrived before that epoch, */
    uint32_t arrived_last_turn;     /*   and before that turn */
};

LaneCopies *copies_new(const Worker *worker)
{
    for (int i = 0; i < worker->code->instruction_count; i++)
        if (worker->code->instructions[i].kind == COPY_ASYNC)
            return zeroed(worker->capacity, sizeof(LaneCopies));
    return NULL;
}

void copies_begin_block(const Worker *worker)
{
    LaneCopies *copies = worker->watch->copies;
    for (uint32_t lane = 0; copies != NULL && lane < worker->launch->threads; lane++)
        copies[lane] = (LaneCopies){0};
}

static void wait_for(const Watch *watch, LaneCopies *copies, uint32_t turn, uint32_t groups)
{
    bool is_new_epoch = copies->wait_epoch != watch->epoch;
    if (is_new_epoch)
        copies->arrived_earlier = copies->arrived;
    if (is_new_epoch || copies->wait_turn != turn)
        copies->arrived_last_turn = copies->arrived;
    copies->wait_epoch = watch->epoch;
    copies->wait_turn = turn;
    copies->arrived = groups > copies->arrived ? groups : copies->arrived;
}

void watch_copies(Worker *worker, const Instruction *instruction, const Active *active)
{
    Watch *watch = worker->watch;
    for (uint32_t lane = active->first; watch->copies != NULL && lane < active->end; lane++) {
        uint32_t warp = lane / SIM_WARP_SIZE, left = instruction->detail;
        LaneCopies *copies = &watch->copies[lane];
        if (!(active->bits[warp] >> (lane % SIM_WARP_SIZE) & 1))
            continue;
        if (instruction->kind == COPY_COMMIT)
            copies->committed++;
        else if (copies->committed > left)
            wait_for(watch, copies, watch->turn[warp], copies->committed - left);
    }
}

uint32_t copies_group(const Watch *watch, uint32_t lane)
{
    return watch->copies[lane].committed + 1;
}

bool copies_have_arrived(const Watch *watch, const ThreadGrain *grain, uint32_t lane)
{
    const LaneCopies *copies = &watch->copies[grain->writer];
    uint32_t warp = lane / SIM_WARP_SIZE, arrived = copies->arrived;
    if (lane == grain->writer || copies->wait_epoch != watch->epoch)
        return grain->copy_group <= arrived;
    if (grain->writer / SIM_WARP_SIZE != warp)
        arrived = copies->arrived_earlier;
    else if (copies->wait_turn == watch->turn[warp])
        arrived = copies->arrived_last_turn;
    return grain->copy_group <= arrived;
}
