/* lower_convert.h - conversions and moves.  */
#ifndef SIMGPU_LOWER_LOWER_CONVERT_H
#define SIMGPU_LOWER_LOWER_CONVERT_H

#include "simgpu/lower/lowering.h"

void lower_cvt(Lowering *l, const OpcodeModifiers *parts);
void lower_mov(Lowering *l, const OpcodeModifiers *parts);

#endif
