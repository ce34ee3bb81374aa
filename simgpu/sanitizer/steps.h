/* steps.h - notes in a footprint (simgpu/memory/footprint.h) which bytes of global memory a launch uses.  */
#ifndef SIMGPU_SANITIZER_STEPS_H
#define SIMGPU_SANITIZER_STEPS_H

#include "simgpu/block/active.h"
#include "simgpu/sanitizer/sanitizer_state.h"

/* The active lanes load or store `bytes` each, at the distances `relative` from `first`; in any space. */
void steps_access(const Worker *worker, const Instruction *instruction, PtxSpace space, bool is_store,
                  const Active *active, uint64_t first, const int32_t *relative, uint32_t bytes);
void steps_uniform_load(const Worker *worker, const Instruction *load, const Active *active, uint64_t address,
                        uint32_t bytes);
/* A bulk copy reads; stores the bytes at `values`, or combines them with what is there. */
void steps_bulk_load(const Worker *worker, uint64_t address, uint32_t bytes);
void steps_bulk_store(const Worker *worker, const Instruction *copy, uint64_t address, const unsigned char *values,
                      uint32_t bytes);
void steps_atomic(const Worker *worker, const Instruction *instruction, uint32_t lane, uint64_t address);

#endif
