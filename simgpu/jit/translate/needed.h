/* needed.h - which registers are read later.  */
#ifndef SIMGPU_JIT_TRANSLATE_NEEDED_H
#define SIMGPU_JIT_TRANSLATE_NEEDED_H

#include "simgpu/jit/translate/builder.h"

bool has_slot(const Operand *operands, int count, uint32_t slot);
/* Is what the slot holds before instruction `from` of the block read by anyone later? */
bool is_needed(const Builder *b, uint32_t slot, int32_t from);
/* Fills in Builder.live_in; false where the kernel is too large. */
bool find_live(Builder *b);

#endif
