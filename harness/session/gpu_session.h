/* gpu_session.h - sessions with CUDA submissions: a broker owns the device, a sandboxed runner holds the submission's
 * host code, and a ring in shared memory (harness/protocol/ring.h) takes its CUDA calls to the broker.
 *
 * One broker serves one runner, and both are replaced together: what a submission leaves behind on a device, or in the
 * tables of a broker, must not meet the next runner.  */
#ifndef HARNESS_SESSION_GPU_SESSION_H
#define HARNESS_SESSION_GPU_SESSION_H

#include "harness/session/session.h"

/* As session_open(), for a device as device_open() takes it. */
MUST_USE Status gpu_session_open(const char *device, Session **session, Message *why);

#endif
