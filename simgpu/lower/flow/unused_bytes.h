/* unused_bytes.h - finds the bytes of a load that the kernel does not use.
 *
 * Of three neighbouring floats that a kernel reads, nvcc makes one load of four, and tells by a pragma that the last one
 * is not used. A kernel that loads a float4 itself may not use all of it either: then a register of the result is named
 * nowhere else.  */
#ifndef SIMGPU_LOWER_FLOW_UNUSED_BYTES_H
#define SIMGPU_LOWER_FLOW_UNUSED_BYTES_H

#include "simgpu/lower/emit/lowering.h"

/* [register] how often the function names it, where 2 stands for any number above 1; in the arena. */
const uint8_t *mentions_of_registers(const PtxFunction *function, Arena *arena);
/* Of the current instruction, which loads `count` elements of `bytes` each: a bit for each byte. Where no byte at all is
 * used the result is 0, because the compiler keeps such a load only where the source asks for it, as with volatile. */
uint32_t unused_bytes(const Lowering *l, int count, uint32_t bytes);

#endif
