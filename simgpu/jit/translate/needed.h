/* needed.h - which slots hold a value that is read later.  */
#ifndef SIMGPU_JIT_TRANSLATE_NEEDED_H
#define SIMGPU_JIT_TRANSLATE_NEEDED_H

#include "simgpu/jit/translate/builder.h"

bool has_slot(const Operand *operands, int count, uint32_t slot);
/* Is the value that the slot holds before instruction `from` of the current block read there or later? */
bool is_needed(const Builder *b, uint32_t slot, int32_t from);
/* Fills in Builder.live_in; false where the kernel is too large. */
bool find_live(Builder *b);

#endif
