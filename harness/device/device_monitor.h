/* device_monitor.h - watches what may disturb a measurement on a GPU: its clock, its temperature, other processes.
 *
 * In a container, NVML reports process numbers that mean nothing there, or no processes at all. Then the monitor knows
 * other processes only by their count, or not at all.
 *
 * Units    MHz, degrees Celsius, watts.
 * Source   NVML.  */
#ifndef HARNESS_DEVICE_DEVICE_MONITOR_H
#define HARNESS_DEVICE_DEVICE_MONITOR_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* ==== nvml ======================================================================================================== */

/* The part of NVIDIA's management library, libnvidia-ml.so.1, that the judge calls, opened at run time.
 *
 * It reports the state of a GPU without a context on it. The toolkit's nvml.h is not included, so that the judge builds
 * without a toolkit.
 *
 * Source   NVML API Reference; values from the nvml.h of CUDA 13.0. */

typedef struct nvmlDevice_st *NvmlDevice;

typedef enum NvmlResult { /* nvmlReturn_t has more */
                          NVML_DONE = 0,
                          NVML_NOT_SUPPORTED = 3,
                          NVML_NOT_FOUND = 6,
                          NVML_INSUFFICIENT_SIZE = 7,
                          NVML_DRIVER_NOT_LOADED = 9
} NvmlResult;

enum {
    NVML_CLOCK_SM = 1, /* nvmlClockType_t */
    NVML_CLOCK_MEMORY = 2,
    NVML_SENSOR_GPU = 0,        /* nvmlTemperatureSensors_t */
    NVML_THRESHOLD_SLOWDOWN = 1 /* nvmlTemperatureThresholds_t */
};

enum { /* nvmlClocksEventReason..., one bit each: what keeps a clock from being higher */
       NVML_REASON_IDLE = 0x1,
       NVML_REASON_APPLICATION_SETTING = 0x2,
       NVML_REASON_POWER_CAP = 0x4,
       NVML_REASON_HARDWARE_SLOWDOWN = 0x8,
       NVML_REASON_SYNC_BOOST = 0x10,
       NVML_REASON_SOFTWARE_THERMAL = 0x20,
       NVML_REASON_HARDWARE_THERMAL = 0x40,
       NVML_REASON_POWER_BRAKE = 0x80,
       NVML_REASON_DISPLAY_SETTING = 0x100
};

typedef struct NvmlProcess { /* nvmlProcessInfo_t */
    unsigned pid;
    unsigned long long memory_bytes;
    unsigned gpu_instance, compute_instance;
} NvmlProcess;

/* One row per call: name, symbol in the library, result, parameters. Every driver that has the calls of cuda_driver.h
 * has these, too. */
#define NVML_CALLS(CALL)                                                                                               \
    CALL(init, "nvmlInit_v2", NvmlResult, (void))                                                                      \
    CALL(error_text, "nvmlErrorString", const char *, (NvmlResult result))                                             \
    CALL(device_by_uuid, "nvmlDeviceGetHandleByUUID", NvmlResult, (const char *uuid, NvmlDevice *device))              \
    CALL(clock, "nvmlDeviceGetClockInfo", NvmlResult, (NvmlDevice device, int type, unsigned *mhz))                    \
    CALL(max_clock, "nvmlDeviceGetMaxClockInfo", NvmlResult, (NvmlDevice device, int type, unsigned *mhz))             \
    CALL(temperature, "nvmlDeviceGetTemperature", NvmlResult, (NvmlDevice device, int sensor, unsigned *celsius))      \
    CALL(threshold, "nvmlDeviceGetTemperatureThreshold", NvmlResult, (NvmlDevice device, int type, unsigned *celsius)) \
    CALL(power, "nvmlDeviceGetPowerUsage", NvmlResult, (NvmlDevice device, unsigned *milliwatts))                      \
    CALL(reasons, "nvmlDeviceGetCurrentClocksEventReasons", NvmlResult,                                                \
         (NvmlDevice device, unsigned long long *reasons))                                                             \
    CALL(processes, "nvmlDeviceGetComputeRunningProcesses_v3", NvmlResult,                                             \
         (NvmlDevice device, unsigned *count, NvmlProcess *processes))

typedef struct Nvml {
#define NVML_MEMBER(name, symbol, result, parameters) result(*name) parameters;
    NVML_CALLS(NVML_MEMBER)
#undef NVML_MEMBER
} Nvml;

/* ==== wait limit ================================================================================================== */

/* Waits for a condition that can only be polled, up to a limit, and reports what it waits for.
 *
 *     WaitLimit limit = {.seconds = 60, .tell = show, .context = terminal};
 *     while (is_busy(reason))
 *         if (!wait_limit_left(&limit, reason))
 *             return false; */

typedef void WaitTell(void *context, const char *reason, double waited_s);

typedef struct WaitLimit {
    double seconds;         /* the most to wait */
    WaitTell *tell;         /* called about once a second; may be NULL */
    void *context;          /* for `tell` */
    double waited_s;        /* so far */
    double began_s, next_s; /* of wait_limit_ itself */
} WaitLimit;

/* ==== device lock ================================================================================================= */

/* Allows one measurement at a time on a GPU: one lock file per device, for all graders of all users.
 *
 * The file is <folder>/convjudge-<uuid>.lock. The folder is CONVJUDGE_LOCKS, else /run/lock if every user can write to
 * it, else /tmp. Graders in containers share a GPU's lock only if they share that folder; the monitor finds work
 * on the GPU that does not take the lock.
 *
 * Owns     the descriptor holds the lock (flock). Closing it and all its copies releases the lock; so does the end of
 *          all processes that hold a copy, however they end. It is closed on exec. The file stays, since a grader that
 *          finds it removed would create another one, and both would hold "the" lock.
 * Errors   BAD_INPUT: no GPU has such a uuid. SYSTEM: the file cannot be opened; the message says what to do. */

/* STATUS_OK with a descriptor of -1: another process has the lock; `why` names it: "process 1234 (convjudge) of alice".
 * Do not rely on that name: any user could have written it. */
MUST_USE Status device_lock_try(const char *uuid, int *descriptor, Message *why);

/* Waits until the lock is free; tells `tell` (may be NULL) who has it. While a process waits, device_lock_try() finds
 * the lock taken, so that nobody who came later gets it without waiting. Of several processes that wait, the one that
 * looks first is next. BUSY: the lock is still taken after `seconds`. */
MUST_USE Status device_lock_wait(const char *uuid, double seconds, WaitTell *tell, void *context, int *descriptor,
                                 Message *why);

/* ==== device monitor ============================================================================================== */

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

/* Says whether something would disturb a measurement now, and what: "process 1234 (python3) uses the GPU", "the GPU is
 * at 91 C and slows down from 87 C on", "the clock is held at 1200 MHz (usually 1980): power cap". `own`: processes of
 * the judge that hold the device, or may hold it. `usual_mhz`: the usual clock under load; 0: take the highest clock. */
bool device_monitor_disturbed(const DeviceMonitor *monitor, const pid_t *own, size_t own_count, double usual_mhz,
                              char *text, size_t size);

/* Waits until nothing disturbs; tells `tell` (may be NULL) what does. BUSY: something still disturbs after
 * `seconds`. */
MUST_USE Status device_monitor_wait(const DeviceMonitor *monitor, const pid_t *own, size_t own_count, double usual_mhz,
                                    double seconds, WaitTell *tell, void *context, Message *why);

#endif
