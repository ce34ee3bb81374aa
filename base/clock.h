/* clock.h - the clocks for measuring durations and work.  */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stddef.h>
#include <time.h>

/* ==== clock ======================================================================================================= */

/* Seconds since an arbitrary moment; never goes back, and nobody can set it. */
static inline double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Processor time of the calling thread. */
static inline double thread_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ==== processors ================================================================================================== */

/* The processors that this process may use.
 *
 * What a process starts inherits them, OpenMP's threads and compilers included. */

/* Returns the number of processors for this thread, at least 1. A cpuset or `taskset` may leave fewer than the machine
 * has. */
size_t processors_usable(void);

/* Leaves this thread one of `shares` nearly equal parts of them, the one with the index `share`. With more shares than
 * processors, several shares are the same processor. */
void processors_keep_share(size_t share, size_t shares);

#endif
