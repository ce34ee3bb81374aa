/* fetch.h - reads through textures, and accesses through surfaces.  */
#ifndef SIMGPU_ENGINE_FETCH_H
#define SIMGPU_ENGINE_FETCH_H

#include "simgpu/block/active.h"
#include "simgpu/code/code.h"

/* False where a fault ended the block. */
bool execute_texture(Worker *worker, const Instruction *instruction, Active *active);
bool execute_surface(Worker *worker, const Instruction *instruction, Active *active);

#endif
