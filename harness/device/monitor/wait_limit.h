/* wait_limit.h - waiting for what can only be looked at again and again, and saying meanwhile what it is.
 *
 *     WaitLimit patience = {.seconds = 60, .tell = show, .context = terminal};
 *     while (is_busy(reason))
 *         if (!wait_limit_left(&patience, reason))
 *             return false;
 */
#ifndef HARNESS_DEVICE_MONITOR_WAIT_LIMIT_H
#define HARNESS_DEVICE_MONITOR_WAIT_LIMIT_H

#include <stdbool.h>

typedef void WaitTell(void *context, const char *reason, double waited_s);

typedef struct WaitLimit {
    double seconds;         /* to wait at most */
    WaitTell *tell;         /* called about once a second; may be NULL */
    void *context;          /* of `tell` */
    double waited_s;        /* so far */
    double began_s, next_s; /* wait_limit.c's own */
} WaitLimit;

/* Sleeps for a tenth of a second; false, at once, where `seconds` are over. */
bool wait_limit_left(WaitLimit *patience, const char *reason);

#endif
