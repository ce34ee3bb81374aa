/* counters.h - sums of SimCounters, which hold nothing but numbers of events.  */
#ifndef SIMGPU_BLOCK_COUNTERS_H
#define SIMGPU_BLOCK_COUNTERS_H

#include "simgpu/block/worker.h"

/* What was gained since the counters were `before`. */
SimCounters counters_gained(const SimCounters *now, const SimCounters *before);
/* The instructions that a basic block holds of one line, as often as the block ran. */
void counters_add_executed(SimCounters *sum, const BlockLine *part, const Executed *executed);

#endif
