/* lower_mbarrier.h - barriers in shared memory: mbarrier.  */
#ifndef SIMGPU_LOWER_LOWER_MBARRIER_H
#define SIMGPU_LOWER_LOWER_MBARRIER_H

#include "simgpu/lower/emit/parts.h"

void lower_mbarrier(Lowering *l, const OpcodeModifiers *parts);
/* cp.async.mbarrier.arrive */
void lower_copy_arrival(Lowering *l, const OpcodeModifiers *parts);

#endif
