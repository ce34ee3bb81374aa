/* allocated.h - the judge's one policy for running out of memory: the program says so and ends with exit status 2.
 *
 *     node = allocated(malloc(sizeof *node));
 *     list = allocated(realloc(list, capacity * sizeof *list));
 *     table = zeroed(count, sizeof *table);
 *
 * There are two exceptions, where somebody else decides how much memory is asked for: what a submission asks of the
 * broker and its device (allocations, modules, streams, events, arrays) is refused with the CUDA error that a GPU
 * would give, and arrays of a size that a testcase names are refused with a Status that names them. The
 * runner and the runtime library (harness/runner, harness/runtime) live in the submission's process and within its
 * limits; they include nothing of the judge and report CUDA errors of their own.  */
#ifndef BASE_ALLOCATED_H
#define BASE_ALLOCATED_H

#include <stddef.h>

__attribute__((noreturn)) void out_of_memory(void);
/* From now on this exit status says so, without words: the parent knows what it means. */
void out_of_memory_ends_with(int exit_status);
/* Takes the result of malloc() and its like, and never returns NULL. */
void *allocated(void *memory);
/* `count` elements of `size` bytes, all zero. A count of 0 gives memory, too. */
void *zeroed(size_t count, size_t size);

#endif
