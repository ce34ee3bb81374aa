/* host_memory.h - notices when host memory is refused, so that the judge can report that as the cause of what follows,
 * usually an abort or a null pointer.
 *
 * host_memory.c defines malloc(), calloc() and realloc() for the whole process, in front of the C library's.  */
#ifndef HARNESS_RUNNER_HOST_MEMORY_H
#define HARNESS_RUNNER_HOST_MEMORY_H

#include <stdbool.h>

/* Calls `note` from now on whenever the C library refuses memory. */
void host_memory_on_refusal(void (*note)(void));
/* Does new memory begin with bytes 0xFE, as local variables do (compile_nvcc.c), and freed memory hold others? Else a
 * large piece begins with zeros, which hides that nobody has set it. Filling it takes time. */
void host_memory_scribble(bool scribbles);

#endif
