/* attach.h - the functions of the runtime library for the runner, besides CUDA's own.
 *
 * The submission runs in the same process and can call them, too. They give it nothing that it could not do anyway: the
 * broker trusts no request.  */
#ifndef HARNESS_RUNTIME_ATTACH_H
#define HARNESS_RUNTIME_ATTACH_H

#include "harness/protocol/ring.h"

#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(default)

/* Maps the ring. The first call. False with errno. */
bool convjudge_attach(int ring_descriptor);
/* Where the runner notes what ends the process. */
RingFault *convjudge_fault(void);
/* Reports that the object is about to be loaded, and waits until the broker knows. */
void convjudge_loading(void);
/* Reports that the object is loaded, or, if `error` is not NULL, why it cannot be loaded. */
void convjudge_loaded(const char *error);
/* Waits for the command to call solve(), and fills in its arguments. Is it a call that nobody times? */
bool convjudge_next_call(unsigned long long *words, size_t count);
/* Reports that solve() has returned. */
void convjudge_returned(void);
/* Reports that malloc() or the loader was refused memory. */
void convjudge_memory_refused(void);

#pragma GCC visibility pop

#endif
