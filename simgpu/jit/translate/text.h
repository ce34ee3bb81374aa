/* text.h - the expressions of opcodes.def as text.  */
#ifndef SIMGPU_JIT_TRANSLATE_TEXT_H
#define SIMGPU_JIT_TRANSLATE_TEXT_H

#include "simgpu/jit/translate/builder.h"

/* False where a loop around it is no vector code, or the compiler would compute constants in another way. */
bool opcode_is_plain(Opcode opcode, bool in_lanes);
void opcode_function(Text *text, Opcode opcode);
/* A call of opcode_function()'s function. */
const char *call_text(Builder *b, Opcode opcode, const char *const *arguments);
/* What all translations begin with. */
void headers_text(Text *text);

#endif
