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
    SIM_OUT_OF_BOUNDS, /* an access outside every allocation, the block's shared, or the thread's local memory */
    SIM_MISALIGNED,
    SIM_BAD_BARRIER,   /* bar.sync that only a part of a warp, or not all of the block, reaches; threads that have
                         * exited are not waited for, as on hardware */
    SIM_TRAP,          /* trap, or a failed device assert */
    SIM_TIME_LIMIT,    /* the budget of warp-instructions is spent */
    SIM_CANCELLED,     /* simgpu_cancel() */
    SIM_ENGINES_DIFFER /* SIM_TRANSLATE_COMPARED: a mistake in this library, which fault.text describes */
} SimOutcome;

typedef enum SimSpace { SIM_GLOBAL, SIM_SHARED, SIM_LOCAL, SIM_CONSTANT, SIM_PARAMETER } SimSpace;

typedef struct SimFault {
    uint32_t block[3], thread[3];
    SimSpace space;
    bool is_store;
    uint64_t address; /* generic; for shared and local: the offset in the window */
    uint32_t bytes;
    char file[256]; /* source file and line, from -lineinfo; line 0: unknown */
    int line;
    uint64_t lanes; /* how many lanes faulted in the block that met the fault first */
    char text[400]; /* one sentence: what, where, and beside which allocation */
} SimFault;

#endif
