/* liveness.h - which registers are read later.  */
#ifndef SIMGPU_JIT_TRANSLATE_LIVENESS_H
#define SIMGPU_JIT_TRANSLATE_LIVENESS_H

#include "simgpu/jit/translate/builder.h"

bool has_slot(const Operand *operands, int count, uint32_t slot);
/* Is what the slot holds before instruction `from` of the block read by anyone later? */
bool is_needed(const Builder *b, uint32_t slot, int32_t from);
/* Fills in Builder.live_in. */
void find_live(Builder *b);

#endif
