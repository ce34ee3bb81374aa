/* lower_bulk.h - barriers in shared memory: mbarrier.  */
#ifndef SIMGPU_LOWER_LOWER_BULK_H
#define SIMGPU_LOWER_LOWER_BULK_H

#include "simgpu/lower/lowering.h"

/* ==== lower copy async ============================================================================================ */

/* Asynchronous copies from global to shared memory: cp.async. */

void lower_cp(Lowering *l, const OpcodeModifiers *parts);

/* ==== lower mbarrier ============================================================================================== */

void lower_mbarrier(Lowering *l, const OpcodeModifiers *parts);
/* cp.async.mbarrier.arrive */
void lower_copy_arrival(Lowering *l, const OpcodeModifiers *parts);

#endif
