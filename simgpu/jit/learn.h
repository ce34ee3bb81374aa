/* learn.h - how the addresses of an access relate, what that allows and costs, and where lanes stand on irregular axes.  */
#ifndef SIMGPU_JIT_LEARN_H
#define SIMGPU_JIT_LEARN_H

#include "simgpu/jit/jit_state.h"

/* Frame.learn and Frame.measure. */
s32 learn_access(Frame *frame, s32 number, u64 first, s64 x, s64 y, s64 z, s64 w, s32 on);
u64 measure_axis(Frame *frame, s32 number, const void *lanes, s32 bytes);
/* A block of threads begins whose loads are traced (worker->trace). */
void ask_for_loads(Worker *worker);

#endif
