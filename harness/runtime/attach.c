#include "harness/runtime/attach.h"

#include "harness/protocol/device_addresses.h"
#include "harness/runtime/client.h"

#include <string.h>
#include <sys/mman.h>

static RingMemory *ring;
static uint32_t commands_seen;

/* The reservation keeps host memory out of the range of device addresses. Host code that follows a device pointer ends
 * with a segmentation fault, as on a real GPU. */
bool convjudge_attach(int ring_descriptor)
{
    void *reserved = mmap((void *)DEVICE_BASE, DEVICE_SPAN, PROT_NONE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (reserved == MAP_FAILED)
        return false;
    ring = ring_map(ring_descriptor);
    client_begin(ring);
    return ring != NULL;
}

void convjudge_loaded(const char *error)
{
    if (error == NULL)
        client_post(RING_READY, NULL, 0, NULL, 0);
    else
        client_post(RING_LOAD_FAILED, error, strnlen(error, RING_MAX_LOAD_ERROR), NULL, 0);
}

void convjudge_next_call(unsigned long long *words, size_t count)
{
    RingCommand command;
    ring_await_command(ring, commands_seen++, &command);
    for (size_t i = 0; i < count && i < SOLVE_MAX_WORDS; i++)
        words[i] = command.word[i];
    client_begin_call();
}

void convjudge_returned(void)
{
    client_post(RING_RETURNED, NULL, 0, NULL, 0);
}

void convjudge_memory_refused(void)
{
    client_post(RING_NOTE_MEMORY, NULL, 0, NULL, 0);
}
