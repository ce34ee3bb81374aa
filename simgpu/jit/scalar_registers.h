/* scalar_registers.h - scalars on their way between the register file and a translation.  */
#ifndef SIMGPU_JIT_SCALAR_REGISTERS_H
#define SIMGPU_JIT_SCALAR_REGISTERS_H

#include "simgpu/jit/jit_state.h"

/* Writes the scalars of a point to the register file. */
void put_scalars(Worker *worker, const Point *point);
/* Reads a scalar from the register file; false where the lanes hold none of the form that is expected. */
bool take_scalar(Worker *worker, const PointScalar *scalar);
/* Registers that the translation may write lane by lane, and those it reads in this way, hold a value in each. */
void open_lanes(Worker *worker, const Point *entry);
/* Does so again for the scalars of a point: the translation may write them lane by lane next. */
void reopen_scalars(Worker *worker, const Point *point);

#endif
