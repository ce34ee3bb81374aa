/* prove.h - proves that accesses of a translation are allowed, computes what they cost, and measures irregular
 * axes.  */
#ifndef SIMGPU_JIT_PROVE_H
#define SIMGPU_JIT_PROVE_H

#include "simgpu/jit/jit_state.h"

/* Frame.prove and Frame.measure. */
s32 prove_access(Frame *frame, s32 number, u64 first, s64 x, s64 y, s64 z, s64 w, s32 on);
u64 measure_axis(Frame *frame, s32 number, const void *lanes, s32 bytes);
/* A block of threads begins whose loads are traced (Worker.trace): each load must come through prove_access(). */
void ask_for_loads(Worker *worker);

#endif
