#include "harness/runtime/attach.h"

#include "harness/runtime/turn.h"

#include <string.h>

static RingMemory *ring;
static uint32_t commands_seen;

/* Nothing is mapped in the range of device addresses except managed memory: host code that follows a device pointer ends
 * with a segmentation fault, as on a real GPU. Linux gives out addresses from the top of the address space down, and the
 * runner's limit ends it long before it would come to that range (harness/session/runner_process.c). Reserving the range
 * would make that limit useless. */
bool convjudge_attach(int ring_descriptor)
{
    ring = ring_map(ring_descriptor);
    client_begin(ring);
    client_on_turn(turn_take);
    return ring != NULL;
}

RingFault *convjudge_fault(void)
{
    return &ring->fault;
}

void convjudge_loading(void)
{
    client_call_body(RING_LOADING, NULL, 0, NULL, 0, NULL);
}

void convjudge_loaded(const char *error)
{
    if (error == NULL)
        client_post(RING_READY, NULL, 0, NULL, 0);
    else
        client_post(RING_LOAD_FAILED, error, strnlen(error, RING_MAX_LOAD_ERROR), NULL, 0);
}

bool convjudge_next_call(unsigned long long *words, size_t count)
{
    RingCommand command;
    ring_await_command(ring, commands_seen++, &command);
    for (size_t i = 0; i < count && i < SOLVE_MAX_WORDS; i++)
        words[i] = command.word[i];
    client_begin_call();
    return command.is_untimed != 0;
}

/* Copies from pinned memory that wait are made now: afterwards this process does not serve the broker any more. */
void convjudge_returned(void)
{
    turns_settle();
    client_post(RING_RETURNED, NULL, 0, NULL, 0);
}

void convjudge_memory_refused(void)
{
    client_post(RING_NOTE_MEMORY, NULL, 0, NULL, 0);
}
