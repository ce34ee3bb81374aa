/* shared_memory.h - anonymous memory that another process can map, too.
 *
 * It is sealed: nobody can change its size, so that no other process can make this one's next access a SIGBUS.  */
#ifndef HARNESS_SESSION_SHARED_MEMORY_H
#define HARNESS_SESSION_SHARED_MEMORY_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

typedef struct SharedMemory { /* {0} is none */
    uint8_t *base;            /* NULL: none */
    size_t bytes;
    int descriptor; /* closed on exec */
} SharedMemory;

/* Filled with zeros. `name` is for /proc/self/maps. */
MUST_USE Status shared_memory_new(const char *name, size_t bytes, SharedMemory *memory, Message *why);
/* Unmaps it, closes the descriptor, leaves none. Accepts none. */
void shared_memory_free(SharedMemory *memory);

#endif
