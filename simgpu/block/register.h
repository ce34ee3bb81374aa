/* register.h - reads and writes registers, which are slots of a worker's register file.  */
#ifndef SIMGPU_BLOCK_REGISTER_H
#define SIMGPU_BLOCK_REGISTER_H

#include "simgpu/block/worker.h"

typedef struct Active Active;

/* What is known about the lanes of a slot. */
typedef enum SlotState {
    VARYING,
    UNIFORM, /* all lanes are equal, and only lane 0 holds the value */
    FILLED   /* all lanes are equal, and each holds the value */
} SlotState;

static inline unsigned char *lane_of(const Worker *worker, Operand operand, uint32_t lane)
{
    return worker->registers + (size_t)operand.unit * worker->capacity + ((size_t)lane << operand.size);
}
static inline bool is_uniform(const Worker *worker, Operand operand)
{
    return operand.slot == NO_SLOT || worker->states[operand.slot] != VARYING;
}
/* Makes a UNIFORM register FILLED. */
void register_fill(Worker *worker, Operand operand);
/* The values of a register from lane `first` on. */
static inline unsigned char *register_read(Worker *worker, Operand operand, uint32_t first)
{
    if (operand.slot == NO_SLOT)
        return NULL;
    if (worker->states[operand.slot] == UNIFORM)
        register_fill(worker, operand);
    return lane_of(worker, operand, first);
}
/* Where to write the results of the active lanes, from active->first on. `index` tells several results of one
 * instruction apart. register_written() must follow. */
unsigned char *register_write(Worker *worker, const Active *active, Operand operand, int index);
void register_written(Worker *worker, Active *active, Operand operand, int index);
/* Writes the same value in all active lanes. */
void register_write_all(Worker *worker, Active *active, Operand operand, const void *value);
uint64_t register_value(const Worker *worker, Operand operand, uint32_t lane);

#endif
