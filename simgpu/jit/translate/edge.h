/* edge.h - the values that one basic block passes to the next.  */
#ifndef SIMGPU_JIT_TRANSLATE_EDGE_H
#define SIMGPU_JIT_TRANSLATE_EDGE_H

#include "simgpu/jit/translate/builder.h"

/* Merges the current values into those at the entry of `target`, and queues it if these change. Where two predecessors
 * disagree on a literal, it becomes a variable; where only one has a scalar, the register varies. */
void join_edge(Builder *b, int32_t target);
/* Does so for all successors of the current block. */
void join_successors(Builder *b);
/* Writes the jump to `target`, with the moves that give it the values it expects; in a dry run, join_edge(). */
void go_to(Builder *b, Text *to, int32_t target);

#endif
