/* edge.h - what is known of the registers on the way from one basic block to the next.  */
#ifndef SIMGPU_JIT_TRANSLATE_EDGE_H
#define SIMGPU_JIT_TRANSLATE_EDGE_H

#include "simgpu/jit/translate/builder.h"

/* Tells `target` what to expect, now that it is reached from the current block as well. */
void join_edge(Builder *b, int32_t target);
void join_successors(Builder *b);
/* Writes the jump to `target`, with the moves that give it the values it expects. */
void go_to(Builder *b, Text *to, int32_t target);

#endif
