/* access_move.h - moves data between registers and memory, for an access that has been checked.  */
#ifndef SIMGPU_ENGINE_ACCESS_MOVE_H
#define SIMGPU_ENGINE_ACCESS_MOVE_H

#include "simgpu/engine/access_pattern.h"

/* Of memory that all lanes share, from access->host on. */
void access_move(Worker *worker, const Access *access, Active *active);
/* Of local memory, in which each lane has a frame of its own. */
void access_move_local(Worker *worker, const Access *access, Active *active);

#endif
