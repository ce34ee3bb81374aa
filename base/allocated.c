#include "base/allocated.h"

#include <stdio.h>
#include <stdlib.h>

void out_of_memory(void)
{
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
    return allocated(calloc(count + 1, size));
}
