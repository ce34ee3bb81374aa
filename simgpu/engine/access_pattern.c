#include "simgpu/engine/access_pattern.h"

#include "simgpu/block/register.h"

#include <string.h>

/* The addresses of lanes [first, end) as 64-bit numbers, or their differences to the first. */
static const uint64_t *collect_addresses(Worker *worker, const Instruction *instruction, const Active *active)
{
    Operand address = instruction->sources[0];
    uint32_t count = active->end - active->first;
    uint64_t *addresses = worker->addresses;
    if (address.slot == NO_SLOT) {
        memset(addresses, 0, count * sizeof *addresses);
        return addresses;
    }
    const unsigned char *lanes = register_read(worker, address, active->first);
    if (address.size == 3)
        return (const uint64_t *)lanes;
    const uint32_t *narrow = (const uint32_t *)lanes;
    for (uint32_t i = 0; i < count; i++) /* 32-bit addresses wrap around: only the difference to the first matters */
        addresses[i] = (uint64_t)(int64_t)(int32_t)(narrow[i] - narrow[0]);
    return addresses;
}

uint64_t access_lane_address(Worker *worker, const Instruction *instruction, uint32_t lane)
{
    uint64_t address = register_value(worker, instruction->sources[0], lane) + (uint64_t)instruction->offset;
    bool is_narrow = instruction->sources[0].slot != NO_SLOT && instruction->sources[0].size == 2;
    return is_narrow ? (uint32_t)address : address;
}

static bool is_remembered(Worker *worker, const Instruction *instruction, Active *active, const Pattern *pattern)
{
    Operand address = instruction->sources[0];
    uint32_t count = active->end - active->first;
    if (pattern->kind == PATTERN_NONE || pattern->first != active->first || pattern->count != count)
        return false;
    if (is_uniform(worker, address))
        return pattern->kind == PATTERN_STRIDED && pattern->step == 0;
    const unsigned char *lanes = lane_of(worker, address, active->first);
    uint64_t first = register_value(worker, address, active->first);
    if (address.size < 2)
        return false;
    if (active->exact)
        return worker->lanes->same_pattern[address.size == 3](lanes, first, pattern->relative, pattern->count);
    return worker->lanes->same_masked[address.size == 3](lanes, first, pattern->relative, active_mask(worker, active),
                                                         pattern->count);
}

bool access_find_pattern(Worker *worker, Access *access, Active *active)
{
    MemoryNote *note = access->note;
    access->first = access_lane_address(worker, access->instruction, active->first);
    access->bits = active->exact ? NULL : active->bits;
    access->pattern = active->exact ? &note->pattern : &note->masked;
    size_t bytes_of_bits = worker->launch->warps * sizeof *note->bits;
    bool same_lanes = active->exact || memcmp(note->bits, active->bits, bytes_of_bits) == 0;
    if (same_lanes && is_remembered(worker, access->instruction, active, access->pattern))
        return true;
    if (!active->exact)
        memcpy(note->bits, active->bits, bytes_of_bits);
    if (access->pattern->relative == NULL)
        pattern_new(access->pattern, worker->capacity);
    const uint64_t *addresses = collect_addresses(worker, access->instruction, active);
    return pattern_set(access->pattern, addresses, active->first, active->end - active->first, access->bits);
}
