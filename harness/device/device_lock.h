/* device_lock.h - one grading at a time on a device, whoever's: a lock file that every grader on the host shares.
 *
 * The file is convjudge-<uuid>.lock in CONVJUDGE_LOCKS, else in /run/lock where that can be written, else in /tmp. The
 * lock (flock(2)) is held as long as the descriptor, or a copy of it in another process, is open: it is free again when
 * its holder is killed. What stands in the file, the holder's process, is for messages alone.  */
#ifndef HARNESS_DEVICE_LOCK_H
#define HARNESS_DEVICE_LOCK_H

#include "base/status.h"

/* `holder`: "process 1234 (convjudge) of alice". */
typedef void DeviceLockTell(void *context, const char *holder, double waited_s);

/* `*descriptor` -1: somebody else has it, and `why` names them; that is no failure. */
MUST_USE Status device_lock_try(const char *uuid, int *descriptor, Message *why);
/* Calls `tell` (may be NULL) about once a second while it waits; BUSY once `seconds` are over. */
MUST_USE Status device_lock_wait(const char *uuid, double seconds, DeviceLockTell *tell, void *context, int *descriptor,
                                 Message *why);

#endif
