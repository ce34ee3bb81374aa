/* execution_profile.h - what the kernels of one call did, in detail, on a simulated GPU. It is one piece of memory
 * without pointers, which the broker fills in and the grader reads.
 *
 * Kernels    all launches of one function with one shape are one entry; counters, seconds and lines are sums over them.
 * Lines      sorted by kernel, then by file and line.
 * Units      as in simgpu/simgpu.h and simgpu/cost/cost.h; seconds are modelled.
 * Limits     entries that do not fit are only counted: kernels_left_out launches, lines_left_out lines.  */
#ifndef HARNESS_DEVICE_EXECUTION_PROFILE_H
#define HARNESS_DEVICE_EXECUTION_PROFILE_H

#include "harness/device/device.h"
#include "simgpu/simgpu.h"

#include <stdbool.h>
#include <stdint.h>

enum { PROFILE_MAX_KERNELS = 32, PROFILE_MAX_LINES = 4096, PROFILE_MAX_FILES = 64 };

typedef struct ProfileKernel {
    char name[SIM_MAX_NAME]; /* mangled */
    LaunchShape shape;
    uint32_t registers, live_registers, static_shared_bytes, local_bytes, frame_bytes,
        constant_bytes;                            /* these and the next two: */
    bool uniform_constant_loads, has_unknown_code; /* as in SimFunctionInfo */
    uint64_t launches;
    SimCounters counters;
    SimWarpPath longest;      /* path of the longest warp of all launches */
    SimMachineRatios machine; /* of the launch with that warp, as is */
    BlockShares block_shares;
    double seconds;
} ProfileKernel;

typedef struct ProfileLine {
    uint32_t kernel; /* index into `kernels` */
    uint32_t file;   /* index into `files`; the name is empty if it is unknown */
    SimLine counts;  /* its `file` is not used */
} ProfileLine;

typedef struct ProfileCopies {
    uint64_t count, bytes;
    double seconds;
} ProfileCopies;

struct ExecutionProfile {
    uint32_t kernel_count, line_count, file_count;
    uint64_t kernels_left_out, lines_left_out;
    ProfileCopies host_copies, device_copies; /* across the bus; within the device, including fills */
    uint64_t allocations, releases;           /* of device memory, by the host */
    ProfileKernel kernels[PROFILE_MAX_KERNELS];
    ProfileLine lines[PROFILE_MAX_LINES];
    char files[PROFILE_MAX_FILES][SIM_MAX_NAME];
};

#endif
