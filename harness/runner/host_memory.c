#include "harness/runner/host_memory.h"

#include <malloc.h>
#include <stddef.h>

static void (*note_refusal)(void);

void host_memory_on_refusal(void (*note)(void))
{
    note_refusal = note;
}

void host_memory_scribble(bool scribbles)
{
    static const int FREED_BYTE = 0x01; /* new memory gets the complement */
    static bool does_now;
    if (scribbles != does_now)
        (void)mallopt(M_PERTURB, scribbles ? FREED_BYTE : 0);
    does_now = scribbles;
}

#pragma GCC visibility push(default)

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

static void *noted(void *memory, size_t size)
{
    if (memory == NULL && size != 0 && note_refusal != NULL)
        note_refusal();
    return memory;
}

void *malloc(size_t size)
{
    return noted(__libc_malloc(size), size);
}

void *calloc(size_t count, size_t size)
{
    return noted(__libc_calloc(count, size), count);
}

void *realloc(void *old, size_t size)
{
    return noted(__libc_realloc(old, size), size);
}
