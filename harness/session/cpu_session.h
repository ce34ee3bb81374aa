/* cpu_session.h - calls of a CPU baseline's solve(), as the grader sees them: plain C on host pointers, in the sandbox
 * of every submission, with as many threads as it likes. There is no device and no broker.
 *
 *     cpu_session_start     a process of its own loads the object; memory for the arrays of one size
 *     cpu_session_call      inputs handed over, output poisoned, solve(), output back
 *     cpu_session_close     the process is killed and reaped
 *
 * The arrays that the grader sees are copies: what solve() does to its own changes neither the inputs that the output
 * is held against, nor, later on, the output. After any outcome but CALL_OK the process is gone.
 *
 * Time  by the judge's clock, from the moment solve() is asked for to the moment it is known to have returned: it holds
 *       two wakings of a process, some 10 to 50 us.  */
#ifndef HARNESS_SESSION_CPU_SESSION_H
#define HARNESS_SESSION_CPU_SESSION_H

#include "base/status.h"
#include "harness/session/session.h"

#include <stddef.h>

typedef struct CpuSession CpuSession;

/* Sets the `data` of all arrays. Of the limits host_bytes and wall_seconds count. `report` says what went wrong where a
 * constructor misbehaves or the object cannot be loaded (outcome not CALL_OK). */
MUST_USE Status cpu_session_start(const char *object_path, const CallLimits *limits, SessionArgument *arguments,
                                  size_t count, CpuSession **session, CallReport *report, Message *why);
/* `event_s` of the report is the wall-clock time of the call, `host_s` is 0: there is one clock. */
MUST_USE Status cpu_session_call(CpuSession *session, CallReport *report, Message *why);
/* NULL is none. */
void cpu_session_close(CpuSession *session);

#endif
