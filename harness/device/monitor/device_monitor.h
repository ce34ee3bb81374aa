/* device_monitor.h - what goes on on a GPU besides the judge's own work: clock, temperature, other processes.
 *
 * In a container NVML counts processes by numbers that mean nothing there, or names none at all: then others are only
 * known by their count, or not.
 *
 * Units    MHz, degrees Celsius, watts.
 * Source   NVML (nvml.h).  */
#ifndef HARNESS_DEVICE_MONITOR_DEVICE_MONITOR_H
#define HARNESS_DEVICE_MONITOR_DEVICE_MONITOR_H

#include "base/status.h"
#include "harness/device/monitor/wait_limit.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct DeviceMonitor DeviceMonitor;

typedef struct DeviceState { /* 0: not known */
    unsigned sm_clock_mhz, max_sm_clock_mhz, memory_clock_mhz;
    unsigned temperature_c, slowdown_temperature_c;
    double power_w;
    uint32_t reasons; /* why the clock is not higher: NVML_REASON_... */
} DeviceState;

/* `uuid` as in DeviceInfo. NOT_FOUND: there is no NVML, or it does not know the device. */
MUST_USE Status device_monitor_open(const char *uuid, DeviceMonitor **watch, Message *why);
void device_monitor_close(DeviceMonitor *watch);

void device_monitor_read(const DeviceMonitor *watch, DeviceState *state);

/* "power cap, thermal slowdown"; empty where there is none. */
void device_monitor_reasons(uint32_t reasons, char *text, size_t size);

/* Whether something would blur a measurement now, and what: "process 1234 (python3) uses the GPU", "the GPU has 91 C,
 * from 87 on it slows down", "the clock is held at 1200 MHz (usually 1980): power cap". `own`: processes of the judge
 * that hold the device, or may. `usual_mhz`: the clock under load; 0: the most that the device can. */
bool device_monitor_disturbed(const DeviceMonitor *watch, const pid_t *own, size_t own_count, double usual_mhz,
                              char *text, size_t size);

/* Waits until nothing disturbs; `tell` (may be NULL) hears what does. BUSY, with what disturbs, once `seconds` are
 * over. */
MUST_USE Status device_monitor_wait(const DeviceMonitor *watch, const pid_t *own, size_t own_count, double usual_mhz,
                                    double seconds, WaitTell *tell, void *context, Message *why);

#endif
