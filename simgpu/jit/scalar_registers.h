/* scalar_registers.h - moves scalars between the register file of the interpreter and a translation.  */
#ifndef SIMGPU_JIT_SCALAR_REGISTERS_H
#define SIMGPU_JIT_SCALAR_REGISTERS_H

#include "simgpu/jit/jit_state.h"

/* Writes the scalars of a point from the frame to the register file. */
void put_scalars(Worker *worker, const Point *point);
/* Reads a scalar from the register file into the frame; false where the lanes do not have the form that is expected. */
bool take_scalar(Worker *worker, const PointScalar *scalar);
/* Makes the registers that the translation reads or may write lane by lane hold a value in each lane. */
void open_lanes(Worker *worker, const Point *entry);
/* Does so again for the scalars of a point, which put_scalars() may have stored once for all lanes. */
void reopen_scalars(Worker *worker, const Point *point);

#endif
