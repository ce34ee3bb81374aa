/* point.h - points, where a translation hands over to the interpreter.  */
#ifndef SIMGPU_JIT_TRANSLATE_POINT_H
#define SIMGPU_JIT_TRANSLATE_POINT_H

#include "simgpu/jit/translate/builder.h"

/* Adds a scalar to the point. Appends to `to`, unless it is NULL, the C that hands over the parts that are not
 * literals. */
void add_scalar(Builder *b, Text *to, Point *point, Operand operand, const Value *value);
/* A new point before `instruction`; gives back its index. Appends to `to` the C that hands over the scalars among
 * `values`: those in `only`; NULL: all that are read later. */
int new_point(Builder *b, Text *to, int32_t instruction, const Value *values, const Operand *only, int only_count);
/* The label of the code that returns to the interpreter at the start of the stretch. */
const char *leave_label(Builder *b);
/* Adds a test to the head of the stretch: unless the condition holds, the interpreter continues at its start. */
__attribute__((format(printf, 2, 3))) void require(Builder *b, const char *format, ...);

#endif
