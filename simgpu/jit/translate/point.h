/* point.h - places where a translation hands over to the interpreter.  */
#ifndef SIMGPU_JIT_TRANSLATE_POINT_H
#define SIMGPU_JIT_TRANSLATE_POINT_H

#include "simgpu/jit/translate/builder.h"

/* Adds a scalar to the point; `to`, where not NULL, gets the C that hands over its parts. */
void add_scalar(Builder *b, Text *to, Point *point, Operand operand, const Value *value);
/* A place to go on at in the interpreter, and in `to` what puts the scalars there: those of `only`, or NULL: all that
 * are needed. */
int new_point(Builder *b, Text *to, int32_t instruction, const Value *values, const Operand *only, int only_count);
/* A label to leave the stretch by before it has done anything. */
const char *leave_label(Builder *b);
/* Leaves the stretch before it has done anything, unless the condition holds. */
__attribute__((format(printf, 2, 3))) void demand(Builder *b, const char *format, ...);

#endif
