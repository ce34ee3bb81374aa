/* allocated.h - memory that is there: where there is none, the program says so and ends.
 *
 *     node = allocated(malloc(sizeof *node));
 *     list = allocated(realloc(list, capacity * sizeof *list));
 *     table = zeroed(count, sizeof *table);
 */
#ifndef BASE_ALLOCATED_H
#define BASE_ALLOCATED_H

#include <stddef.h>

__attribute__((noreturn)) void out_of_memory(void);
/* What malloc() and its like have returned; not NULL. */
void *allocated(void *memory);
/* `count` elements of `size` bytes, all zero, and one more: no elements, too, are memory. */
void *zeroed(size_t count, size_t size);

#endif
