/* device_lock.h - one measurement at a time on a GPU: a lock file per device, the same for every grader of every user.
 *
 * The file is <folder>/convjudge-<uuid>.lock; folder: CONVJUDGE_LOCKS, else /run/lock where every user can write it,
 * else /tmp. Graders in containers share a GPU's lock only where they share that folder; who comes around the lock is
 * what device_monitor.h is for.
 *
 * Owns     the lock is the descriptor's (flock): closing it and all its copies gives the lock back, and so does the end
 *          of all processes that hold one, however they end. It is closed on exec. The file stays: who removed it would
 *          part those who come from the one who has the lock.
 * Errors   BAD_INPUT: a uuid that no GPU has. SYSTEM: the file cannot be had; the message says what to do.  */
#ifndef HARNESS_DEVICE_MONITOR_DEVICE_LOCK_H
#define HARNESS_DEVICE_MONITOR_DEVICE_LOCK_H

#include "base/status.h"
#include "harness/device/monitor/wait_limit.h"

/* STATUS_OK with a descriptor of -1: somebody else has it, and `why` names who: "process 1234 (convjudge) of alice".
 * That name is advice: any user could have written it. */
MUST_USE Status device_lock_try(const char *uuid, int *descriptor, Message *why);

/* Waits until the others have given it back; `tell` (may be NULL) hears who has it. While one waits, device_lock_try()
 * finds the lock taken, so that nobody gets it who came later and did not wait; of several that wait, whoever looks first
 * is next. BUSY once `seconds` are over. */
MUST_USE Status device_lock_wait(const char *uuid, double seconds, WaitTell *tell, void *context, int *descriptor,
                                 Message *why);

#endif
