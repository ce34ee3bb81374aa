/* outcome.h - how a launch ended, and what went wrong if something did.  */
#ifndef SIMGPU_BLOCK_OUTCOME_H
#define SIMGPU_BLOCK_OUTCOME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum SimOutcome {
    SIM_OK = 0,
    SIM_BAD_LAUNCH,    /* grid, block or shared memory beyond the device's limits: nothing ran */
    SIM_UNSUPPORTED,   /* the kernel holds an instruction that is not implemented: nothing ran */
    SIM_BAD_CODE,      /* the kernel holds an instruction that PTX does not allow: nothing ran */
    SIM_OUT_OF_BOUNDS, /* an access outside of all allocations, of the block's shared or the thread's local memory */
    SIM_MISALIGNED,
    SIM_BAD_BARRIER,    /* a barrier that only a part of a warp, or not all of the block, reaches. As on hardware,
                         * a barrier does not wait for threads that have exited */
    SIM_UNSET_MBARRIER, /* a thread arrives at an mbarrier that nobody has initialised */
    SIM_NO_STACK,       /* calls are nested too deeply */
    SIM_BAD_HANDLE,     /* a pointer to a function, a texture, a surface or a tensor map that is none or does not fit,
                         * or free() of what malloc() has not given */
    SIM_TRAP,           /* a trap, or a failed assert() */
    SIM_TIME_LIMIT,     /* SimLaunch.warp_instructions is used up */
    SIM_CANCELLED,      /* simgpu_cancel() */
    SIM_ENGINES_DIFFER  /* SIM_TRANSLATE_COMPARED: a bug of this library, which fault.text describes */
} SimOutcome;

typedef enum SimSpace { SIM_GLOBAL, SIM_SHARED, SIM_LOCAL, SIM_CONSTANT, SIM_PARAMETER, SIM_SURFACE } SimSpace;

/* On which side of its array, or of all memory of its space, an access lies. */
typedef enum SimSide { SIM_SIDE_UNKNOWN, SIM_BEFORE, SIM_PAST } SimSide;

enum { SIM_NAME_BYTES = 64 };

/* The array that an access has left, as far as it is known. */
typedef struct SimLeft {
    SimSide side;
    bool is_freed;              /* the memory was an allocation once */
    char array[SIM_NAME_BYTES]; /* name of the variable, or label of the allocation; "": unknown */
    char kernel[SIM_NAME_BYTES];
    uint32_t parameter; /* of the kernel, from 1: it points to the array; 0: none does */
} SimLeft;

typedef struct SimFault {
    uint32_t block[3], thread[3];
    SimSpace space;
    bool is_store;
    uint64_t address; /* generic; for shared and local: the offset in the window; for surfaces: none */
    uint32_t bytes;
    SimLeft left;   /* of SIM_OUT_OF_BOUNDS and SIM_OUTSIDE_VARIABLE */
    char file[256]; /* source file and line, from -lineinfo; line 0: unknown */
    int line;
    uint64_t lanes; /* lanes of the fault's block that faulted in the same instruction */
    char text[400]; /* one sentence: what was accessed, where it lies, and the source line */
} SimFault;

#endif
