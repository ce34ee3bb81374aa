/* ceilings.h - what a model of GPU can do at most, measured on it once, and kept in
 * leaderboard/devices/<device id>.json (docs/formats.md).
 *
 * A roofline needs ceilings that a kernel can reach: data sheets name others.  */
#ifndef HARNESS_DEVICE_CEILINGS_CEILINGS_H
#define HARNESS_DEVICE_CEILINGS_CEILINGS_H

#include "base/status.h"

#include <stddef.h>

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

#endif
