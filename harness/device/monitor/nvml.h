/* nvml.h - the part of NVIDIA's management library, libnvidia-ml.so.1, that the judge calls, opened at run time.
 *
 * It reports the state of a GPU without a context on it. The toolkit's nvml.h is not included, so that the judge builds
 * without a toolkit.
 *
 * Source   NVML API Reference; values from the nvml.h of CUDA 13.0.  */
#ifndef HARNESS_DEVICE_MONITOR_NVML_H
#define HARNESS_DEVICE_MONITOR_NVML_H

#include "base/status.h"

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

/* Opens the library (the environment variable CONVJUDGE_NVML names another one) and initialises it, once per process.
 * NOT_FOUND: there is none. */
MUST_USE Status nvml_open(const Nvml **nvml, Message *why);

#endif
