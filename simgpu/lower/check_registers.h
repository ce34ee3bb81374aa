/* check_registers.h - a pass over the finished code that finds registers of another size than engines touch.  */
#ifndef SIMGPU_LOWER_CHECK_REGISTERS_H
#define SIMGPU_LOWER_CHECK_REGISTERS_H

#include "simgpu/lower/lowering.h"

/* ==== unused bytes ================================================================================================ */

/* Finds the bytes of a load that the kernel does not use.
 *
 * Of three neighbouring floats that a kernel reads, nvcc makes one load of four, and tells by a pragma that the last one
 * is not used. A kernel that loads a float4 itself may not use all of it either: then a register of the result is named
 * nowhere else. */

/* [register] how often the function names it, where 2 stands for any number above 1; in the arena. */
const uint8_t *mentions_of_registers(const PtxFunction *function, Arena *arena);
/* Of the current instruction, which loads `count` elements of `bytes` each: a bit for each byte. Where no byte at all is
 * used the result is 0, because the compiler keeps such a load only where the source asks for it, as with volatile. */
uint32_t unused_bytes(const Lowering *l, int count, uint32_t bytes);

/* ==== used results ================================================================================================ */

/* Finds the atomic operations whose old value is used. */

/* Fills in Instruction.uses_result. nvcc writes atom for atomicAdd() whether the old value is used or not. */
void mark_used_results(Lowering *l);

/* ==== check registers ============================================================================================= */

/* Refuses the kernel if an instruction reads or writes more or fewer bytes of a register than it has. emit/operand.h
 * lets no operand of PTX come to that; this catches a mistake of simgpu/lower itself, for which the engines, that trust
 * the sizes, would read and write other registers. The message then holds REGISTER_MISUSE. */
void check_registers(Lowering *l);

#define REGISTER_MISUSE "a register of another size than its operation's"

#endif
