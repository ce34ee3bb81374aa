/* device_info.h - what is known of a CUDA device: its name, its limits, and the ceilings of its speed.
 *
 * Source   CUDA Runtime API 13.0, "cudaDeviceProp", for the limits.  */
#ifndef HARNESS_DEVICE_DEVICE_INFO_H
#define HARNESS_DEVICE_DEVICE_INFO_H

#include <stdbool.h>
#include <stdint.h>

typedef struct DeviceInfo {
    char handle[64];       /* the name that opens this very device: "sim:h200", "cuda:0" */
    char id[64];           /* key of stored times: "sim-h200", or the model's name with dashes */
    char name[256];        /* as cudaDeviceProp.name has it */
    char uuid[48];         /* "GPU-5a0c...": this one device among all of its model; "" for the simulated GPU */
    char driver[64];       /* driver version; "simgpu" for the simulated GPU */
    char passed_over[300]; /* why "auto" did not take a GPU; "": it took one, or another device was named */
    char unconfined[160];  /* what of the broker's sandbox the kernel did not offer; "": nothing, or not open yet */
    bool modelled;         /* times come from a model, not from a clock */
    bool calibrated;       /* the model was fitted to measurements on such a GPU */
    int epoch;             /* version of the timing method: times of different epochs do not compare */
    int compute_major, compute_minor;
    uint32_t multiprocessors, warp_size;
    uint32_t max_threads_per_block, max_threads_per_multiprocessor, max_blocks_per_multiprocessor;
    uint32_t max_block[3], max_grid[3];
    uint32_t registers_per_block, registers_per_multiprocessor;
    uint32_t shared_bytes_per_block, shared_bytes_per_block_optin, shared_bytes_per_multiprocessor;
    uint32_t shared_reserved_bytes_per_block;
    uint32_t constant_bytes, l2_bytes;
    uint64_t memory_bytes;
    uint32_t clock_khz, memory_clock_khz, memory_bus_bits;
    double read_bytes_per_s, copy_bytes_per_s, fma_flops_per_s; /* measured ceilings; 0: not measured */
    double tf32_flops_per_s;                                    /* likewise, of the tensor cores in TF32 */
    double usual_clock_mhz; /* of the multiprocessors under load, when the ceilings were measured; 0: unknown */
    double clock_gap_s;     /* host time minus event time of the same work; 0 until the device is calibrated */
    double launch_s;        /* an empty launch, timed as a call is: median, before any code of others; 0: unknown */
    double launch_spread_s; /* half of the 95 % interval of that median */
    double usual_launch_s;  /* launch_s when the ceilings were measured; 0: unknown */
    bool pageable_access;   /* kernels can read the judge's own host memory, so nothing is ranked on this device */
} DeviceInfo;

/* What this host adds to every call: by how much an empty launch takes longer than where the ceilings were measured, but at most
 * 5 us; 0 where that is unknown, or 0.6 us or less. Two hosts with the same GPU differed by 1.1 to 1.7 us, and 26 openings of the device
 * on one host by up to 0.5 us (measured). */
double device_host_constant_s(const DeviceInfo *info);

/* A word for the device's times: "modelled", "modelled, uncalibrated", or "" where a clock takes them. */
const char *device_time_label(const DeviceInfo *info);

#endif
