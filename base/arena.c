#include "base/arena.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ==== allocated =================================================================================================== */

static int agreed_status;

void out_of_memory_ends_with(int exit_status)
{
    agreed_status = exit_status;
}

void out_of_memory(void)
{
    if (agreed_status != 0)
        _exit(agreed_status);
    fputs("out of memory\n", stderr);
    exit(2);
}

void *allocated(void *memory)
{
    if (memory == NULL)
        out_of_memory();
    return memory;
}

void *zeroed(size_t count, size_t size)
{
    return allocated(calloc(count == 0 ? 1 : count, size)); /* calloc() may return NULL for nothing */
}

/* ==== arena ======================================================================================================= */

enum { BLOCK_BYTES = 64 * 1024 };

typedef struct ArenaBlock {
    struct ArenaBlock *older;
    size_t used, size;
    alignas(max_align_t) char data[];
} ArenaBlock;

static ArenaBlock *block_new(ArenaBlock *older, size_t size)
{
    ArenaBlock *block = allocated(calloc(1, sizeof *block + size));
    block->older = older;
    block->size = size;
    return block;
}

void *arena_alloc(Arena *arena, size_t size)
{
    const size_t alignment = alignof(max_align_t);
    if (size > SIZE_MAX / 2)
        out_of_memory();
    size = (size + alignment - 1) / alignment * alignment;
    if (arena->newest == NULL || arena->newest->size - arena->newest->used < size)
        arena->newest = block_new(arena->newest, size > BLOCK_BYTES ? size : BLOCK_BYTES);
    void *piece = arena->newest->data + arena->newest->used;
    arena->newest->used += size;
    return piece;
}

void *arena_array(Arena *arena, size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / 2 / size)
        out_of_memory();
    return arena_alloc(arena, count * size);
}

void *arena_grown(Arena *arena, void *items, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return items;
    *capacity = *capacity == 0 ? 64 : 2 * *capacity;
    void *larger = arena_array(arena, *capacity, size);
    if (count > 0)
        memcpy(larger, items, count * size);
    return larger;
}

char *arena_copy(Arena *arena, const char *text, size_t length)
{
    char *copy = arena_alloc(arena, length + 1);
    memcpy(copy, text, length);
    return copy;
}

char *arena_string(Arena *arena, const char *text)
{
    return arena_copy(arena, text, strlen(text));
}

char *arena_printf(Arena *arena, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    char *text = arena_alloc(arena, (size_t)length + 1);
    vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    va_end(arguments);
    return text;
}

void arena_free(Arena *arena)
{
    while (arena->newest != NULL) {
        ArenaBlock *older = arena->newest->older;
        free(arena->newest);
        arena->newest = older;
    }
}
