/* bulk_copy.h - bulk copies: cp.async.bulk, and how a thread waits for them.
 *
 * A copy ends as late as it may: when a thread waits for its group, when no thread of the block can go on without it, or
 * when the block ends. So a program that does not wait for a copy uses what was there before.  */
#ifndef SIMGPU_ENGINE_BULK_COPY_H
#define SIMGPU_ENGINE_BULK_COPY_H

#include "simgpu/block/active.h"
#include "simgpu/code/code.h"

/* Ends one copy of the block that is under way; false where there is none. */
bool bulk_copy_end_one(Worker *worker);
/* Ends all copies of the block. */
void bulk_copy_end_all(Worker *worker);
void bulk_copies_free(Worker *worker);

#endif
