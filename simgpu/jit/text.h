/* text.h - the expressions of opcodes.def as C.  */
#ifndef SIMGPU_JIT_TEXT_H
#define SIMGPU_JIT_TEXT_H

#include "simgpu/jit/builder.h"

/* False where gcc would not vectorise a loop over it (in_lanes), or would fold constants differently from the
 * library. */
bool opcode_is_plain(Opcode opcode, bool in_lanes);
/* Writes the function that computes the opcode. */
void opcode_function(Text *text, Opcode opcode);
/* A call of that function. */
const char *call_text(Builder *b, Opcode opcode, const char *const *arguments);
/* Writes the headers with which all translations begin. */
void headers_text(Text *text);

#endif
