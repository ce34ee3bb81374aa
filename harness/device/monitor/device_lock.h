/* device_lock.h - allows one measurement at a time on a GPU: one lock file per device, for all graders of all users.
 *
 * The file is <folder>/convjudge-<uuid>.lock. The folder is CONVJUDGE_LOCKS, else /run/lock if every user can write to
 * it, else /tmp. Graders in containers share a GPU's lock only if they share that folder; device_monitor.h finds work
 * on the GPU that does not take the lock.
 *
 * Owns     the descriptor holds the lock (flock). Closing it and all its copies releases the lock; so does the end of
 *          all processes that hold a copy, however they end. It is closed on exec. The file stays, since a grader that
 *          finds it removed would create another one, and both would hold "the" lock.
 * Errors   BAD_INPUT: no GPU has such a uuid. SYSTEM: the file cannot be opened; the message says what to do.  */
#ifndef HARNESS_DEVICE_MONITOR_DEVICE_LOCK_H
#define HARNESS_DEVICE_MONITOR_DEVICE_LOCK_H

#include "base/status.h"
#include "harness/device/monitor/wait_limit.h"

/* STATUS_OK with a descriptor of -1: another process has the lock; `why` names it: "process 1234 (convjudge) of alice".
 * Do not rely on that name: any user could have written it. */
MUST_USE Status device_lock_try(const char *uuid, int *descriptor, Message *why);

/* Waits until the lock is free; tells `tell` (may be NULL) who has it. While a process waits, device_lock_try() finds
 * the lock taken, so that nobody who came later gets it without waiting. Of several processes that wait, the one that
 * looks first is next. BUSY: the lock is still taken after `seconds`. */
MUST_USE Status device_lock_wait(const char *uuid, double seconds, WaitTell *tell, void *context, int *descriptor,
                                 Message *why);

#endif
