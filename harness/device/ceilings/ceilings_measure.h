/* ceilings_measure.h - measures the ceilings of a device.  */
#ifndef HARNESS_DEVICE_CEILINGS_CEILINGS_MEASURE_H
#define HARNESS_DEVICE_CEILINGS_CEILINGS_MEASURE_H

#include "harness/device/ceilings/ceilings.h"
#include "harness/device/device.h"

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
