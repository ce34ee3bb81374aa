/* lower_bulk.h - bulk copies between global and shared memory: cp.async.bulk, cp.reduce.async.bulk.  */
#ifndef SIMGPU_LOWER_LOWER_BULK_H
#define SIMGPU_LOWER_LOWER_BULK_H

#include "simgpu/lower/emit/parts.h"

void lower_bulk(Lowering *l, const OpcodeModifiers *parts);

#endif
