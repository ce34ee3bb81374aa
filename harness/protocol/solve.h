/* solve.h - how a process calls solve() of a compiled object.
 *
 * The compiler adds a function SOLVE_SYMBOL to every object (harness/compile). It takes one word for each parameter of
 * solve(): an address, a sign-extended int, or the bits of a float.  */
#ifndef HARNESS_PROTOCOL_SOLVE_H
#define HARNESS_PROTOCOL_SOLVE_H

#include <linux/futex.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* ==== solve ======================================================================================================= */

#define SOLVE_SYMBOL "convjudge_call"

enum { SOLVE_MAX_WORDS = 16 };

typedef void SolveCall(const unsigned long long *words);

/* ==== cpu memory ================================================================================================== */

/* The memory that the judge shares with the process of a CPU baseline: a CpuMemory on the first page,
 * and the arrays of solve() from the second page on. It is sealed, so that neither side can change its size.
 *
 *     runner: phase LOADING    the object is about to be loaded, and its constructors to run
 *     runner: phase READY      the object is loaded; or REFUSED: it cannot be, and `error` says why
 *     judge:  phase CALL       the words are filled in
 *     runner: phase RETURNED   solve() has returned
 *
 * `phase` is a futex word; whoever changes it wakes the other side. The judge trusts nothing that it reads here. */

enum { CPU_PAGE_BYTES = 4096 };

enum CpuPhase { CPU_STARTING, CPU_LOADING, CPU_READY, CPU_REFUSED, CPU_CALL, CPU_RETURNED };

typedef struct CpuWord { /* one parameter of solve() */
    uint64_t is_array;   /* 1: `value` is the offset of an array in the memory; 0: it is the word itself */
    uint64_t value;
} CpuWord;

typedef struct CpuMemory {
    _Atomic uint32_t phase;
    uint32_t word_count;
    CpuWord words[SOLVE_MAX_WORDS];
    char error[400]; /* may lack its terminating zero: the judge adds one to its copy */
} CpuMemory;

_Static_assert(sizeof(CpuMemory) <= CPU_PAGE_BYTES, "the arrays begin on the second page");

/* Changes the phase, and wakes the other side if it waits for a change. */
static inline void cpu_phase_set(CpuMemory *memory, uint32_t phase)
{
    atomic_store(&memory->phase, phase);
    syscall(SYS_futex, &memory->phase, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* Waits until the phase is no longer `phase`, at most for `seconds` (negative: without limit). May return sooner. */
static inline void cpu_phase_wait(CpuMemory *memory, uint32_t phase, double seconds)
{
    struct timespec time = {.tv_sec = (time_t)seconds, .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};
    if (atomic_load(&memory->phase) == phase)
        syscall(SYS_futex, &memory->phase, FUTEX_WAIT, phase, seconds < 0 ? NULL : &time, NULL, 0);
}

#endif
