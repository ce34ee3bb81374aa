/* device_oracle.h - the oracle on a device, as the grader sees it: the inputs of timed calls, and their outputs checked
 * in full, by a process whose memory no submission's kernel can reach (oracle_process.h).
 *
 *     device_oracle_start     opens the device and compiles, in the background
 *     device_oracle_case      memory for one call's arrays, shared with the broker: on the device, or the host's
 *     device_oracle_fill      makes the inputs of the call with this seed in it
 *     device_oracle_check     compares the output in it with what the inputs filled last give
 *     device_oracle_wait      ends the wait for both
 *
 * To check call k and make the inputs of call k + 1 is one round trip: both are posted, and are done in order. Where
 * a check says no, checker_compare() explains it: the output is still there, and the inputs are what testcase_fill()
 * makes of the seed.
 *
 * Errors   whatever goes wrong, an oracle that died included, is the judge's own fault.  */
#ifndef GRADER_DEVICE_ORACLE_DEVICE_ORACLE_H
#define GRADER_DEVICE_ORACLE_DEVICE_ORACLE_H

#include "base/status.h"
#include "grader/check/checker.h"
#include "grader/problem/problem.h"
#include "grader/problem/testcase.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct DeviceOracle DeviceOracle;

/* `device` as for device_open(). */
MUST_USE Status device_oracle_start(const Problem *problem, const char *device, DeviceOracle **oracle, Message *why);
/* Waits until it can be used. */
MUST_USE Status device_oracle_ready(DeviceOracle *oracle, Message *why);

/* Takes device memory for one case. `memory` is a descriptor of `memory_bytes` that stays the caller's; the array of
 * parameter i begins at `offsets[i]`. `*exchange`: a descriptor for session_exchange(), the caller's to close:
 * arrays come and go through memory of the device, and only an output that is refused lies in `memory`, too. -1, or
 * NULL for it handed in: they come and go through `memory`. */
MUST_USE Status device_oracle_case(DeviceOracle *oracle, const Testcase *testcase, int memory, size_t memory_bytes,
                                   const size_t *offsets, int *exchange, Message *why);
/* Posts: the inputs become what testcase_fill() makes of `secret`, bit for bit. Generated data only. */
MUST_USE Status device_oracle_fill(DeviceOracle *oracle, uint64_t secret, Message *why);
/* Posts: the output is held against the inputs filled last. */
MUST_USE Status device_oracle_check(DeviceOracle *oracle, Message *why);
/* Waits for all that was posted. `accepted` and `comparison` (without its single elements, see checker_summarise()) are
 * those of the last check, and stay as they are where none was posted; `seconds` is what the process worked. */
MUST_USE Status device_oracle_wait(DeviceOracle *oracle, bool *accepted, Comparison *comparison, double *seconds,
                                   Message *why);

/* Its process uses the device, too, but only between fill or check and the end of device_oracle_wait(). */
pid_t device_oracle_pid(const DeviceOracle *oracle);
void device_oracle_stop(DeviceOracle *oracle);

#endif
