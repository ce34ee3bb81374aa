/* fault.h - reports a fault, in one sentence that a programmer can act on.  */
#ifndef SIMGPU_BLOCK_FAULT_H
#define SIMGPU_BLOCK_FAULT_H

#include "simgpu/block/cluster.h"
#include "simgpu/block/launch.h"
#include "simgpu/code/code.h"

typedef struct Launch Launch;
typedef struct Worker Worker;

/* Ends the block with a fault, and always returns false. `format` is what the thread did, as in fault_describe(). */
__attribute__((format(printf, 6, 7))) bool worker_fault(Worker *worker, SimOutcome outcome, int file, int line,
                                                        uint32_t lane, const char *format, ...);
/* The same for an access to memory, `lanes` of which faulted; fills in all of SimFault. */
bool worker_access_fault(Worker *worker, const Instruction *instruction, SimOutcome outcome, SimSpace space,
                         bool is_store, uint32_t lane, uint64_t address, uint32_t bytes, uint64_t lanes);

/* The same for an access that `format` describes, to a space of which it says enough. */
__attribute__((format(printf, 7, 8))) bool worker_space_fault(Worker *worker, const Instruction *instruction,
                                                              SimOutcome outcome, SimSpace space, bool is_store,
                                                              uint32_t lane, const char *format, ...);
/* The same for an access to the shared memory of another block of the cluster that is not allowed. */
bool worker_cluster_fault(Worker *worker, const Instruction *instruction, SharedPlace why, bool is_store, uint32_t lane,
                          uint64_t address, uint32_t bytes);

/* A fault with the place of a thread alone; `lane` is its number in the block. */
SimFault fault_at(const Launch *launch, uint64_t block, uint32_t lane, int file, int line);
/* Writes the sentence: "kernel k: block (x,y,z), thread (x,y,z) WHAT (file:line)". */
void fault_describe(const Launch *launch, SimFault *fault, const char *what);
/* What lies at an address: "output[12]", "offset 104 of an allocation of 100 bytes (parameter 2), past its end", "byte
 * 8 of shared variable 'tile'". `origin` tells from what a global address is made; NULL: not known, so that the place is
 * told by the nearest allocation. */
void fault_describe_place(const Launch *launch, const Origin *origin, SimSpace space, uint64_t address, char *text,
                          size_t size);
/* "past the end of shared array 'tile'", "before the start of a local array"; false where the address lies within, or in
 * another space. The array is the one from which the address was made; where that is not known (NULL), the only shared
 * one of the kernel, or else all of shared or local memory. */
bool fault_describe_outside(const Launch *launch, const WindowVariable *known, SimSpace space, uint64_t address,
                            char *text, size_t size);
/* Which array an access has left. `origin` and `known` as above. */
SimLeft fault_left(const Launch *launch, const Origin *origin, const WindowVariable *known, SimSpace space,
                   uint64_t address);

#endif
