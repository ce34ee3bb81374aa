/* cpu_session.h - sessions with CPU baselines: plain C on host pointers, in the sandbox of every submission, with as
 * many threads as it likes. There is no device and no broker.
 *
 * The first call after each session_buffers() starts a process, so that no call finds what one of another size left
 * behind. Its constructors run then. The arrays that the grader sees are copies: what solve() does to its own arrays
 * changes neither the inputs that the output is checked against nor, later on, the output.
 *
 * Limits   only host_bytes and wall_seconds count.
 * Time     CallReport.event_s is measured by the judge's clock, from the moment solve() is asked for to the moment
 *          it is known to have returned. It includes two wake-ups of a process, some 10 to 50 us. host_s is 0.  */
#ifndef HARNESS_BROKER_CPU_SESSION_H
#define HARNESS_BROKER_CPU_SESSION_H

#include "harness/broker/session.h"

/* As session_open(), for the device that cpu_device_is_named() knows. */
MUST_USE Status cpu_session_open(Session **session, Message *why);

#endif
