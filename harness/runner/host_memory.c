/* malloc() and its like, in front of the C library's: when memory is refused, the judge learns it, so that what follows
 * (mostly an abort or a null pointer) is called by its name. */
#include "harness/runtime/attach.h"

#include <stddef.h>

#pragma GCC visibility push(default)

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

static void *noted(void *memory, size_t size)
{
    if (memory == NULL && size != 0)
        convjudge_memory_refused();
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
