/* arena.h - memory that is allocated in many small pieces and freed all at once.
 *
 * For things that live and die together: a parsed PTX module, a problem, a result. `Arena arena = {0};` is an empty
 * arena. Running out of memory ends the program.  */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

/* ==== allocated =================================================================================================== */

/* The judge's one policy for running out of memory: the program says so and ends with exit status 2.
 *
 *     node = allocated(malloc(sizeof *node));
 *     list = allocated(realloc(list, capacity * sizeof *list));
 *     table = zeroed(count, sizeof *table);
 *
 * There are two exceptions, where somebody else decides how much memory is asked for: what a submission asks of the
 * broker and its device (allocations, modules, streams, events, arrays) is refused with the CUDA error that a GPU
 * would give, and arrays of a size that a testcase names are refused with a Status that names them. The
 * runner and the runtime library (harness/runner, harness/runtime) live in the submission's process and within its
 * limits; they include nothing of the judge and report CUDA errors of their own. */

__attribute__((noreturn)) void out_of_memory(void);
/* Makes a process that runs out of memory end with this status and no message; its parent knows the meaning. */
void out_of_memory_ends_with(int exit_status);
/* Takes the result of malloc() and its like, and never returns NULL. */
void *allocated(void *memory);
/* `count` elements of `size` bytes, all zero. A count of 0 gives memory, too. */
void *zeroed(size_t count, size_t size);

/* ==== arena ======================================================================================================= */

typedef struct Arena {
    struct ArenaBlock *newest;
} Arena;

/* `size` bytes, zeroed, aligned for any type. Never NULL. */
void *arena_alloc(Arena *arena, size_t size);
/* `count` zeroed elements of `size` bytes; ends the program if the product overflows. */
void *arena_array(Arena *arena, size_t count, size_t size);
/* An array with room for one more element after `count` elements of `size` bytes: `items` itself while `count` is below
 * `*capacity`, otherwise a copy with twice the capacity. Start with NULL and a capacity of 0. */
void *arena_grown(Arena *arena, void *items, size_t count, size_t *capacity, size_t size);
/* A terminated copy of `length` bytes. */
char *arena_copy(Arena *arena, const char *text, size_t length);
/* A terminated copy of a string. */
char *arena_string(Arena *arena, const char *text);
/* printf into the arena. */
__attribute__((format(printf, 2, 3))) char *arena_printf(Arena *arena, const char *format, ...);
/* Frees everything; the arena is empty and usable again. */
void arena_free(Arena *arena);

#endif
