/* device_watch.h - what goes on on a GPU besides the judge's own work: clock, temperature, other processes.
 *
 * Units    MHz, degrees Celsius.
 * Source   NVML (nvml.h).  */
#ifndef HARNESS_DEVICE_WATCH_H
#define HARNESS_DEVICE_WATCH_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

typedef struct DeviceWatch DeviceWatch;

typedef struct DeviceState { /* 0: not known */
    unsigned sm_clock_mhz, max_sm_clock_mhz;
    unsigned temperature_c, slowdown_temperature_c;
    unsigned long long reasons; /* why the clock is not higher: NVML_REASON_... */
} DeviceState;

/* `uuid` as in DeviceInfo. NOT_FOUND: there is no NVML, or it does not know the device. */
MUST_USE Status device_watch_open(const char *uuid, DeviceWatch **watch, Message *why);
void device_watch_close(DeviceWatch *watch);

void device_watch_read(const DeviceWatch *watch, DeviceState *state);

/* Whether something would blur a measurement now, and what: "process 1234 (python3) uses the GPU". `own`: processes of
 * the judge that hold the device, or may. `usual_mhz`: the clock under load; 0: the most that the device can. */
bool device_watch_disturbed(const DeviceWatch *watch, const pid_t *own, size_t own_count, double usual_mhz, char *text,
                            size_t size);

typedef void DeviceWatchTell(void *context, const char *disturbance, double waited_s);

/* Waits until nothing disturbs, and calls `tell` about once a second; BUSY, with what disturbs, once `seconds` are over. */
MUST_USE Status device_watch_wait(const DeviceWatch *watch, const pid_t *own, size_t own_count, double usual_mhz,
                                  double seconds, DeviceWatchTell *tell, void *context, Message *why);

#endif
