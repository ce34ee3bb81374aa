/* attach.h - what the runner and the judge's prototype ask of the runtime library, besides CUDA's own calls.
 *
 * The runner and the submission it holds share one process; nothing here or behind it is worth stealing.  */
#ifndef HARNESS_RUNTIME_ATTACH_H
#define HARNESS_RUNTIME_ATTACH_H

#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(default)

/* Maps the ring and reserves the addresses of device memory. False with errno. Before anything else. */
bool convjudge_attach(int ring_descriptor);
/* The object is loaded (error NULL), or why not. */
void convjudge_loaded(const char *error);
/* Waits to be told to call solve(), and fills in its arguments. */
void convjudge_next_call(unsigned long long *words, size_t count);
void convjudge_returned(void);
/* malloc() or the loader was refused memory. */
void convjudge_memory_refused(void);

#pragma GCC visibility pop

#endif
