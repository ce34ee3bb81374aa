/* lower_call.h - calls of device functions.
 *
 * A function is inlined at each of its calls. It becomes a procedure (code.h) instead where that cannot be: where it
 * may call itself, where a pointer may lead to it, or where calls are nested very deeply.  */
#ifndef SIMGPU_LOWER_LOWER_CALL_H
#define SIMGPU_LOWER_LOWER_CALL_H

#include "simgpu/lower/emit/parts.h"

void lower_call(Lowering *l, const OpcodeModifiers *parts);

/* Begins the code of a procedure: places its parameters, and finds its frame. */
void begin_procedure(Lowering *l, int number, Instance *instance);

#endif
