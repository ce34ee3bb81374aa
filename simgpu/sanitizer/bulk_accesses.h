/* bulk_accesses.h - tells the sanitizer what bulk copies read and write: where one begins, and where it arrives at its
 * mbarrier.
 *
 * A bulk copy reads and writes at any time between its beginning and its end. A thread may use what it has copied into
 * shared memory once the thread has waited for the phase of the mbarrier that the copy ends, or for somebody who has. It
 * may change what the copy reads there once the thread that began the copy has waited for its group, and the others for
 * that thread.
 *
 * Source   PTX ISA 9.0, Data Movement and Conversion Instructions: cp.async.bulk, cp.async.bulk.wait_group.  */
#ifndef SIMGPU_SANITIZER_BULK_ACCESSES_H
#define SIMGPU_SANITIZER_BULK_ACCESSES_H

#include "simgpu/sanitizer/sanitizer.h"

/* All are called only where worker->sanitizer is not NULL, for accesses that are allowed. A copy of `lane` reads global
 * memory; stores the bytes at `values` there, or combines them with what is there (Instruction.count). */
void bulk_reads_global(Worker *worker, const Instruction *copy, uint32_t lane, uint64_t address, uint32_t bytes);
void bulk_writes_global(Worker *worker, const Instruction *copy, uint32_t lane, uint64_t address,
                        const unsigned char *values, uint32_t bytes);
/* It reads shared memory of the block, and belongs to a group of its thread; or fills it, and arrives at an mbarrier. */
void bulk_reads_shared(Worker *worker, const Instruction *copy, uint32_t lane, uint64_t offset, uint32_t bytes);
void bulk_writes_shared(Worker *worker, const Instruction *copy, uint32_t lane, uint64_t offset, uint32_t bytes,
                        uint64_t mbarrier);
/* It fills shared memory of `owner`, another block of the cluster. */
void bulk_writes_far(Worker *owner, uint64_t offset, uint32_t bytes);
/* It has ended a phase of the mbarrier at an offset of `owner`'s shared memory. */
void bulk_ends_phase(const Worker *worker, Worker *owner, uint64_t mbarrier);

#endif
