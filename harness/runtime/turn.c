#include "harness/runtime/turn.h"

#include <stdlib.h>

typedef struct Turn {
    uint64_t number;
    Place to, from; /* one of the two is host memory: */
    bool to_host;
    Box box;
    struct Turn *next;
} Turn;

static Turn *all_turns;

bool turns_are_left(void)
{
    client_lock();
    bool are_left = all_turns != NULL;
    client_unlock();
    return are_left;
}

bool turn_keep(uint64_t number, Place to, Place from, bool to_host, Box box)
{
    Turn *turn = malloc(sizeof *turn);
    if (turn == NULL)
        return false;
    client_lock();
    *turn = (Turn){number, to, from, to_host, box, all_turns};
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
    Place staging = place_in_memory(client_staging(), turn->box.width_bytes, turn->box.height);
    cudaError_t error;
    do {
        if (!turn->to_host)
            place_copy_on_host(staging, turn->from, turn->box);
        error = client_call(RING_TURN, (RingWords){{turn->number}}, NULL);
    } while (error == CLIENT_AGAIN);
    if (turn->to_host && error == cudaSuccess)
        place_copy_on_host(turn->to, staging, turn->box);
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
