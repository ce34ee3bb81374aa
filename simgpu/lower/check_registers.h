/* check_registers.h - a pass over the finished code that finds registers of another size than engines touch.  */
#ifndef SIMGPU_LOWER_CHECK_REGISTERS_H
#define SIMGPU_LOWER_CHECK_REGISTERS_H

#include "simgpu/lower/emit/lowering.h"

/* Refuses the kernel if an instruction reads or writes more or fewer bytes of a register than it has. emit/operand.h
 * lets no operand of PTX come to that; this catches a mistake of simgpu/lower itself, for which the engines, that trust
 * the sizes, would read and write other registers. The message then holds REGISTER_MISUSE. */
void check_registers(Lowering *l);

#define REGISTER_MISUSE "a register of another size than its operation's"

#endif
