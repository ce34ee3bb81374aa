/* used_bytes.h - the bytes of a load that the kernel uses (Instruction.unused_bytes).  */
#ifndef SIMGPU_CODE_USED_BYTES_H
#define SIMGPU_CODE_USED_BYTES_H

#include "simgpu/code/code.h"

/* The number of bytes of a lane, of `bytes`, up to the last one that is used. */
static inline uint32_t end_of_used_bytes(const Instruction *access, uint32_t bytes)
{
    while (bytes > 0 && access->unused_bytes >> (bytes - 1) & 1)
        bytes--;
    return bytes;
}

/* Bytes [first, end) of a lane. */
typedef struct ByteRun {
    uint32_t first, end;
} ByteRun;

/* The first run of used bytes that begins at `from` or later; empty where there is none. */
static inline ByteRun next_used_bytes(const Instruction *access, uint32_t bytes, uint32_t from)
{
    ByteRun run = {.first = from};
    if (access->unused_bytes == 0)
        return (ByteRun){from, bytes};
    while (run.first < bytes && access->unused_bytes >> run.first & 1)
        run.first++;
    run.end = run.first;
    while (run.end < bytes && !(access->unused_bytes >> run.end & 1))
        run.end++;
    return run;
}

#endif
