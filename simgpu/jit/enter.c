#include "simgpu/jit/visit.h"

#include "base/allocated.h"
#include "simgpu/block/group.h"
#include "simgpu/block/register.h"
#include "simgpu/engine/interpreter.h"
#include "simgpu/sanitizer/watch.h"

#include <stdlib.h>
#include <string.h>

enum {
    TURNS = 256,      /* backward branches between looks at the limits */
    VISIT_COSTS = 24, /* in instructions of the interpreter: registers are taken over and put back */
    MOST_WORTH = 1000,
    LEAST_WORTH = -200,
    PAUSE = 1000
};

/* ---- registers --------------------------------------------------------------------------------------------------- */

/* What a scalar is at the beginning of a row. */
static u64 row_base(const u64 part[PARTS], u32 y, u32 z, u32 x)
{
    return part[0] + part[1] * x + part[2] * y + part[3] * z;
}

static void spread(const Worker *worker, Operand operand, const u64 part[PARTS], const s32 *place)
{
    const Frame *frame = &worker->visit->frame;
    u32 from = frame->from[0], count = frame->to[0] - from;
    EACH_ROW(frame, worker->visit->translation->shape, row)
    worker->lanes->ramp[operand.size](lane_of(worker, operand, row + from), row_base(part, y, z, from), part[1],
                                      part[PARTS - 1], place + row + from, count);
}

static bool is_spread(const Worker *worker, Operand operand, const u64 part[PARTS], const s32 *place)
{
    const Frame *frame = &worker->visit->frame;
    u32 from = frame->from[0], count = frame->to[0] - from;
    EACH_ROW(frame, worker->visit->translation->shape, row)
    if (!worker->lanes->is_ramp[operand.size](lane_of(worker, operand, row + from), row_base(part, y, z, from), part[1],
                                              part[PARTS - 1], place + row + from, count))
        return false;
    return true;
}

static const s32 no_places[MAX_THREADS];

static const s32 *places_of(const Worker *worker, const PointScalar *scalar)
{
    return scalar->axis >= 0 ? worker->visit->frame.axes[scalar->axis].place : no_places;
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
    if (worker->visit->active->whole && is_uniform_part(part)) {
        memcpy(lane_of(worker, operand, 0), &part[0], (size_t)1 << operand.size);
        worker->states[operand.slot] = UNIFORM;
        return;
    }
    if (worker->states[operand.slot] == UNIFORM && !worker->visit->active->whole)
        register_fill(worker, operand);
    worker->states[operand.slot] = VARYING;
    spread(worker, operand, part, places_of(worker, scalar));
}

static void put_scalars(Worker *worker, const Point *point)
{
    for (int i = 0; i < point->scalar_count; i++) {
        const PointScalar *scalar = &point->scalars[i];
        u64 part[PARTS];
        const u64 *given = worker->visit->frame.scalars[scalar->operand.slot];
        for (int j = 0; j < PARTS; j++)
            part[j] = scalar->is_literal[j] ? scalar->literal[j] : given[j];
        put_scalar(worker, scalar, part);
    }
}

static u64 signed_step(Operand operand, u64 step)
{
    return operand.size == 2 ? (u64)(s64)(s32)step : step;
}

