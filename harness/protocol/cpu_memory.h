/* cpu_memory.h - the memory that the judge shares with a process that runs a CPU baseline: one CpuMemory, and from its
 * next page on the arrays of solve(). It is sealed: neither side can cut it off.
 *
 *     runner: phase READY      the object is loaded; or REFUSED, with the reason in `error`
 *     judge:  phase CALL       words filled in
 *     runner: phase RETURNED   solve() has returned
 *
 * `phase` is a futex word; whoever changes it wakes the other. Nothing in here is trusted by the judge: it holds what a
 * submission may write anyway.  */
#ifndef HARNESS_PROTOCOL_CPU_MEMORY_H
#define HARNESS_PROTOCOL_CPU_MEMORY_H

#include "harness/protocol/solve.h"

#include <linux/futex.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { CPU_PAGE_BYTES = 4096 };

enum CpuPhase { CPU_STARTING, CPU_READY, CPU_REFUSED, CPU_CALL, CPU_RETURNED };

typedef struct CpuWord { /* one parameter of solve() */
    uint64_t is_array;
    uint64_t value; /* the parameter itself; of an array its offset in the memory */
} CpuWord;

typedef struct CpuMemory {
    _Atomic uint32_t phase;
    uint32_t word_count;
    CpuWord words[SOLVE_MAX_WORDS];
    char error[400]; /* terminated by the judge */
} CpuMemory;

_Static_assert(sizeof(CpuMemory) <= CPU_PAGE_BYTES, "the arrays begin on the second page");

/* Changes the phase, and wakes who waits for that. */
static inline void cpu_phase_set(CpuMemory *memory, uint32_t phase)
{
    atomic_store(&memory->phase, phase);
    syscall(SYS_futex, &memory->phase, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* Waits until the phase is no longer `phase`, at most `seconds` (below 0: for ever), or a little less for no reason. */
static inline void cpu_phase_wait(CpuMemory *memory, uint32_t phase, double seconds)
{
    struct timespec time = {.tv_sec = (time_t)seconds, .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};
    if (atomic_load(&memory->phase) == phase)
        syscall(SYS_futex, &memory->phase, FUTEX_WAIT, phase, seconds < 0 ? NULL : &time, NULL, 0);
}

#endif
