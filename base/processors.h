/* processors.h - the processors that this process may use.
 *
 * What a process starts inherits them, OpenMP's threads and compilers included.  */
#ifndef BASE_PROCESSORS_H
#define BASE_PROCESSORS_H

#include <stddef.h>

/* How many there are for this thread, at least 1. A cpuset or `taskset` may leave fewer than the machine has. */
size_t processors_usable(void);

/* Leaves this thread one of `shares` nearly equal parts of them, the one with the index `share`. With more shares than
 * processors, several shares are the same processor. */
void processors_keep_share(size_t share, size_t shares);

#endif
