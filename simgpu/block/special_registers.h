/* special_registers.h - writes the slots of constants and special registers.  */
#ifndef SIMGPU_BLOCK_SPECIAL_REGISTERS_H
#define SIMGPU_BLOCK_SPECIAL_REGISTERS_H

#include "simgpu/block/worker.h"

/* Those that stay the same for all blocks of the launch. */
void special_registers_begin_launch(Worker *worker);
/* Those that depend on worker->block. */
void special_registers_begin_block(Worker *worker);

#endif
