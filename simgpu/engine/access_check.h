/* access_check.h - checks that an access lies within its memory and is aligned, to the byte.  */
#ifndef SIMGPU_ENGINE_ACCESS_CHECK_H
#define SIMGPU_ENGINE_ACCESS_CHECK_H

#include "simgpu/engine/access_pattern.h"

/* Checks an access to global or constant memory, or to memory with a window of its own; false where a fault ended the
 * block. */
bool access_check_global(Worker *worker, const Access *access, const Active *active);
bool access_check_window(Worker *worker, const Access *access, const Active *active);
/* Size of the window of the access's space. */
uint64_t access_window_bytes(const Worker *worker, const Access *access);

#endif
