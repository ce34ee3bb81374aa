#include "harness/runtime/turn.h"

#include "harness/runtime/address.h"
#include "harness/runtime/pinned.h"
#include "harness/runtime/stream.h"

#include <stdlib.h>

typedef struct Turn {
    uint64_t number;
    Place to, from;
    Box box;
    struct Turn *next;
} Turn;

static Turn *all_turns;

bool turn_is_possible(const void *host, size_t bytes, cudaStream_t stream)
{
    return client_has_turns() && stream_copy_wait(stream) == RING_STREAM_ORDER && pinned_holds(host, bytes);
}

bool turns_are_left(void)
{
    client_lock();
    bool are_left = all_turns != NULL;
    client_unlock();
    return are_left;
}

bool turn_keep(uint64_t number, Place to, Place from, Box box)
{
    Turn *turn = malloc(sizeof *turn);
    if (turn == NULL)
        return false;
    client_lock();
    *turn = (Turn){number, to, from, box, all_turns};
    all_turns = turn;
    client_unlock();
    return true;
}

static Turn *remove_turn(uint64_t number)
{
    Turn **link = &all_turns;
    while (*link != NULL && (*link)->number != number)
        link = &(*link)->next;
    Turn *found = *link;
    if (found != NULL)
        *link = found->next;
    return found;
}

/* Another turn may come first, and use the staging buffer. */
static cudaError_t make_copy(const Turn *turn)
{
    bool to_host = turn->to.pointer != NULL && !is_device_address(turn->to.pointer);
    Place staging = place_in_memory(client_staging(), turn->box.width_bytes, turn->box.height);
    cudaError_t error;
    do {
        if (!to_host)
            box_copy_on_host(staging, turn->from, turn->box);
        error = client_call(RING_TURN, (RingWords){{turn->number}}, NULL);
    } while (error == CLIENT_AGAIN);
    if (to_host && error == cudaSuccess)
        box_copy_on_host(turn->to, staging, turn->box);
    return error;
}

cudaError_t turn_take(uint64_t number)
{
    client_lock();
    Turn *turn = remove_turn(number);
    cudaError_t error = turn == NULL ? cudaErrorUnknown : make_copy(turn);
    client_unlock();
    free(turn);
    return error;
}

cudaError_t turns_settle(void)
{
    return turns_are_left() ? client_call(RING_SETTLE, (RingWords){{0}}, NULL) : cudaSuccess;
}
