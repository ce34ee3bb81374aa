/* lower_copy_async.h - asynchronous copies from global to shared memory: cp.async.  */
#ifndef SIMGPU_LOWER_LOWER_COPY_ASYNC_H
#define SIMGPU_LOWER_LOWER_COPY_ASYNC_H

#include "simgpu/lower/emit/parts.h"

void lower_cp(Lowering *l, const OpcodeModifiers *parts);

#endif
