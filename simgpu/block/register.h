/* register.h - reads and writes registers, which are slots of a worker's register file.  */
#ifndef SIMGPU_BLOCK_REGISTER_H
#define SIMGPU_BLOCK_REGISTER_H

#include "simgpu/block/active.h"
#include "simgpu/block/worker.h"
#include "simgpu/code/code.h"

/* ==== predicate =================================================================================================== */

/* The lanes in which a predicate holds. */

/* Sets `part` to the lanes of `active` in which a predicate holds; false where it holds in none. `part` may be
 * `active`. A predicate without a slot holds in all lanes. */
bool predicate_lanes(Worker *worker, const Active *active, Operand predicate, bool negated, Active *part);

/* ==== register ==================================================================================================== */

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

/* A register's values, for loops over lanes. Valid until somebody writes the register. */
typedef struct RegisterColumn {
    const unsigned char *lanes; /* NULL: no register, whose values are all 0 */
    uint8_t size;               /* log2 of a value's bytes */
    bool is_uniform;            /* all lanes have the value of lane 0 */
} RegisterColumn;

static inline RegisterColumn register_column(const Worker *worker, Operand operand)
{
    if (operand.slot == NO_SLOT)
        return (RegisterColumn){0};
    return (RegisterColumn){lane_of(worker, operand, 0), operand.size, worker->states[operand.slot] == UNIFORM};
}
static inline uint64_t column_value(RegisterColumn column, uint32_t lane)
{
    if (column.lanes == NULL)
        return 0;
    const void *at = column.lanes + ((size_t)(column.is_uniform ? 0 : lane) << column.size);
    switch (column.size) {
    case 0: return *(const uint8_t *)at;
    case 1: return *(const uint16_t *)at;
    case 2: return *(const uint32_t *)at;
    default: return *(const uint64_t *)at;
    }
}
static inline uint64_t register_value(const Worker *worker, Operand operand, uint32_t lane)
{
    return column_value(register_column(worker, operand), lane);
}

#endif
