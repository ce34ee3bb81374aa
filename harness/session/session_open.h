/* session_open.h - which kind of session a device's name means.  */
#ifndef HARNESS_SESSION_SESSION_OPEN_H
#define HARNESS_SESSION_SESSION_OPEN_H

#include "harness/session/session.h"

/* `device`: as cpu_device_is_named() or device_open() takes it. Of a GPU, the broker starts at once and finds the
 * device in the background; it opens the device when nobody else uses it. */
MUST_USE Status session_open(const char *device, Session **session, Message *why);

#endif
