/* patience.h - waiting for what can only be looked at again and again, and saying meanwhile what it is.
 *
 *     Patience patience = {.seconds = 60, .tell = show, .context = terminal};
 *     while (is_busy(reason) && patience_left(&patience, reason))
 *         ;
 */
#ifndef HARNESS_DEVICE_PATIENCE_H
#define HARNESS_DEVICE_PATIENCE_H

#include <stdbool.h>

typedef void PatienceTell(void *context, const char *reason, double waited_s);

typedef struct Patience {
    double seconds;     /* to wait at most */
    PatienceTell *tell; /* called at once and then about once a second; may be NULL */
    void *context;      /* of `tell` */
    double waited_s;    /* since the first question; the rest is patience.c's: */
    double began_s, next_s;
} Patience;

/* Sleeps for a tenth of a second; false, at once, where `seconds` are over. */
bool patience_left(Patience *patience, const char *reason);

#endif
