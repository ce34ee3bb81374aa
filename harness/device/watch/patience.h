/* patience.h - waiting for what can only be looked at again and again, and saying meanwhile what it is.
 *
 *     Patience patience = {.seconds = 60, .tell = show, .context = terminal};
 *     while (is_busy(reason))
 *         if (!patience_left(&patience, reason))
 *             return false;
 */
#ifndef HARNESS_DEVICE_WATCH_PATIENCE_H
#define HARNESS_DEVICE_WATCH_PATIENCE_H

#include <stdbool.h>

typedef void PatienceTell(void *context, const char *reason, double waited_s);

typedef struct Patience {
    double seconds;         /* to wait at most */
    PatienceTell *tell;     /* called about once a second; may be NULL */
    void *context;          /* of `tell` */
    double waited_s;        /* so far */
    double began_s, next_s; /* patience.c's own */
} Patience;

/* Sleeps for a tenth of a second; false, at once, where `seconds` are over. */
bool patience_left(Patience *patience, const char *reason);

#endif
