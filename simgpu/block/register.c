#include "simgpu/block/register.h"

#include "simgpu/block/active.h"

#include <string.h>

void register_fill(Worker *worker, Operand operand)
{
    unsigned char value[8];
    memcpy(value, lane_of(worker, operand, 0), (size_t)1 << operand.size);
    worker->lanes->fill[operand.size](lane_of(worker, operand, 0), value, worker->launch->threads);
    worker->states[operand.slot] = FILLED;
}

unsigned char *register_write(Worker *worker, const Active *active, Operand operand, int index)
{
    size_t lane_bytes = (size_t)1 << operand.size;
    if (operand.slot == NO_SLOT || !active->full)
        return worker->scratch + (size_t)index * sizeof(uint64_t) * worker->capacity + active->first * lane_bytes;
    if (!active->whole && worker->states[operand.slot] == UNIFORM)
        register_fill(worker, operand);
    worker->states[operand.slot] = VARYING;
    return lane_of(worker, operand, active->first);
}

void register_written(Worker *worker, Active *active, Operand operand, int index)
{
    if (operand.slot == NO_SLOT || active->full)
        return;
    unsigned char *lanes = register_read(worker, operand, active->first);
    const unsigned char *results = register_write(worker, active, operand, index);
    worker->lanes->blend[operand.size](lanes, results, active_mask(worker, active), active->end - active->first);
    worker->states[operand.slot] = VARYING;
}

void register_write_all(Worker *worker, Active *active, Operand operand, const void *value)
{
    if (active->whole) {
        memcpy(lane_of(worker, operand, 0), value, (size_t)1 << operand.size);
        worker->states[operand.slot] = UNIFORM;
        return;
    }
    unsigned char *lanes = register_write(worker, active, operand, 0);
    worker->lanes->fill[operand.size](lanes, value, active->end - active->first);
    register_written(worker, active, operand, 0);
}

uint64_t register_value(const Worker *worker, Operand operand, uint32_t lane)
{
    return column_value(register_column(worker, operand), lane);
}
