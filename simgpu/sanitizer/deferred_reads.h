/* deferred_reads.h - reads of shared memory that are checked only if something changes there before the next
 * barrier.  */
#ifndef SIMGPU_SANITIZER_DEFERRED_READS_H
#define SIMGPU_SANITIZER_DEFERRED_READS_H

#include "simgpu/sanitizer/sanitizer_state.h"
#include "simgpu/sanitizer/shadow_cells.h"

DeferredReads *deferred_reads_new(void);
void deferred_reads_free(DeferredReads *deferred);
/* Defers a read; false where it must be checked at once. */
bool deferred_reads_add(Worker *worker, const SharedRead *read);
/* Enters the deferred reads into the shadow cells: before a read that is not deferred, and before lanes of a warp wait
 * for each other. */
void deferred_reads_apply(Sanitizer *sanitizer);
/* The same, and defers no more until the next barrier: shared memory is about to be changed. */
void deferred_reads_stop(Sanitizer *sanitizer);
/* Forgets the deferred reads: there was a barrier. */
void deferred_reads_drop(Sanitizer *sanitizer);

#endif
