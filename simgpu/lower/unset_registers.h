/* unset_registers.h - finds uses of registers that the kernel has not set.
 *
 * A register may be unset where some path from the kernel's entry reaches a use of it and does not assign it. Often no
 * thread takes that path, or the value is thrown away afterwards. So each such register, and each one that is computed
 * from it, gets a mark: a register of 32 bits that is zero where the value is defined. Marks are computed by ordinary
 * lane operations, and a CHECK_SET looks at them where a value leaves the registers: as an address, as a value that is
 * stored or handed to other lanes, or as the condition of a branch. Most kernels have no such registers, and stay as
 * they are.
 *
 * nvcc may also replace an unset float that it adds or multiplies by the constant NaN. A lane operation that takes NaN
 * as a constant is a use of an unset variable, because nvcc computes a NaN that the source contains by itself.
 *
 * Not found  What nvcc decides for itself: it may assume any value for an unset variable, and remove what depends on
 *            it. Marks do not follow values through memory, and an operation counts as using all its sources, except
 *            for selections and for `and` and `or` of predicates. */
#ifndef SIMGPU_LOWER_UNSET_REGISTERS_H
#define SIMGPU_LOWER_UNSET_REGISTERS_H

#include "simgpu/lower/lowering.h"

/* Adds marks and checks to the code, and fills in Code.unset. Unset registers get the byte that fills memory which
 * nothing has written. */
void mark_unset_registers(Lowering *l);

#endif
