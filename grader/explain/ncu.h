/* ncu.h - what NVIDIA's profiler, Nsight Compute, measures of a submission's kernels on a real GPU, under the names of
 * the counters that the simulated GPU has for the same.
 *
 * Trust    a profiler has to see the program that it profiles, so the submission's host code runs outside of the
 *          sandbox and of the judge's protocol (harness/direct_runner): only where its user says so. No verdict follows
 *          from it.
 * Units    as in simgpu/gpu/simgpu.h; sums over all launches of a kernel.
 * Errors   NOT_FOUND where ncu is not installed; SYSTEM with what it says where it fails.
 * Source   Nsight Compute 2025.3, Kernel Profiling Guide, "Metrics Reference".  */
#ifndef GRADER_EXPLAIN_NCU_H
#define GRADER_EXPLAIN_NCU_H

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
    double values[NCU_METRICS]; /* occupancy: 0 to 1, their mean; negative: not measured */
} NcuKernel;

typedef struct NcuMeasurement {
    NcuKernel kernels[NCU_MAX_KERNELS];
    size_t count;
} NcuMeasurement;

/* Runs solve() once with the sizes of a case, on the GPU that `device` is. */
MUST_USE Status ncu_measure(const Problem *problem, const Submission *submission, const Sizes *sizes,
                            const DeviceInfo *device, NcuMeasurement *measurement, Message *why);
/* Reads the table that ncu prints with --csv --page raw, after whatever the program itself has printed. */
MUST_USE Status ncu_parse(const char *output, NcuMeasurement *measurement, Message *why);

#endif
