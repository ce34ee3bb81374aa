#include "simgpu/engine/access_move.h"

#include "simgpu/block/register.h"

#include <string.h>

enum { MOST_BYTES_OF_LANE = 32 };

/* Moves what a load uses of each lane, and nothing behind it, where there may be no memory. */
static void load_used_bytes(Worker *worker, const Access *access, Active *active, size_t lane_distance)
{
    const Instruction *instruction = access->instruction;
    for (int i = 0; i < instruction->count; i++) {
        Operand to = instruction->results[i];
        unsigned char *values = register_write(worker, active, to, i);
        for (uint32_t j = 0; j < active->end - active->first; j++) {
            unsigned char lane[MOST_BYTES_OF_LANE] = {0};
            if (!access_has_lane(access, active->first + j))
                continue;
            memcpy(lane, access->host + j * lane_distance + access->pattern->relative[j], access->used_bytes);
            worker->lanes->load_strided[instruction->is_signed][instruction->size][to.size](
                values + ((size_t)j << to.size), (const char *)lane + ((size_t)i << instruction->size), 0, 1);
        }
        register_written(worker, active, to, i);
    }
}

static void load_pattern(const Worker *worker, const Access *access, const char *from, unsigned char *to, uint32_t size)
{
    const Pattern *pattern = access->pattern;
    const Instruction *instruction = access->instruction;
    const LaneTable *lanes = worker->lanes;
    if (pattern->kind == PATTERN_STRIDED) {
        lanes->load_strided[instruction->is_signed][instruction->size][size](to, from, pattern->step, pattern->count);
    } else if (pattern->kind == PATTERN_RUNS) {
        for (uint32_t i = 0; i < pattern->run_count; i++) {
            const PatternRun *run = &pattern->runs[i];
            lanes->load_strided[instruction->is_signed][instruction->size][size](
                to + ((size_t)run->lane << size), from + pattern->relative[run->lane], run->step, run->count);
        }
    } else {
        lanes->load_gathered[instruction->is_signed][instruction->size][size](to, from, pattern->relative,
                                                                              pattern->count);
    }
}

static void store_pattern(const Worker *worker, const Access *access, const unsigned char *from, char *to,
                          uint32_t size)
{
    const Pattern *pattern = access->pattern;
    const Instruction *instruction = access->instruction;
    const LaneTable *lanes = worker->lanes;
    if (access->bits != NULL) {
        for (uint32_t i = 0; i < pattern->count; i++) {
            const unsigned char *value = from + ((size_t)i << size);
            if (access_has_lane(access, pattern->first + i))
                lanes->store_strided[instruction->size][size](value, to + pattern->relative[i], 0, 1);
        }
    } else if (pattern->kind == PATTERN_STRIDED) {
        lanes->store_strided[instruction->size][size](from, to, pattern->step, pattern->count);
    } else if (pattern->kind == PATTERN_RUNS) {
        for (uint32_t i = 0; i < pattern->run_count; i++) {
            const PatternRun *run = &pattern->runs[i];
            lanes->store_strided[instruction->size][size](from + ((size_t)run->lane << size),
                                                          to + pattern->relative[run->lane], run->step, run->count);
        }
    } else {
        lanes->store_scattered[instruction->size][size](from, to, pattern->relative, pattern->count);
    }
}

void access_move(Worker *worker, const Access *access, Active *active)
{
    const Instruction *instruction = access->instruction;
    if (access->used_bytes < access->bytes) {
        load_used_bytes(worker, access, active, 0);
        return;
    }
    for (int i = 0; i < instruction->count; i++) {
        char *host = access->host + ((size_t)i << instruction->size);
        if (access->is_store) {
            Operand from = instruction->sources[1 + i];
            store_pattern(worker, access, register_read(worker, from, active->first), host, from.size);
        } else {
            Operand to = instruction->results[i];
            load_pattern(worker, access, host, register_write(worker, active, to, i), to.size);
            register_written(worker, active, to, i);
        }
    }
}

/* Each lane has a frame of its own, so that equal offsets lie one frame apart. */
static void move_local(Worker *worker, const Access *access, Active *active)
{
    const Instruction *instruction = access->instruction;
    for (int i = 0; i < instruction->count; i++) {
        Operand operand = access->is_store ? instruction->sources[1 + i] : instruction->results[i];
        unsigned char *values = access->is_store ? register_read(worker, operand, active->first)
                                                 : register_write(worker, active, operand, i);
        for (uint32_t j = active->first; j < active->end; j++) {
            if (!access_has_lane(access, j))
                continue;
            char *host = worker->local + (size_t)j * worker->frame_stride + access->first +
                         access->pattern->relative[j - active->first] + ((size_t)i << instruction->size);
            unsigned char *value = values + ((size_t)(j - active->first) << operand.size);
            if (access->is_store)
                worker->lanes->store_strided[instruction->size][operand.size](value, host, 0, 1);
            else
                worker->lanes->load_strided[instruction->is_signed][instruction->size][operand.size](value, host, 0, 1);
        }
        if (!access->is_store)
            register_written(worker, active, operand, i);
    }
}

/* The usual case of local memory, all lanes at the same offset; false where it is another one. */
static bool move_local_rows(Worker *worker, const Access *access, Active *active)
{
    if (access->bits != NULL || access->pattern->kind != PATTERN_STRIDED || access->pattern->step != 0)
        return false;
    Access rows = *access;
    Pattern pattern = *access->pattern;
    pattern.step = (int32_t)worker->frame_stride;
    rows.pattern = &pattern;
    rows.host = worker->local + (size_t)active->first * worker->frame_stride + access->first;
    access_move(worker, &rows, active);
    return true;
}

void access_move_local(Worker *worker, const Access *access, Active *active)
{
    if (access->used_bytes < access->bytes) {
        Access first = *access;
        first.host = worker->local + (size_t)active->first * worker->frame_stride + access->first;
        load_used_bytes(worker, &first, active, worker->frame_stride);
        return;
    }
    if (!move_local_rows(worker, access, active))
        move_local(worker, access, active);
}
