/* access_move.h - moves data between registers and memory, for an access that has been checked.  */
#ifndef SIMGPU_ENGINE_ACCESS_MOVE_H
#define SIMGPU_ENGINE_ACCESS_MOVE_H

#include "simgpu/engine/access_pattern.h"

/* Moves data to or from memory that all lanes share, at access->host. */
void access_move(Worker *worker, const Access *access, Active *active);
/* Moves data to or from local memory, in which each lane has a frame of its own. */
void access_move_local(Worker *worker, const Access *access, Active *active);

#endif
