/* ncu.h - what NVIDIA's profiler, Nsight Compute, measures for a submission's kernels on a real GPU, under the
 * names of the simulated GPU's counters.
 *
 * Trust    a profiler must see the program that it profiles, so the submission's host code runs outside of the
 *          sandbox and without the broker (the runner's role "direct"). That happens only if the user asks for it,
 *          and never changes a verdict.
 * Units    seconds, bytes and counts, as sums over all launches of a kernel.
 * Errors   NOT_FOUND if ncu is not installed; SYSTEM with ncu's own message if it fails.
 * Source   Nsight Compute 2025.3, Kernel Profiling Guide, "Metrics Reference".  */
#ifndef GRADER_REPORT_NCU_H
#define GRADER_REPORT_NCU_H

#include "grader/problem/problem.h"
#include "grader/problem/submission.h"
#include "harness/device/device.h"

#include <stddef.h>

typedef enum NcuMetric {
    NCU_SECONDS,
    NCU_OCCUPANCY,
    NCU_WARP_INSTRUCTIONS,
    NCU_LOAD_REQUESTS,
    NCU_LOAD_SECTORS,
    NCU_STORE_SECTORS,
    NCU_SHARED_WAVEFRONTS,
    NCU_DRAM_BYTES,
    NCU_METRICS
} NcuMetric;

enum { NCU_MAX_KERNELS = 32 };

typedef struct NcuKernel {
    char name[128]; /* as the programmer wrote it */
    double launches;
    double values[NCU_METRICS]; /* sums over the launches; of the occupancy (0 to 1) the mean; negative: not measured */
} NcuKernel;

typedef struct NcuMeasurement {
    NcuKernel kernels[NCU_MAX_KERNELS];
    size_t count;
} NcuMeasurement;

/* Runs solve() once under ncu, with the sizes of a case, on the real GPU `device`. */
MUST_USE Status ncu_measure(const Problem *problem, const Submission *submission, const Sizes *sizes,
                            const DeviceInfo *device, NcuMeasurement *measurement, Message *why);

#endif
