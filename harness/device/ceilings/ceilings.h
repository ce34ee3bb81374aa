/* ceilings.h - what a model of GPU can do at most, measured on it once, and kept in
 * leaderboard/devices/<device id>.json (docs/formats.md).
 *
 * A roofline needs ceilings that a kernel can reach: data sheets name others.  */
#ifndef HARNESS_DEVICE_CEILINGS_CEILINGS_H
#define HARNESS_DEVICE_CEILINGS_CEILINGS_H

#include "base/status.h"
#include "harness/device/device.h"

#include <stdint.h>

typedef struct Ceilings {
    char device[64], name[256], driver[64]; /* as in DeviceInfo */
    char time_utc[32];                      /* when they were taken: "2026-11-21T05:32:07Z" */
    double read_bytes_per_s;                /* of device memory, read alone */
    double copy_bytes_per_s;                /* read plus written */
    double fma_flops_per_s;                 /* float32, two for each fused multiply-add */
    double clock_gap_us;                    /* DeviceInfo.clock_gap_s at that time */
    double sm_clock_mhz;                    /* of the multiprocessors under arithmetic load */
} Ceilings;

/* CONVJUDGE_DEVICES, else leaderboard/devices beside the judge, and <device id>.json in it. */
MUST_USE Status ceilings_path(const char *device_id, char *path, size_t size, Message *why);
/* NOT_FOUND: the device was never calibrated. */
MUST_USE Status ceilings_read(const char *device_id, Ceilings *ceilings, Message *why);
/* Writes the file of ceilings->device anew, whole or not at all. */
MUST_USE Status ceilings_write(const Ceilings *ceilings, Message *why);

typedef struct CeilingsWork { /* how much is done for each figure */
    uint64_t bytes;           /* of each of two arrays; a multiple of 16 */
    uint32_t rounds;          /* of 128 FMAs in every thread */
    int warm_ups, repetitions;
} CeilingsWork;

/* Enough for a real GPU: arrays of 1 GiB, kernels of milliseconds. Needs 2 GiB of device memory. */
extern const CeilingsWork CEILINGS_WORK;

enum { CEILINGS_STEPS = 6 };

/* Measures on an open device by the device's events, each figure the median of its repetitions; compiles
 * ceilings.cu for it first. `step` (may be NULL) is called after each of the CEILINGS_STEPS. On a simulated GPU this
 * runs, but tells of the model what its profile says anyway. */
MUST_USE Status ceilings_measure(Device *device, const CeilingsWork *work, void (*step)(void *context), void *context,
                                 Ceilings *ceilings, Message *why);

#endif
