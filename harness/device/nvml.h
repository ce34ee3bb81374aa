/* nvml.h - the part of NVIDIA's management library, libnvidia-ml.so.1, that the judge calls, opened at run time.
 *
 * It tells what goes on on a GPU without a context on it. nvml.h of the toolkit is not included: the judge builds without.
 *
 * Source   NVML API Reference; values from the nvml.h of CUDA 13.0.  */
#ifndef HARNESS_NVML_H
#define HARNESS_NVML_H

#include "base/status.h"

typedef struct nvmlDevice_st *NvmlDevice;

enum {
    NVML_DONE = 0,             /* nvmlReturn_t */
    NVML_INSUFFICIENT_SIZE = 7,
    NVML_CLOCK_SM = 1,         /* nvmlClockType_t */
    NVML_SENSOR_GPU = 0,       /* nvmlTemperatureSensors_t */
    NVML_THRESHOLD_SLOWDOWN = 1 /* nvmlTemperatureThresholds_t */
};

enum { /* nvmlClocksEventReason..., one bit each: why a clock is not as high as it could be */
    NVML_REASON_IDLE = 0x1,
    NVML_REASON_APPLICATION_SETTING = 0x2,
    NVML_REASON_POWER_CAP = 0x4,
    NVML_REASON_HARDWARE_SLOWDOWN = 0x8,
    NVML_REASON_SYNC_BOOST = 0x10,
    NVML_REASON_SOFTWARE_THERMAL = 0x20,
    NVML_REASON_HARDWARE_THERMAL = 0x40,
    NVML_REASON_POWER_BRAKE = 0x80
};

typedef struct NvmlProcess { /* nvmlProcessInfo_t */
    unsigned pid;
    unsigned long long memory_bytes;
    unsigned gpu_instance, compute_instance;
} NvmlProcess;

/* One row a call: name, symbol in the library, parameters. All return NVML_DONE or an error. */
#define NVML_CALLS(CALL)                                                                                               \
    CALL(init, "nvmlInit_v2", (void))                                                                                  \
    CALL(device_by_uuid, "nvmlDeviceGetHandleByUUID", (const char *uuid, NvmlDevice *device))                          \
    CALL(clock, "nvmlDeviceGetClockInfo", (NvmlDevice device, int type, unsigned *mhz))                                \
    CALL(max_clock, "nvmlDeviceGetMaxClockInfo", (NvmlDevice device, int type, unsigned *mhz))                         \
    CALL(temperature, "nvmlDeviceGetTemperature", (NvmlDevice device, int sensor, unsigned *celsius))                  \
    CALL(threshold, "nvmlDeviceGetTemperatureThreshold", (NvmlDevice device, int type, unsigned *celsius))             \
    CALL(reasons, "nvmlDeviceGetCurrentClocksThrottleReasons", (NvmlDevice device, unsigned long long *reasons))       \
    CALL(processes, "nvmlDeviceGetComputeRunningProcesses_v3",                                                         \
         (NvmlDevice device, unsigned *count, NvmlProcess *processes))

typedef struct Nvml {
#define NVML_MEMBER(name, symbol, parameters) int(*name) parameters;
    NVML_CALLS(NVML_MEMBER)
#undef NVML_MEMBER
} Nvml;

/* Opens the library (CONVJUDGE_NVML: another one) and initialises it; once a process. NOT_FOUND: there is none. */
MUST_USE Status nvml_open(const Nvml **nvml, Message *why);

#endif
