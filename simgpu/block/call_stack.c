#include "simgpu/block/call_stack.h"

#include "base/allocated.h"

#include <stdlib.h>
#include <string.h>

CallStack *call_stack_new(void)
{
    return zeroed(1, sizeof(CallStack));
}

void call_stack_free(CallStack *stack)
{
    if (stack == NULL)
        return;
    for (uint32_t i = 0; i < stack->level_count; i++) {
        free(stack->levels[i]->states);
        free(stack->levels[i]->registers);
        free(stack->levels[i]);
    }
    free(stack->levels);
    free(stack);
}

void call_stack_reset(CallStack *stack, const Code *code)
{
    uint32_t end = (code->frame_bytes + 15) / 16 * 16;
    for (int lane = 0; lane < MAX_THREADS; lane++) {
        stack->frame[lane] = 0;
        stack->end[lane] = end;
        stack->used[lane] = code->stack_bytes;
    }
    stack->highest = code->frame_bytes;
}

CallLevel *call_stack_level(CallStack *stack, uint32_t depth, const Code *code, uint32_t capacity)
{
    if (depth == stack->level_count) {
        CallLevel *level = zeroed(1, sizeof *level);
        level->states = zeroed((size_t)code->slot_count + 1, 1);
        level->registers = zeroed(code->unit_bytes, capacity);
        stack->levels = allocated(realloc(stack->levels, (depth + 1) * sizeof *stack->levels));
        stack->levels[stack->level_count++] = level;
    }
    return stack->levels[depth];
}

/* Each call but the last one calls another, and so takes at least 8 bytes on hardware for where it returns to. A frame
 * here also holds the arguments and results of calls, which hardware has in registers. */
enum { LEAST_STACK = 8, MOST_PER_BYTE = 16 };

uint64_t call_stack_bytes(const Code *code, uint64_t limit)
{
    uint64_t most_per_byte = 0, largest = 0;
    for (int i = 0; i < code->procedure_count; i++) {
        uint64_t frame = (code->procedures[i].frame_bytes + 31) / 16 * 16;
        uint64_t stack = code->procedures[i].stack_bytes;
        stack = stack < LEAST_STACK ? LEAST_STACK : stack;
        most_per_byte = (frame + stack - 1) / stack > most_per_byte ? (frame + stack - 1) / stack : most_per_byte;
        largest = frame > largest ? frame : largest;
    }
    return limit * (most_per_byte < MOST_PER_BYTE ? most_per_byte : MOST_PER_BYTE) + largest;
}
