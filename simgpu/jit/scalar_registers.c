#include "simgpu/jit/scalar_registers.h"

#include "simgpu/block/register.h"
#include "simgpu/jit/prove.h"

#include <string.h>

/* The value of a scalar in thread (x, y, z), irregular axis left out. */
static u64 row_base(const u64 part[PARTS], u32 y, u32 z, u32 x)
{
    return part[0] + part[1] * x + part[2] * y + part[3] * z;
}

/* Writes the value of each lane. */
static void spread(const Worker *worker, Operand operand, const u64 part[PARTS], const s32 *place)
{
    const Frame *frame = &worker->jit->frame;
    u32 from = frame->from[0], count = frame->to[0] - from;
    EACH_ROW(frame, worker->jit->translation->shape, row)
    worker->lanes->ramp[operand.size](lane_of(worker, operand, row + from), row_base(part, y, z, from), part[1],
                                      part[PARTS - 1], place + row + from, count);
}

/* Do the lanes hold these values? */
static bool is_spread(const Worker *worker, Operand operand, const u64 part[PARTS], const s32 *place)
{
    const Frame *frame = &worker->jit->frame;
    u32 from = frame->from[0], count = frame->to[0] - from;
    EACH_ROW(frame, worker->jit->translation->shape, row)
    if (!worker->lanes->is_ramp[operand.size](lane_of(worker, operand, row + from), row_base(part, y, z, from), part[1],
                                              part[PARTS - 1], place + row + from, count))
        return false;
    return true;
}

static const s32 no_places[MAX_THREADS];

static const s32 *places_of(const Worker *worker, const PointScalar *scalar)
{
    return scalar->axis >= 0 ? worker->jit->frame.axes[scalar->axis].place : no_places;
}

static bool is_uniform_part(const u64 part[PARTS])
{
    for (int i = 1; i < PARTS; i++)
        if (part[i] != 0)
            return false;
    return true;
}

static void put_scalar(Worker *worker, const PointScalar *scalar, const u64 part[PARTS])
{
    Operand operand = scalar->operand;
    if (worker->jit->active->whole && is_uniform_part(part)) {
        memcpy(lane_of(worker, operand, 0), &part[0], (size_t)1 << operand.size);
        worker->states[operand.slot] = UNIFORM;
        return;
    }
    if (worker->states[operand.slot] == UNIFORM && !worker->jit->active->whole)
        register_fill(worker, operand);
    worker->states[operand.slot] = VARYING;
    spread(worker, operand, part, places_of(worker, scalar));
}

void put_scalars(Worker *worker, const Point *point)
{
    for (int i = 0; i < point->scalar_count; i++) {
        const PointScalar *scalar = &point->scalars[i];
        u64 part[PARTS];
        const u64 *given = worker->jit->frame.scalars[scalar->operand.slot];
        for (int j = 0; j < PARTS; j++)
            part[j] = scalar->is_literal[j] ? scalar->literal[j] : given[j];
        put_scalar(worker, scalar, part);
    }
}

static u64 signed_step(Operand operand, u64 step)
{
    return operand.size == 2 ? (u64)(s64)(s32)step : step;
}

/* Reads the parts of the scalar. Steps that are not known in advance are the differences between the first lane and its
 * neighbours. */
static void take_steps(const Worker *worker, const PointScalar *scalar, u64 *part)
{
    const Frame *frame = &worker->jit->frame;
    const u32 *shape = worker->jit->translation->shape;
    const u32 strides[AXES] = {1, shape[0], shape[0] * shape[1]}, lane = first_lane(frame, shape);
    Operand operand = scalar->operand;
    u64 first = register_value(worker, operand, lane);
    for (int i = 0; i < AXES; i++) {
        bool has_next = frame->to[i] - frame->from[i] > 1;
        u64 step = has_next ? register_value(worker, operand, lane + strides[i]) - first : 0;
        part[1 + i] = scalar->is_literal[1 + i] ? scalar->literal[1 + i] : signed_step(operand, step);
    }
    part[PARTS - 1] = scalar->literal[PARTS - 1];
    part[0] = first;
    for (int i = 0; i < AXES; i++)
        part[0] -= part[1 + i] * frame->from[i];
    part[0] = operand.size == 3 ? part[0] : part[0] & ((1ull << (8u << operand.size)) - 1);
}

/* Makes the irregular axis of the scalar, if no other scalar has made it for this entry. */
static bool take_axis(Worker *worker, const PointScalar *scalar, const u64 part[PARTS])
{
    Frame *frame = &worker->jit->frame;
    const u32 *shape = worker->jit->translation->shape;
    Axis *axis = &frame->axes[scalar->axis];
    u64 *lanes = worker->addresses;
    s64 step = (s64)part[PARTS - 1];
    if (worker->jit->taken[scalar->axis])
        return axis->version != 0;
    worker->jit->taken[scalar->axis] = true;
    EACH_ROW(frame, shape, row)
    for (u32 x = frame->from[0]; x < frame->to[0]; x++) {
        u64 beyond = register_value(worker, scalar->operand, row + x) - row_base(part, y, z, x);
        s64 distance = (s64)signed_step(scalar->operand, beyond);
        if (distance % step != 0)
            return false;
        lanes[row + x] = (u64)(distance / step);
    }
    measure_axis(frame, scalar->axis, lanes, 8);
    return axis->version != 0;
}

/* May the scalar be a register that is the same in all lanes? */
static bool may_be_uniform(const PointScalar *scalar)
{
    if (scalar->axis >= 0)
        return false;
    for (int i = 1; i < PARTS; i++)
        if (scalar->is_literal[i] && scalar->literal[i] != 0)
            return false;
    return true;
}

static bool has_known_value(const PointScalar *scalar, const u64 part[PARTS])
{
    return !scalar->is_literal[0] || scalar->literal[0] == part[0];
}

bool take_scalar(Worker *worker, const PointScalar *scalar)
{
    Operand operand = scalar->operand;
    u64 *part = worker->jit->frame.scalars[operand.slot];
    if (scalar->axis >= 0 && (!scalar->is_literal[PARTS - 1] || scalar->literal[PARTS - 1] == 0))
        return false;
    if (worker->states[operand.slot] != VARYING && may_be_uniform(scalar)) {
        memset(part, 0, PARTS * sizeof *part);
        part[0] = register_value(worker, operand, 0);
        return has_known_value(scalar, part);
    }
    if (worker->states[operand.slot] == UNIFORM)
        register_fill(worker, operand);
    take_steps(worker, scalar, part);
    return has_known_value(scalar, part) && (scalar->axis < 0 || take_axis(worker, scalar, part)) &&
           is_spread(worker, operand, part, places_of(worker, scalar));
}

void open_lanes(Worker *worker, const Point *entry)
{
    const Translation *translation = worker->jit->translation;
    for (int i = 0; i < entry->lane_count; i++)
        if (worker->states[entry->lanes[i].slot] == UNIFORM)
            register_fill(worker, entry->lanes[i]);
    for (int i = 0; i < translation->varying_count; i++) {
        Operand operand = translation->varying[i];
        if (worker->states[operand.slot] == UNIFORM && !worker->jit->active->whole)
            register_fill(worker, operand);
        worker->states[operand.slot] = VARYING;
    }
}

void reopen_scalars(Worker *worker, const Point *point)
{
    for (int i = 0; i < point->scalar_count; i++) {
        Operand operand = point->scalars[i].operand;
        if (worker->states[operand.slot] == UNIFORM)
            register_fill(worker, operand);
        worker->states[operand.slot] = VARYING;
    }
}
