/* lower_address.h - conversions between generic addresses and addresses of one state space.  */
#ifndef SIMGPU_LOWER_LOWER_ADDRESS_H
#define SIMGPU_LOWER_LOWER_ADDRESS_H

#include "simgpu/lower/emit/parts.h"

void lower_convert_address(Lowering *l, const OpcodeModifiers *parts);
void lower_is_space(Lowering *l, const OpcodeModifiers *parts);
/* Which block of the cluster a shared address belongs to: mapa, getctarank. */
void lower_map_to_block(Lowering *l, const OpcodeModifiers *parts);
void lower_rank_of_address(Lowering *l, const OpcodeModifiers *parts);

#endif
