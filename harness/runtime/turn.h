/* turn.h - copies from and to pinned memory, and host functions on streams, that take effect later than they are asked
 * for.
 *
 * A simulated GPU carries them out as late as CUDA allows, so that a program is found that relies on them too early.
 * When the time has come, the broker answers some request with a number: a turn. Then this process copies the bytes
 * between the memory and staging, or calls the function, and asks for the same again.
 *
 * The host may wait for a host function without any CUDA call, for example at a condition variable. So where functions
 * are left and no CUDA call has been made for a while, a thread of this library settles them.
 *
 * Threads  whoever takes a turn holds the lock of client.h meanwhile. No CUDA call is made in a host function, as CUDA
 *          asks for: they return cudaErrorNotPermitted.  */
#ifndef HARNESS_RUNTIME_TURN_H
#define HARNESS_RUNTIME_TURN_H

#include "harness/protocol/ring.h"
#include "harness/runtime/client.h"

#include <stdbool.h>
#include <stddef.h>

/* ==== attach ====================================================================================================== */

/* The functions of the runtime library for the runner, besides CUDA's own.
 *
 * The submission runs in the same process and can call them, too. They give it nothing that it could not do anyway: the
 * broker trusts no request. */

#pragma GCC visibility push(default)

/* Maps the ring. The first call. False with errno. */
bool convjudge_attach(int ring_descriptor);
/* Returns the memory in which the runner notes what ends the process. */
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

/* ==== turn ======================================================================================================== */

/* A host function. `status`: the error of the stream, if it has one. */
typedef void HostCall(void *what, cudaError_t status);

/* Turns that are still to be taken. */
bool turns_are_left(void);
/* Remembers a copy whose turn has this number. Of the two ends one lies in host memory. False: there is no memory. */
bool turn_keep(uint64_t number, CopyPlace to, CopyPlace from, bool to_host, Box box);
/* The same for a host function. */
bool turn_keep_call(uint64_t number, HostCall *call, void *what);
/* Calls the function now, by this thread. */
void host_call_now(HostCall *call, void *what, cudaError_t status);
/* Starts the thread that settles host functions, if there is none yet. False: it cannot be started. */
bool turns_have_driver(void);
/* Takes the turn, and all that come before it. */
cudaError_t turn_take(uint64_t number);
/* Takes all turns that are left. */
cudaError_t turns_settle(void);

#endif
