/* session.h - one submission under way, as the grader sees it: a broker that owns the device, a sandboxed runner that
 * holds the submission's host code, and calls of solve() one after the other.
 *
 *     session_start      a broker finds the device, and opens it when nobody else uses it (does not need the object:
 *                        start it while nvcc compiles)
 *     session_load       modules go to the broker, the runner starts, constructors run
 *     session_buffers    memory for one call's arrays, shared with the broker: fill the inputs in place
 *     session_profile    memory for what kernels did, by source line, shared with the broker
 *     session_call       inputs to the device, outputs poisoned, solve(), outputs back
 *     session_close      runner and broker are killed and reaped
 *
 * After any outcome but CALL_OK the runner is gone; session_load() starts a fresh one.
 * Whatever the submission does is an outcome; a Status other than OK is the judge's own fault.  */
#ifndef HARNESS_SESSION_SESSION_H
#define HARNESS_SESSION_SESSION_H

#include "base/status.h"
#include "base/text.h"
#include "harness/compile/compile.h"
#include "harness/control/solve_call.h"
#include "harness/device/device.h"
#include "harness/device/sim/execution_profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct Session Session;

typedef struct SessionArgument { /* one parameter of solve() */
    const char *name;
    ArgumentRole role;
    size_t bytes; /* of the array; inputs and outputs */
    uint32_t element_bytes;
    bool float_output; /* poison with CALL_POISON_BITS, else with a random pattern */
    bool probed;       /* an input of floats in [1, 2): while kernels run, constant memory that holds its values holds
                            * call_probe_value() of them, and the report tells who loads from the array itself. One at most,
                            * and only on a device with Device.simulation */
    uint64_t value;    /* ARGUMENT_VALUE: the word handed over (an int sign-extended, a float's bits) */
    void *data;        /* set by session_buffers(): host memory of the array, valid until the next session_buffers() */
} SessionArgument;

/* `device` as device_open() takes it. The broker starts at once, and finds the device in the background. */
MUST_USE Status session_start(const char *device, Session **session, Message *why);
/* Who else has the device, while the session waits for it; about once a second. */
typedef void SessionTell(void *context, const char *holder, double waited_s);
void session_on_wait(Session *session, SessionTell *tell, void *context);
/* What is known of the device; what only an open one tells (DeviceInfo) once session_load() has succeeded. */
MUST_USE Status session_device(Session *session, DeviceInfo *info, Message *why);
/* From the start of the last broker to its open device; the first one's also holds what else was done meanwhile. */
double session_open_seconds(const Session *session);
/* The process that owns the device; 0: none. */
pid_t session_broker(const Session *session);
/* `report` says what went wrong where a constructor misbehaves or the object cannot be loaded (outcome not CALL_OK). */
MUST_USE Status session_load(Session *session, const Compiled *compiled, const CallLimits *limits, CallReport *report,
                             Message *why);
MUST_USE Status session_buffers(Session *session, SessionArgument *arguments, size_t count, Message *why);
/* Every call from now on fills in the profile, which lives as long as the session. Only where the device can
 * (Device.simulation); else calls are the judge's own fault. */
MUST_USE Status session_profile(Session *session, const ExecutionProfile **profile, Message *why);
/* The memory of session_buffers(), which another process of the judge's may share: its descriptor, where it lies here,
 * its size. */
int session_memory(const Session *session, const uint8_t **base, size_t *bytes);
/* Until the next session_buffers() or session_load(), arrays come and go through an exchange (device.h) of as many bytes,
 * laid out alike, that another process of the judge's has made; the descriptor stays the caller's. STATUS_UNSUPPORTED: the
 * broker cannot reach it, and arrays come and go as before. */
MUST_USE Status session_exchange(Session *session, int descriptor, Message *why);
/* `check_inputs`: look whether solve() left them as they were; not of arrays that are exchanged. */
MUST_USE Status session_call(Session *session, SessionArgument *arguments, size_t count, bool check_inputs,
                             CallReport *report, Message *why);
/* Whether calls are watched from now on, on a device that can (DeviceCheck.is_watched); at first they are not. */
void session_watch(Session *session, bool is_watched);
/* Whether anyone asks from now on how long calls take; at first they do. Where nobody does, event_s and the statistics
 * of a report mean nothing, and a device whose times are modelled is faster. */
void session_time(Session *session, bool is_timed);
/* What memory that nothing has written holds in every byte from now on, the outputs before the call among it: for calls
 * whose results must not depend on it. 0, as at first: outputs as SessionArgument says, the rest as the device likes. */
void session_set_uninitialised_byte(Session *session, uint8_t byte);
void session_close(Session *session);

#endif
