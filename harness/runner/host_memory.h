/* host_memory.h - notices when host memory is refused, so that the judge can report that as the cause of what follows,
 * usually an abort or a null pointer.
 *
 * host_memory.c defines malloc(), calloc() and realloc() for the whole process, in front of the C library's.  */
#ifndef HARNESS_RUNNER_HOST_MEMORY_H
#define HARNESS_RUNNER_HOST_MEMORY_H

/* Calls `note` from now on whenever the C library refuses memory. */
void host_memory_on_refusal(void (*note)(void));

#endif
