/* execution_profile.h - what the kernels of one call did, in detail, on a simulated GPU. It is one piece of memory
 * without pointers, which the broker fills in and the grader reads.
 *
 * Kernels    all launches of one function with one shape are one entry; counters, seconds and lines are sums over them.
 * Lines      sorted by kernel, then by file and line.
 * Trace      from what one element of the output was computed (simgpu/engine/provenance.h), where the call asked for it.
 * Units      as in simgpu/simgpu.h and simgpu/cost/cost.h; seconds are modelled.
 * Limits     entries that do not fit are only counted: kernels_left_out launches, lines_left_out lines.  */
#ifndef HARNESS_DEVICE_EXECUTION_PROFILE_H
#define HARNESS_DEVICE_EXECUTION_PROFILE_H

#include "harness/device/device.h"
#include "simgpu/simgpu.h"

#include <stdbool.h>
#include <stdint.h>

enum { PROFILE_MAX_KERNELS = 32, PROFILE_MAX_LINES = 4096, PROFILE_MAX_FILES = 64 };
enum { PROFILE_MAX_NODES = 16384, PROFILE_MAX_ARRAYS = 32, PROFILE_MAX_LAUNCHES = 256 };
enum { PROFILE_MAX_REQUESTS = 1024, PROFILE_MAX_READS = 8192 };

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
    BlockTimeline timeline; /* of the first launch */
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

typedef struct ProfileRequest { /* of the first launch of a kernel */
    uint32_t kernel, file;      /* indices */
    uint32_t array;             /* 1 + index into `arrays`; 0: none is known */
    WarpRequest is;             /* its file and variable mean nothing */
} ProfileRequest;

typedef struct ProfileRead { /* an element of an input that one block of the first launch of a kernel reads */
    uint32_t kernel, array;  /* as in ProfileRequest */
    uint32_t index, threads, warps, blocks, l2, memory;
} ProfileRead;

typedef struct ProfileNode { /* a ProvenanceNode, in which */
    uint8_t kind, bytes;     /* NodeKind */
    bool in_shared;
    uint32_t sources[NODE_SOURCES]; /* 1 + index into `nodes`, of nodes before this one */
    uint32_t launch, block[3], thread[3];
    LoopTurn turns[NODE_LOOPS];
    uint32_t file; /* index into `files` */
    int32_t line;
    uint32_t array; /* 1 + index into `arrays`; 0: shared or local memory, or an array without a name */
    uint64_t index; /* of the element in the array; without an array, the address or the offset */
    uint64_t bits;
    double value;
} ProfileNode;

typedef struct ProfileTrace {
    uint64_t address;    /* of the element; 0: nothing is traced */
    uint64_t bits;       /* of the element after the call */
    uint32_t node_count; /* the last one is the store of the element; 0: no kernel has stored it */
    uint32_t stores;     /* of the element, by all threads */
    bool is_cut;         /* there are more nodes, or more steps than the simulator keeps */
    char unfollowed[64]; /* "tensor cores": the first thing that is not followed; "": there is none */
    uint32_t unfollowed_file;
    int32_t unfollowed_line;
    uint32_t kernels[PROFILE_MAX_LAUNCHES]; /* of each launch, 1 + index into `kernels`; 0: left out */
    ProfileNode nodes[PROFILE_MAX_NODES];
} ProfileTrace;

/* How much longer than an ordinary program's a wait of the submission is, which asks another process for the device: on an
 * H200 the judge took 16.6 us more for each of 15 waits between small kernels than a program with two such kernels
 * (tests/hardware, gaussian-blur/bands_with_waits, two cases of 2026-11-29; HardwareProfile.host_wait_s). */
#define SIM_WAY_TO_HOST_S 16.6e-6

struct ExecutionProfile {
    uint32_t kernel_count, line_count, file_count;
    uint64_t kernels_left_out, lines_left_out;
    ProfileCopies host_copies, device_copies; /* across the bus; within the device, including fills */
    uint64_t allocations, releases;           /* of device memory, by the host */
    uint64_t waits;                           /* of the host for the device, with work of the device after them */
    ProfileKernel kernels[PROFILE_MAX_KERNELS];
    ProfileLine lines[PROFILE_MAX_LINES];
    char files[PROFILE_MAX_FILES][SIM_MAX_NAME];
    uint64_t launches; /* so far */
    uint32_t array_count, request_count, read_count;
    uint32_t reads_left_out;
    SimArray arrays[PROFILE_MAX_ARRAYS];
    ProfileRequest requests[PROFILE_MAX_REQUESTS];
    ProfileRead reads[PROFILE_MAX_READS]; /* by kernel, array and index */
    ProfileTrace trace;
};

#endif
