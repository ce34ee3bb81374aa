/* finding.h - undefined behaviour that the sanitizer has found in a kernel.  */
#ifndef SIMGPU_SANITIZER_FINDING_H
#define SIMGPU_SANITIZER_FINDING_H

#include "simgpu/block/outcome.h"

/* What a watched kernel did that is undefined in CUDA, though here it went some way. In a race two threads use the same
 * bytes with nothing that orders them, and at least one of them changes what is there: storing the value that is there
 * already is none, and neither are atomic operations among themselves. */
typedef enum SimFindingKind {
    SIM_RACE_OF_BLOCKS,   /* global memory, two blocks of the launch */
    SIM_RACE_OF_WARPS,    /* two warps of a block between its barriers */
    SIM_RACE_OF_LANES,    /* lanes that store different values with one instruction */
    SIM_RACE_WITH_COPY,   /* shared memory that a cp.async copies into: its thread has not waited for it or, where
                              * another one looks, there was no barrier after that */
    SIM_OUTSIDE_VARIABLE, /* from one shared variable into the next: within shared memory all the same */
    SIM_RACE_IN_WARP,     /* lanes of one warp without __syncwarp(): right as long as the warp stays together, which
                              * no hardware since Volta promises */
    SIM_UNINITIALISED,    /* a read of bytes that nothing has written */
    SIM_BAD_SHUFFLE,      /* the value of a lane that takes no part, which is undefined */
    SIM_MIXED_BARRIERS,   /* threads of a block wait for each other at different __syncthreads(): hardware, which only
                              * counts who comes, lets them pass; CUDA leaves it undefined */
    SIM_FINDING_KINDS
} SimFindingKind;

enum { SIM_MAX_FINDINGS = 8 };

typedef struct SimFinding {
    SimFindingKind kind;
    SimFault where; /* of the lowest block that did it; `lanes` counts how often its source line did */
} SimFinding;

#endif
