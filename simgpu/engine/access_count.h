/* access_count.h - counts what an access takes on hardware.  */
#ifndef SIMGPU_ENGINE_ACCESS_COUNT_H
#define SIMGPU_ENGINE_ACCESS_COUNT_H

#include "simgpu/engine/access_pattern.h"

/* Counts an access that is allowed, and tells the sanitizer of it. */
void access_count(Worker *worker, const Access *access, const Active *active);
/* Notes a load of the active lanes from global or constant memory for the model of the caches (simgpu/cost/reuse.h),
 * where the worker's block is one of those that the model follows. Addresses as in TracedLoad. */
void access_trace_load(Worker *worker, const Instruction *instruction, const Active *active, uint64_t first,
                       const int32_t *relative, uint32_t bytes);
/* Mean bytes requested per lane; 0: the instruction accesses no memory. */
uint32_t access_bytes_of_lane(const Instruction *instruction);

#endif
