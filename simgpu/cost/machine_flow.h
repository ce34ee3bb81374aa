/* machine_flow.h - which stretches of a kernel's machine code (machine_program.h) run at least as often as others.
 *
 * Theory   a stretch that every way to another one passes runs at least as often as that one: it dominates the other.
 *          So does a stretch that every way onwards passes: it postdominates the other. Both hold within the innermost
 *          loop around the other stretch. For postdominators, the way back to the start of a loop counts as a way to
 *          where the loop is left.
 * Bounds   branches over a table are ways to the end of the kernel here, and the search is given up where it takes too
 *          long. Then fewer stretches are known to run as often as others.
 * Source   Cooper, Harvey, Kennedy, A Simple, Fast Dominance Algorithm (2001); loops: Havlak, Nesting of Reducible and
 *          Irreducible Loops (1997).  */
#ifndef SIMGPU_COST_MACHINE_FLOW_H
#define SIMGPU_COST_MACHINE_FLOW_H

#include "simgpu/cost/machine_instruction.h"

enum { FLOW_NONE = -1 };

typedef struct MachineFlow {
    int32_t count;                      /* stretches */
    int32_t *dominator, *postdominator; /* [2 count + 1] the nearest one; numbers from `count` on are no stretches */
    int32_t *loop;                      /* [count] first stretch of the innermost loop around it */
    int32_t *outer;                     /* [count] of a loop's first stretch: that of the loop around the loop */
} MachineFlow;

void machine_flow_find(const MachineInstruction *instructions, size_t count, MachineFlow *flow);
void machine_flow_free(MachineFlow *flow);

/* runs[i] is a lower bound of how often stretch i ran. Raises the bounds that follow from others. */
void machine_flow_raise(const MachineFlow *flow, double *runs);

#endif
