/* device_memory.h - functions of C for memory, in kernels: those of the heap, with which clang's own header in front of
 * <new> defines `new` and `delete`, and copies. Source: PTX Interoperability 13.0, "System Calls".  */
#ifndef CONVJUDGE_DEVICE_MEMORY_H
#define CONVJUDGE_DEVICE_MEMORY_H

#include "host_defines.h"

#include <stddef.h>

extern "C" __device__ void *malloc(size_t bytes);
extern "C" __device__ void free(void *pointer);

static __device__ __forceinline__ void *memcpy(void *to, const void *from, size_t bytes)
{
    return __builtin_memcpy(to, from, bytes);
}

static __device__ __forceinline__ void *memset(void *to, int value, size_t bytes)
{
    return __builtin_memset(to, value, bytes);
}

#include <new>

#endif