/* The scalar's parts. Steps not known beforehand are what it grows by from the first lane to its neighbours. */
static void take_steps(const Worker *worker, const PointScalar *scalar, u64 *part)
{
    const Frame *frame = &worker->visit->frame;
    const u32 *shape = worker->visit->translation->shape;
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

/* Makes the irregular axis from the first scalar on it that is taken. */
static bool take_axis(Worker *worker, const PointScalar *scalar, const u64 part[PARTS])
{
    Frame *frame = &worker->visit->frame;
    const u32 *shape = worker->visit->translation->shape;
    Axis *axis = &frame->axes[scalar->axis];
    u64 *lanes = worker->addresses;
    s64 step = (s64)part[PARTS - 1];
    if (worker->visit->taken[scalar->axis])
        return axis->version != 0;
    worker->visit->taken[scalar->axis] = true;
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

/* Is a register that is the same in all lanes what is expected? */
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

/* Reads a scalar out of the lanes; false where they hold none of the form that is expected. */
static bool take_scalar(Worker *worker, const PointScalar *scalar)
{
    Operand operand = scalar->operand;
    u64 *part = worker->visit->frame.scalars[operand.slot];
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

/* Registers that the translation may write lane by lane, and those it reads in this way, hold a value in each. */
static void open_lanes(Worker *worker, const Point *entry)
{
    const Translation *translation = worker->visit->translation;
    for (int i = 0; i < entry->lane_count; i++)
        if (worker->states[entry->lanes[i].slot] == UNIFORM)
            register_fill(worker, entry->lanes[i]);
    for (int i = 0; i < translation->varying_count; i++) {
        Operand operand = translation->varying[i];
        if (worker->states[operand.slot] == UNIFORM && !worker->visit->active->whole)
            register_fill(worker, operand);
        worker->states[operand.slot] = VARYING;
    }
}

/* As open_lanes() left them: the translation may write them lane by lane next. */
static void reopen_scalars(Worker *worker, const Point *point)
{
    for (int i = 0; i < point->scalar_count; i++) {
        Operand operand = point->scalars[i].operand;
        if (worker->states[operand.slot] == UNIFORM)
            register_fill(worker, operand);
        worker->states[operand.slot] = VARYING;
    }
}

static s32 execute_at(Frame *frame, s32 number)
{
    Worker *worker = frame->worker;
    const Point *point = &worker->visit->translation->points[number];
    const Instruction *instruction = &worker->code->instructions[point->instruction];
    put_scalars(worker, point);
    if (!execute_instruction(worker, instruction, worker->visit->active))
        return 0;
    for (int i = 0; i < MAX_RESULTS; i++) {
        Operand result = instruction->results[i];
        if (result.slot == NO_SLOT)
            continue;
        if (worker->states[result.slot] == UNIFORM)
            register_fill(worker, result);
        worker->states[result.slot] = VARYING;
    }
    reopen_scalars(worker, point);
    return 1;
}

/* ---- the watch --------------------------------------------------------------------------------------------------- */

static void watch_load(Frame *frame, s32 number, u64 first)
{
    Worker *worker = frame->worker;
    const Instruction *instruction = &worker->code->instructions[number];
    watch_access(worker, instruction, (PtxSpace)instruction->space, instruction->kind == STORE, worker->visit->active,
                 first, pattern_of(frame, instruction), (uint32_t)instruction->count << instruction->size);
}

static void watch_store(Frame *frame, s32 number, u64 first)
{
    Worker *worker = frame->worker;
    const Point *point = &worker->visit->translation->points[number];
    put_scalars(worker, point);
    watch_load(frame, point->instruction, first);
    reopen_scalars(worker, point);
}

static void join_warps(Frame *frame)
{
    Worker *worker = frame->worker;
    watch_join(worker->watch, worker->visit->active);
}

static void pass_barrier(Frame *frame)
{
    Worker *worker = frame->worker;
    watch_barrier(worker->watch);
}

/* ---- boxes ------------------------------------------------------------------------------------------------------- */

/* Irregular axes begin at the first lane of the box. */
static void use_box(Visit *visit, const Box *box)
{
    Frame *frame = &visit->frame;
    bool is_other = memcmp(frame->from, box->from, sizeof box->from) != 0 ||
                    memcmp(frame->to, box->to, sizeof box->to) != 0;
    memcpy(frame->from, box->from, sizeof box->from);
    memcpy(frame->to, box->to, sizeof box->to);
    frame->known = box->known;
    for (int i = 0; i < visit->translation->axis_count && is_other; i++)
        frame->axes[i].version = 0;
}

static bool find_box(const Visit *visit, const Active *active, uint32_t from[3], uint32_t to[3])
{
    const uint32_t *shape = visit->translation->shape;
    for (int i = 0; i < 3; i++) {
        from[i] = UINT32_MAX;
        to[i] = 0;
    }
    for (uint32_t lane = active->first; lane < active->end; lane++) {
        if (!active_has(active, lane))
            continue;
        const uint32_t at[3] = {lane % shape[0], lane / shape[0] % shape[1], lane / shape[0] / shape[1]};
        for (int i = 0; i < 3; i++) {
            from[i] = at[i] < from[i] ? at[i] : from[i];
            to[i] = at[i] >= to[i] ? at[i] + 1 : to[i];
        }
    }
    return active->count == (to[0] - from[0]) * (to[1] - from[1]) * (to[2] - from[2]);
}

/* False where the lanes are no box. */
static bool set_box(Worker *worker, const Active *active)
{
    Visit *visit = worker->visit;
    if (active->count == worker->launch->threads) {
        use_box(visit, &visit->whole);
        return true;
    }
    uint32_t from[3], to[3];
    if (!find_box(visit, active, from, to))
        return false;
    if (memcmp(from, visit->part.from, sizeof from) != 0 || memcmp(to, visit->part.to, sizeof to) != 0) {
        settle_box(worker, &visit->part);
        for (int i = 0; i < worker->code->memory_count; i++)
            forget_known(&visit->part.known[i]);
        memcpy(visit->part.from, from, sizeof from);
        memcpy(visit->part.to, to, sizeof to);
    }
    use_box(visit, &visit->part);
    return true;
}

/* ---- counting ---------------------------------------------------------------------------------------------------- */

static void count_sums(Worker *worker, const Active *active)
{
    Sums *sums = &worker->visit->frame.sums;
    SimCounters *counters = &worker->counters;
    counters->global_load_requests += sums->load_requests * active->warps;
    counters->global_load_bytes += sums->load_bytes * active->count;
    counters->global_load_sectors += sums->load_sectors;
    counters->global_load_wavefronts += sums->load_wavefronts;
    counters->global_store_requests += sums->store_requests * active->warps;
    counters->global_store_bytes += sums->store_bytes * active->count;
    counters->global_store_sectors += sums->store_sectors;
    counters->shared_load_requests += sums->shared_loads * active->warps;
    counters->shared_load_wavefronts += sums->shared_load_wavefronts;
    counters->shared_store_requests += sums->shared_stores * active->warps;
    counters->shared_store_wavefronts += sums->shared_store_wavefronts;
    counters->constant_requests += sums->constant_loads * active->warps;
    counters->constant_replays += sums->constant_words - sums->constant_loads * active->warps;
    counters->barriers += sums->barriers * active->warps;
    *sums = (Sums){0};
}

static uint64_t count_blocks(Worker *worker, const Active *active)
{
    u64 *executed = worker->visit->frame.executed, all = 0;
    for (int i = 0; i < worker->code->block_count; i++) {
        if (executed[i] == 0)
            continue;
        count_block(worker, &worker->code->blocks[i], active, executed[i]);
        all += executed[i] * (1u + worker->code->blocks[i].instructions);
        executed[i] = 0;
    }
    return all;
}

static void box_new(Box *box, const Worker *worker)
{
    int count = worker->code->memory_count;
    box->known = zeroed((size_t)count, sizeof *box->known);
    box->patterns = zeroed((size_t)count, sizeof *box->patterns);
    for (int i = 0; i < count; i++)
        forget_known(&box->known[i]);
}

static void box_free(Box *box, int count)
{
    for (int i = 0; i < count; i++)
        pattern_free(&box->patterns[i]);
    free(box->known);
    free(box->patterns);
}

void visit_settle(Worker *worker)
{
    settle_box(worker, &worker->visit->whole);
    settle_box(worker, &worker->visit->part);
}

/* ---- the visit --------------------------------------------------------------------------------------------------- */

Visit *visit_new(Worker *worker, const Translation *translation)
{
    Visit *visit = zeroed(1, sizeof *visit);
    visit->translation = translation;
    visit->worth = zeroed((size_t)worker->code->block_count, sizeof *visit->worth);
    box_new(&visit->whole, worker);
    box_new(&visit->part, worker);
    memcpy(visit->whole.to, translation->shape, sizeof visit->whole.to);
    visit->frame = (Frame){
        .registers = worker->registers,
        .parameters = worker->launch->request->parameters,
        .shared = (char *)worker->shared,
        .worker = worker,
        .learn = learn_access,
        .measure = measure_axis,
        .execute = execute_at,
        .is_watched = worker->watch != NULL,
        .watch_load = watch_load,
        .watch_store = watch_store,
        .watch_join = join_warps,
        .watch_barrier = pass_barrier,
        .executed = zeroed((size_t)worker->code->block_count, sizeof(u64)),
        .scalars = zeroed(worker->code->slot_count, sizeof(u64[PARTS])),
        .axes = zeroed((size_t)translation->axis_count, sizeof(Axis)),
    };
    visit->taken = zeroed((size_t)translation->axis_count, sizeof *visit->taken);
    for (int i = 0; i < translation->axis_count; i++)
        visit->frame.axes[i].place = zeroed(worker->capacity, sizeof(s32));
    return visit;
}

void visit_free(Visit *visit)
{
    if (visit == NULL)
        return;
    int count = visit->translation->code->memory_count;
    box_free(&visit->whole, count);
    box_free(&visit->part, count);
    for (int i = 0; i < visit->translation->axis_count; i++)
        free(visit->frame.axes[i].place);
    free(visit->frame.axes);
    free(visit->taken);
    free(visit->worth);
    free(visit->frame.executed);
    free(visit->frame.scalars);
    free(visit);
}

static bool can_enter(Worker *worker, const Group *group, const Point *entry)
{
    if (entry == NULL || !set_box(worker, &group->active))
        return false;
    memset(worker->visit->taken, 0, (size_t)worker->visit->translation->axis_count * sizeof *worker->visit->taken);
    for (int i = 0; i < entry->scalar_count; i++)
        if (!take_scalar(worker, &entry->scalars[i]))
            return false;
    return true;
}

/* What is kept depends on how often it was tried, never on time, and nothing but time depends on it. */
static void weigh(Worth *worth, uint64_t instructions)
{
    int64_t balance = worth->balance + (int64_t)(instructions < MOST_WORTH ? instructions : MOST_WORTH) - VISIT_COSTS;
    worth->balance = (int32_t)(balance > MOST_WORTH ? MOST_WORTH : balance);
    if (balance < LEAST_WORTH)
        *worth = (Worth){.pause = PAUSE};
}

/* Runs the group, and says how many instructions it did; the end is the function's result. */
static int32_t run(Worker *worker, Group *group, int32_t limit, uint64_t *instructions)
{
    const Translation *translation = worker->visit->translation;
    Frame *frame = &worker->visit->frame;
    frame->lanes = group->active.count;
    frame->limit = limit;
    frame->whole = group->active.whole && worker->group_count == 1;
    frame->is_complete = !group_misses_lanes(worker, group);
    frame->turns = TURNS;
    worker->visit->noted = 0;
    int32_t end = translation->run(frame, group->pc);
    if (worker->trace != NULL) /* a basic block that is left before it began has asked for its loads */
        trace_take_back(worker->trace, worker->visit->noted - frame->sums.load_requests - frame->sums.constant_loads);
    count_sums(worker, &group->active);
    *instructions = count_blocks(worker, &group->active);
    return end;
}

TranslatorRun visit_run(Worker *worker, Group *group, int32_t *instruction)
{
    Visit *visit = worker->visit;
    const Point *entry = visit->translation->entries[group->pc];
    Worth *worth = &visit->worth[group->pc];
    int32_t limit = worker->group_count == 1 ? INT32_MAX : group_lowest_other(worker, group);
    uint64_t instructions = 0;
    visit->active = &group->active;
    if (group->pc >= limit || (worth->pause > 0 && --worth->pause >= 0))
        return TRANSLATOR_DECLINED;
    if (!can_enter(worker, group, entry)) {
        weigh(worth, 0);
        return TRANSLATOR_DECLINED;
    }
    open_lanes(worker, entry);
    int32_t end = run(worker, group, limit, &instructions);
    weigh(worth, instructions);
    if (end < 0)
        return TRANSLATOR_FAULT;
    const Point *point = &visit->translation->points[end];
    put_scalars(worker, point);
    group->pc = point->block;
    *instruction = point->instruction;
    if (!count_turns(worker, group, (uint32_t)(TURNS - visit->frame.turns)))
        return TRANSLATOR_FAULT;
    return instructions > 0 ? TRANSLATOR_STOPPED : TRANSLATOR_DECLINED;
}
