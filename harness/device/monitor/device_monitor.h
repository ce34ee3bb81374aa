/* device_monitor.h - watches what may disturb a measurement on a GPU: its clock, its temperature, other processes.
 *
 * In a container, NVML reports process numbers that mean nothing there, or no processes at all. Then the monitor knows
 * other processes only by their count, or not at all.
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

typedef struct DeviceState { /* 0: unknown */
    unsigned sm_clock_mhz, max_sm_clock_mhz, memory_clock_mhz;
    unsigned temperature_c, slowdown_temperature_c;
    double power_w;
    uint32_t reasons; /* why the clock is not higher: bits NVML_REASON_... */
} DeviceState;

/* `uuid` is that of DeviceInfo. NOT_FOUND: there is no NVML, or it does not know the device. */
MUST_USE Status device_monitor_open(const char *uuid, DeviceMonitor **monitor, Message *why);
void device_monitor_close(DeviceMonitor *monitor);

void device_monitor_read(const DeviceMonitor *monitor, DeviceState *state);

/* Writes the reasons in words: "power cap, thermal slowdown"; "" if there are none. */
void device_monitor_reasons(uint32_t reasons, char *text, size_t size);

/* Whether something would disturb a measurement now, and what: "process 1234 (python3) uses the GPU", "the GPU is at
 * 91 C and slows down from 87 C on", "the clock is held at 1200 MHz (usually 1980): power cap". `own`: processes of the
 * judge that hold the device, or may hold it. `usual_mhz`: the usual clock under load; 0: take the highest clock. */
bool device_monitor_disturbed(const DeviceMonitor *monitor, const pid_t *own, size_t own_count, double usual_mhz,
                              char *text, size_t size);

/* Waits until nothing disturbs; tells `tell` (may be NULL) what does. BUSY: something still disturbs after
 * `seconds`. */
MUST_USE Status device_monitor_wait(const DeviceMonitor *monitor, const pid_t *own, size_t own_count, double usual_mhz,
                                    double seconds, WaitTell *tell, void *context, Message *why);

#endif
