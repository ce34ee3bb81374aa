/* hardware_profile.h - the properties of a model of GPU, read from simgpu/profiles/<name>.json.
 *
 * Units are in the names. The JSON file names the source of each value under "sources".  */
#ifndef SIMGPU_COST_HARDWARE_PROFILE_H
#define SIMGPU_COST_HARDWARE_PROFILE_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PROFILE_REACHES = 4 };

/* Kernels for which the model is about equally good, by what limits the longest kernel of a call. */
typedef enum ModelKind {
    MODEL_COMPUTING, /* instructions, arithmetic, load/store units, textures, tensor cores */
    MODEL_MEMORY,    /* memory, the L2, the heap */
    MODEL_WAITING,   /* latency, starts of blocks and launches */
    MODEL_CONSTANTS, /* the constant cache */
    MODEL_KINDS
} ModelKind;

/* What makes a modelled time less certain than others of its kind: its name, and why, in words. */
#define MODEL_DOUBT_LIST(DOUBT)                                                                                        \
    DOUBT(unknown_code, "the model cannot relate a kernel's machine code to its PTX")                                  \
    DOUBT(thin_sample, "less than a twentieth of a kernel's blocks was simulated")                                     \
    DOUBT(textures, "a kernel fetches from textures")                                                                  \
    DOUBT(matrices, "a kernel uses tensor cores")                                                                      \
    DOUBT(atomics, "a kernel uses atomic operations")                                                                  \
    DOUBT(uneven_blocks, "some multiprocessors have more work than others")                                            \
    DOUBT(launches, "more than four kernels are launched")                                                             \
    DOUBT(streams, "work runs in several streams")                                                                     \
    DOUBT(host_work, "the device waits for the host between two operations")

typedef enum ModelDoubt {
#define DOUBT_VALUE(NAME, WORDS) DOUBT_##NAME,
    MODEL_DOUBT_LIST(DOUBT_VALUE) MODEL_DOUBTS
} ModelDoubt;

typedef struct HardwareProfile {
    char name[32];  /* "h200": the file's name */
    char title[64]; /* "NVIDIA H200" */
    int compute_major, compute_minor;
    bool calibrated; /* its times were compared with hardware, not only taken from data sheets */
    int epoch;       /* raised when the cost model or these numbers change: times of different epochs do not compare */

    uint32_t multiprocessors;
    uint32_t max_threads_per_block, max_threads_per_multiprocessor, max_blocks_per_multiprocessor;
    uint32_t max_block[3], max_grid[3];
    uint32_t registers_per_multiprocessor, max_registers_per_thread; /* of 32 bits */
    uint32_t register_allocation_unit;                               /* per warp */
    uint32_t shared_bytes_per_block, shared_bytes_per_block_optin, shared_bytes_per_multiprocessor;
    uint32_t shared_reserved_bytes_per_block;
    uint32_t constant_bytes, l1_bytes, l2_bytes; /* L1: per multiprocessor, with its shared memory */
    uint64_t memory_bytes;

    double clock_hz;
    double warp_schedulers;                                      /* per multiprocessor: warp-instructions per cycle */
    double fp32_lanes, fp64_lanes, integer_lanes, special_lanes; /* per multiprocessor and cycle */
    double tensor_multiply_adds;                                 /* of float16 by mma, per multiprocessor and cycle */
    double warpgroup_multiply_adds;                              /* the same by wgmma; without it, as by mma */
    double load_store_wavefronts;                                /* per multiprocessor and cycle */
    double sectors_per_wavefront; /* of a global request, beyond the first, that each further wavefront serves */
    double constant_loads;        /* addresses of warp requests (LDC), per multiprocessor and cycle */
    double uniform_loads;         /* warp requests through the uniform datapath (ULDC) that hit its cache */
    double dram_read_bytes_per_s, dram_copy_bytes_per_s; /* copy: read plus written */
    double l2_bytes_per_s;
    double bus_bytes_per_s;                              /* host to device */
    double fma_flops_per_s;                              /* float32, two per FMA, measured peak */
    double global_latency_s, l2_latency_s, l1_latency_s; /* of a global load that memory, the L2, the L1 serves */
    double shared_latency_s, constant_latency_s;         /* constant: of a hit */
    double arithmetic_latency_s;                         /* from one instruction of a warp to the next, on average */
    double constant_cache_bytes;                         /* for constants that are operands of instructions */
    double uniform_reach_bytes[PROFILE_REACHES]; /* size of an array of which half the loads by ULDC miss, if 2, 4, 8,
                                                  * 16 blocks that fill a multiprocessor read it at once */
    double uniform_miss_latency_s;               /* of a load by ULDC that misses the nearest four lines of its cache */
    double constant_miss_s;                      /* a multiprocessor's time for a warp request that misses */
    double launch_s;                             /* of a kernel, beyond its own work */
    double events_s;                             /* between two events with no work between them */
    double host_wait_s;                /* from the end of the work that the host waits for to the start of the next */
    double block_start_s;              /* a multiprocessor's time from one block's start to the next one's */
    double copy_overhead_s;            /* of a copy within the device beyond its bytes */
    double bus_overhead_s;             /* of a copy from or to the host */
    double combine_power;              /* cost.h */
    double model_factors[MODEL_KINDS]; /* within which a time of the GPU lies of nine in ten modelled times, by kind */
    double doubts[MODEL_DOUBTS];       /* each multiplies that factor where it applies: "doubt_textures" */
    double block_waits; /* how long all warps of a block wait together, in latencies of memory (cost.h) */
} HardwareProfile;

/* Reads <folder>/<name>.json. BAD_INPUT, with file and line: a value is unknown, missing, out of range or without a
 * source. NOT_FOUND, with the known names: there is no such file. */
MUST_USE Status hardware_profile_read(const char *folder, const char *name, HardwareProfile *profile, Message *why);

/* Names of all profiles in `folder`, comma-separated, for messages. */
void hardware_profile_names(const char *folder, char *text, size_t size);

#endif
