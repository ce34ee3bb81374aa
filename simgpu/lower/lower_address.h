/* lower_address.h - conversions between generic addresses and addresses of one state space.  */
#ifndef SIMGPU_LOWER_LOWER_ADDRESS_H
#define SIMGPU_LOWER_LOWER_ADDRESS_H

#include "simgpu/lower/emit/parts.h"

void lower_convert_address(Lowering *l, const Parts *parts);
void lower_is_space(Lowering *l, const Parts *parts);

#endif
