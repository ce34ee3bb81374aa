/* wait_limit.h - waits for a condition that can only be polled, up to a limit, and reports what it waits for.
 *
 *     WaitLimit limit = {.seconds = 60, .tell = show, .context = terminal};
 *     while (is_busy(reason))
 *         if (!wait_limit_left(&limit, reason))
 *             return false;
 */
#ifndef HARNESS_DEVICE_MONITOR_WAIT_LIMIT_H
#define HARNESS_DEVICE_MONITOR_WAIT_LIMIT_H

#include <stdbool.h>

typedef void WaitTell(void *context, const char *reason, double waited_s);

typedef struct WaitLimit {
    double seconds;         /* the most to wait */
    WaitTell *tell;         /* called about once a second; may be NULL */
    void *context;          /* for `tell` */
    double waited_s;        /* so far */
    double began_s, next_s; /* for wait_limit.c only */
} WaitLimit;

/* Sleeps for a tenth of a second; returns false at once when `seconds` are over. */
bool wait_limit_left(WaitLimit *limit, const char *reason);

#endif
