/* function.h - what is known about a kernel before it runs.  */
#ifndef SIMGPU_CODE_FUNCTION_H
#define SIMGPU_CODE_FUNCTION_H

#include "simgpu/code/code.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ==== warp ======================================================================================================== */

/* How many lanes a warp has, on every GPU that there is. */

enum { SIM_WARP_SIZE = 32 };

/* ==== atomic value ================================================================================================ */

/* What an atomic operation makes of a word. */

/* What an atomic operation makes of the word `old` of 2^size bytes. */
uint64_t atomic_value(AtomicKind kind, uint32_t size, bool is_signed, uint64_t old, uint64_t b, uint64_t c);

/* ==== mbarrier word =============================================================================================== */

/* The 64-bit word of shared memory that is an mbarrier.
 *
 * Programs never look inside the word. Here, bits 0 to 19 count the arrivals that are still pending in this phase, bits
 * 20 to 40 the bytes of asynchronous copies that are still pending (a number with a sign: a copy may end before its bytes
 * are expected), bits 41 to 60 hold the arrivals that each phase expects, and bit 63 is the parity of the phase. A phase
 * ends when neither arrivals nor bytes are pending. Bits 61 and 62 tell an mbarrier from memory that nobody has initialised,
 * whose bytes are mostly others.
 *
 * Source   PTX ISA 9.0, Parallel Synchronization and Communication Instructions: mbarrier; its ranges are those of
 *          "Contents of the mbarrier object". */

enum { MBARRIER_BYTES_SHIFT = 20, MBARRIER_EXPECTED_SHIFT = 41 };

#define MBARRIER_COUNT 0xFFFFFull
#define MBARRIER_BYTES 0x1FFFFFull
#define MBARRIER_PARITY (1ull << 63)
#define MBARRIER_MARK (1ull << 61)

static inline bool mbarrier_is_set(uint64_t word)
{
    return (word >> 61 & 3) == 1;
}

/* The word after `arrivals`, when `bytes` more are pending. `drops`: the arrivals are not expected in later phases. */
static inline uint64_t mbarrier_after(uint64_t word, uint64_t arrivals, int64_t bytes, bool drops)
{
    uint64_t expected = ((word >> MBARRIER_EXPECTED_SHIFT) - (drops ? arrivals : 0)) & MBARRIER_COUNT;
    uint64_t pending = (word - arrivals) & MBARRIER_COUNT;
    uint64_t left = ((word >> MBARRIER_BYTES_SHIFT) + (uint64_t)bytes) & MBARRIER_BYTES;
    bool ends = pending == 0 && left == 0;
    uint64_t parity = (ends ? ~word : word) & MBARRIER_PARITY;
    return parity | MBARRIER_MARK | expected << MBARRIER_EXPECTED_SHIFT | left << MBARRIER_BYTES_SHIFT |
           (ends ? expected : pending);
}

/* ==== used bytes ================================================================================================== */

/* The bytes of a load that the kernel uses (Instruction.unused_bytes). */

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

/* ==== function ==================================================================================================== */

enum { SIM_MAX_NAME = 256 };

typedef struct SimFunctionInfo {
    char name[SIM_MAX_NAME];
    uint32_t parameter_count;
    uint32_t parameter_bytes;          /* of all parameters, with the gaps between them */
    const uint32_t *parameter_offsets; /* [parameter_count] */
    const uint32_t *parameter_sizes;   /* [parameter_count] */
    uint32_t registers;                /* 32-bit registers per thread */
    uint32_t
        live_registers; /* of PTX, values that a thread needs at the same time, in words: with fewer registers, it spills */
    bool registers_estimated; /* there is no cubin beside the PTX that says it; an estimate refuses no launch */
    uint32_t static_shared_bytes;
    uint32_t local_bytes;           /* .local memory per thread */
    uint32_t frame_bytes;           /* the same with spilled registers, from the cubin beside the PTX */
    uint32_t constant_bytes;        /* of the constant arrays that the kernel may read */
    bool has_unknown_code;          /* there is machine code, but no line table that relates it to the PTX */
    bool uniform_constant_loads;    /* as cubin_loads_constants_uniformly() says; false where there is no cubin */
    uint32_t max_threads_per_block; /* .maxntid, else the profile's limit */
    uint32_t cluster[3];            /* __cluster_dims__, in blocks; 0: none */
} SimFunctionInfo;

#endif
