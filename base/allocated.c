#include "base/allocated.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int agreed_status;

void out_of_memory_ends_with(int exit_status)
{
    agreed_status = exit_status;
}

void out_of_memory(void)
{
    if (agreed_status != 0)
        _exit(agreed_status);
    fputs("out of memory\n", stderr);
    exit(2);
}

void *allocated(void *memory)
{
    if (memory == NULL)
        out_of_memory();
    return memory;
}

void *zeroed(size_t count, size_t size)
{
    return allocated(calloc(count == 0 ? 1 : count, size)); /* calloc() may return NULL for nothing */
}
