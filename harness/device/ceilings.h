/* ceilings.h - the most that a model of GPU can do, measured once and kept in leaderboard/devices/<device id>.json
 * (docs/reference/formats.md).
 *
 * The roofline needs ceilings that a kernel can reach; those of data sheets are higher.  */
#ifndef HARNESS_DEVICE_CEILINGS_H
#define HARNESS_DEVICE_CEILINGS_H

#include "base/status.h"
#include "harness/device/device.h"

#include <stddef.h>

/* ==== ceilings ==================================================================================================== */

typedef struct Ceilings {
    char device[64], name[256], driver[64]; /* as in DeviceInfo */
    char time_utc[32];                      /* of the measurement: "2026-11-21T05:32:07Z" */
    double read_bytes_per_s;                /* device memory, only reading */
    double copy_bytes_per_s;                /* device memory, read plus written */
    double fma_flops_per_s;                 /* float32, two operations for each fused multiply-add */
    double tf32_flops_per_s;                /* tensor cores in TF32, likewise; 0: unknown, or there are none */
    double clock_gap_us;                    /* DeviceInfo.clock_gap_s at that time */
    double launch_us;                       /* DeviceInfo.launch_s at that time; 0: unknown */
    double sm_clock_mhz;                    /* of the multiprocessors under arithmetic load */
} Ceilings;

/* The rows of their files. */
extern const struct RecordTable ceilings_table;

/* The folder of their files. */
MUST_USE Status ceilings_folder(char *path, size_t size, Message *why);
/* <device id>.json in the folder CONVJUDGE_DEVICES, or else in leaderboard/devices beside the judge. */
MUST_USE Status ceilings_path(const char *device_id, char *path, size_t size, Message *why);
/* NOT_FOUND: the device was not calibrated. */
MUST_USE Status ceilings_read(const char *device_id, Ceilings *ceilings, Message *why);
/* Replaces the file of ceilings->device, completely or not at all. */
MUST_USE Status ceilings_write(const Ceilings *ceilings, Message *why);

/* ==== ceilings measure ============================================================================================ */

/* Measures the ceilings of a device. */

typedef struct CeilingsWork { /* how much is done for each figure */
    uint64_t bytes;           /* of each of two arrays; a multiple of 16 */
    uint32_t rounds;          /* of 128 FMAs in every thread */
    int warm_ups, repetitions;
} CeilingsWork;

/* Enough work for a real GPU: arrays of 1 GiB, kernels of milliseconds. Needs 2 GiB of device memory. */
extern const CeilingsWork CEILINGS_WORK;

enum { CEILINGS_STEPS = 7 };

/* Measures on an open device by the device's events; each figure is the median of its repetitions. Compiles ceilings.cu and ceilings_tensor.cu
 * first. `step` (may be NULL) is called after each of the CEILINGS_STEPS. A simulated GPU gives what its profile
 * says. */
MUST_USE Status ceilings_measure(Device *device, const CeilingsWork *work, void (*step)(void *context), void *context,
                                 Ceilings *ceilings, Message *why);

#endif
