/* device.h - a CUDA device as the broker sees it: the same operations on a simulated and on a real GPU.
 *
 * A new kind of device is one more file that fills in a DeviceOps; nothing else changes.
 *
 * Addresses  all device memory lies in the range of device_addresses.h.
 * Errors     every operation returns a cudaError_t value as a CudaError (cuda_error.h); 0 is success. Sticky errors stay
 *            the device's: after one, every operation returns it.
 * Order      operations on one stream happen in order; `NULL` handles are the legacy default stream, which waits for
 *            and holds up all other blocking streams.
 * Threads    used by one thread at a time.  */
#ifndef HARNESS_DEVICE_DEVICE_H
#define HARNESS_DEVICE_DEVICE_H

#include "base/status.h"
#include "harness/protocol/cuda_error.h"
#include "harness/protocol/device_addresses.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Device Device;
typedef struct DeviceModule DeviceModule; /* one fatbin, loaded */
typedef struct DeviceFunction DeviceFunction;
typedef struct DeviceStream DeviceStream;
typedef struct DeviceEvent DeviceEvent;
typedef struct DeviceArray DeviceArray;           /* a CUDA array: memory that only copies and textures reach */
typedef struct ExecutionProfile ExecutionProfile; /* execution_profile.h */

typedef struct DeviceInfo {
    char handle[64];       /* the name that opens this very device: "sim:h200", "cuda:0" */
    char id[64];           /* key of stored times: "sim-h200", or the model's name with dashes */
    char name[256];        /* as cudaDeviceProp.name has it */
    char uuid[48];         /* "GPU-5a0c...": the one device among all of its model; "" for the simulated GPU */
    char driver[64];       /* driver version; "simgpu" for the simulated GPU */
    char passed_over[300]; /* what "auto" found in place of a driver that works; "" where nothing need be said of it */
    bool modelled;         /* times come from a model, not from a clock */
    bool calibrated;       /* the model was held against such hardware */
    int epoch;             /* times of different epochs do not compare */
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
    double read_bytes_per_s, copy_bytes_per_s, fma_flops_per_s; /* measured ceilings; 0 where not measured */
    double usual_clock_mhz; /* of the multiprocessors under load, when the ceilings were measured; 0: not known */
    double clock_gap_s; /* what the host's clock shows beyond the events around the same work; known once it is open */
    bool pageable_access; /* kernels can reach the judge's own host memory: nothing that runs there is ranked */
} DeviceInfo;

typedef struct DeviceFunctionInfo {
    uint32_t parameter_count, parameter_bytes;
    const uint32_t *parameter_offsets, *parameter_sizes; /* live as long as the module */
    uint32_t registers, static_shared_bytes, local_bytes, constant_bytes, max_threads_per_block;
    uint32_t max_dynamic_shared_bytes;
    int ptx_version, binary_version; /* 90 for 9.0 */
} DeviceFunctionInfo;

typedef struct DeviceLaunch {
    DeviceFunction *function;
    uint32_t grid[3], block[3];
    uint32_t dynamic_shared_bytes;
    const void *parameters; /* parameter_bytes of them at their PTX offsets */
    size_t parameter_bytes;
    DeviceStream *stream;
} DeviceLaunch;

/* What went wrong on the device, for the student. */
typedef enum DeviceFaultKind {
    DEVICE_NO_FAULT,
    DEVICE_FAULT,       /* illegal address, misaligned access, trap, bad barrier: a sticky error */
    DEVICE_TIME_LIMIT,  /* a kernel ran past its budget */
    DEVICE_UNSUPPORTED, /* this device cannot run the kernel: an instruction that is not implemented */
    DEVICE_BAD_LAUNCH   /* a launch that CUDA refuses; not sticky */
} DeviceFaultKind;
typedef struct DeviceFault {
    DeviceFaultKind kind;
    char text[600]; /* one sentence, with kernel, block, thread, address and source line where known */
} DeviceFault;

/* Sums since reset_statistics. Counts that a device cannot see are absent (has_counters false). */
typedef struct DeviceStatistics {
    uint64_t kernels, copies;
    bool has_counters;
    uint64_t lane_instructions, warp_instructions, fma32;
    uint64_t global_load_requests, global_load_sectors, global_store_requests, global_store_sectors;
    uint64_t texture_requests, texture_sectors;
    uint64_t shared_requests, shared_wavefronts, constant_requests, constant_replays;
    double occupancy;  /* of the longest kernel */
    char limiter[16];  /* of the longest kernel */
    char longest[256]; /* its name */
} DeviceStatistics;

typedef struct DeviceBracket { /* the device work of one solve(), on both clocks */
    double event_s;            /* from the first operation to the end of the last, by the device's own clock */
    double host_s;             /* the same by the host's clock; 0 on a device with one clock */
    bool pending;              /* when solve() returned, work was still under way */
} DeviceBracket;

/* Of one channel of an array or a texture; the numbers of CUarray_format (cuda.h of CUDA 13.0). */
typedef enum DeviceFormat {
    DEVICE_UINT8 = 0x01,
    DEVICE_UINT16 = 0x02,
    DEVICE_UINT32 = 0x03,
    DEVICE_SINT8 = 0x08,
    DEVICE_SINT16 = 0x09,
    DEVICE_SINT32 = 0x0a,
    DEVICE_FLOAT16 = 0x10,
    DEVICE_FLOAT32 = 0x20
} DeviceFormat;

typedef struct DeviceShape {       /* of an array */
    uint64_t width, height, depth; /* elements; 0: that dimension does not exist */
    DeviceFormat format;
    uint32_t channels; /* 1, 2 or 4 */
    bool gather;       /* tex2Dgather() may read it */
} DeviceShape;

typedef struct DevicePlace { /* one end of a copy of a box: the first of the three that is set */
    DeviceArray *array;
    void *host;
    uint64_t address;
    uint64_t pitch, slice_rows; /* host and device memory: bytes from row to row, rows from slice to slice */
    uint64_t x_bytes, y, z;     /* an array: where the box begins; else 0 */
} DevicePlace;

typedef struct DeviceBox { /* all at least 1 */
    uint64_t width_bytes, height, depth;
} DeviceBox;

/* The numbers of the driver's enumerations. */
typedef enum DeviceAddressMode {
    DEVICE_ADDRESS_WRAP,
    DEVICE_ADDRESS_CLAMP,
    DEVICE_ADDRESS_MIRROR,
    DEVICE_ADDRESS_BORDER,
    DEVICE_ADDRESS_MODES
} DeviceAddressMode;
typedef enum DeviceFilterMode { DEVICE_FILTER_POINT, DEVICE_FILTER_LINEAR, DEVICE_FILTER_MODES } DeviceFilterMode;

typedef struct DeviceTexture { /* what a texture object reads, and how */
    DeviceArray *array;        /* NULL: device memory, */
    uint64_t address;          /*   whose format and channels these are: */
    DeviceFormat format;
    uint32_t channels;
    uint64_t bytes;         /* linear memory; 0: rows, */
    uint64_t width, height; /*   elements of a row, and rows */
    uint64_t pitch;         /*   bytes from row to row */
    DeviceAddressMode address_mode[3];
    DeviceFilterMode filter_mode;
    bool as_integer; /* 8 and 16 bits are not mapped to [0, 1] or [-1, 1] */
    bool normalized; /* coordinates are fractions of the extents */
    bool srgb;
    uint32_t max_anisotropy;
    float border[4];
} DeviceTexture;

/* How kernels get at an array: through constant memory, or directly. */
typedef struct DeviceProbe {
    const uint32_t *words,
        *others; /* [count]. While a kernel runs, each word of its module's constant variables that is
                                     * one of `words` is the other at the same place; the two have none in common */
    size_t count;
    uint64_t source, target; /* allocations: the array, and what is computed from it */
    char direct_load[400];   /* filled in: "kernel blur (blur.cu:31)", the first kernel that stored into the target
                                     * and loaded from the source, and where; empty: none yet */
} DeviceProbe;

typedef struct DeviceNamed { /* an array of the call's, for messages */
    const char *name;
    uint64_t address, bytes;
    uint32_t element_bytes;
    bool is_unwritten; /* what it holds is no contents: reading it is a finding until a kernel has written it */
} DeviceNamed;

enum { DEVICE_MAX_FINDINGS = 4, DEVICE_MAX_NAMED = 16 };

typedef struct DeviceFinding { /* undefined, though it went some way: what kind and where, in one sentence */
    bool is_undefined;         /* a value that could be anything, of a lane that takes no part in a shuffle */
    bool is_unwritten;         /*   or of bytes that nothing has written, */
    bool is_global;            /*     in global memory */
    char text[600];
} DeviceFinding;

typedef struct DeviceFindings {
    DeviceFinding items[DEVICE_MAX_FINDINGS];
    uint32_t count, more; /* listed here; found beyond that */
} DeviceFindings;

/* What is known of a call's arrays, and what its kernels did that they should not. */
typedef struct DeviceCheck {
    DeviceNamed arrays[DEVICE_MAX_NAMED];
    size_t array_count;
    uint8_t uninitialised_byte; /* what fresh memory of every kind holds; 0: the device's own choice */
    bool is_watched;            /* look for races and reads of what nothing has written, in launches of moderate size.
                                * A race that can change what is computed is a fault */
    bool is_untimed;            /* nobody asks for times and counters. Where times are modelled, launches may be said to
                                * take any, and only instructions be counted, as long as there was no timed event */
    DeviceFindings findings;    /* filled in: all but faults */
} DeviceCheck;

typedef struct DeviceOps {
    void (*close)(Device *device);

    /* Device memory. `alloc` fails with CUDA_ERROR_MEMORY_ALLOCATION past the limit. */
    CudaError (*alloc)(Device *device, uint64_t bytes, uint64_t *address);
    CudaError (*release)(Device *device, uint64_t address);
    void (*set_memory_limit)(Device *device, uint64_t bytes);
    uint64_t (*allocated_bytes)(Device *device);
    /* Whether a kernel has stored into the allocation at `address` since reset_statistics: 1, 0, or -1 (cannot tell). */
    int (*kernel_wrote)(Device *device, uint64_t address);
    /* True where [address, address + bytes) lies in one living allocation or module variable. */
    bool (*owns)(Device *device, uint64_t address, uint64_t bytes);

    /* Copies. Device addresses against host memory of the broker; ordered on the stream; `read` returns when the bytes
     * are there, `write` may return as soon as the source can be reused. */
    CudaError (*write)(Device *device, uint64_t to, const void *from, uint64_t bytes, DeviceStream *stream);
    CudaError (*read)(Device *device, void *to, uint64_t from, uint64_t bytes, DeviceStream *stream);
    CudaError (*copy)(Device *device, uint64_t to, uint64_t from, uint64_t bytes, DeviceStream *stream);
    CudaError (*fill)(Device *device, uint64_t to, uint8_t value, uint64_t bytes, DeviceStream *stream);

    /* Modules, functions, variables; by the mangled names that nvcc registers. */
    Status (*module_load)(Device *device, const void *image, size_t bytes, DeviceModule **module, Message *why);
    void (*module_unload)(Device *device, DeviceModule *module);
    DeviceFunction *(*function)(DeviceModule *module, const char *name);
    bool (*variable)(DeviceModule *module, const char *name, uint64_t *address, uint64_t *bytes);
    void (*function_info)(DeviceFunction *function, DeviceFunctionInfo *info);
    CudaError (*function_set_dynamic_shared)(DeviceFunction *function, uint32_t bytes);
    uint32_t (*occupancy)(Device *device, DeviceFunction *function, uint32_t threads, uint32_t dynamic_shared_bytes);

    CudaError (*launch)(Device *device, const DeviceLaunch *launch);

    /* Streams and events. An event's time is in seconds on the device's own clock; only timed ones have one. */
    CudaError (*stream_new)(Device *device, bool non_blocking, DeviceStream **stream);
    CudaError (*stream_free)(Device *device, DeviceStream *stream);
    CudaError (*stream_synchronize)(Device *device, DeviceStream *stream);
    CudaError (*stream_query)(Device *device, DeviceStream *stream);
    CudaError (*stream_wait)(Device *device, DeviceStream *stream, DeviceEvent *event);
    CudaError (*event_new)(Device *device, bool is_timed, DeviceEvent **event);
    CudaError (*event_free)(Device *device, DeviceEvent *event);
    CudaError (*event_record)(Device *device, DeviceEvent *event, DeviceStream *stream);
    CudaError (*event_synchronize)(Device *device, DeviceEvent *event);
    CudaError (*event_query)(Device *device, DeviceEvent *event);
    CudaError (*event_elapsed)(Device *device, DeviceEvent *start, DeviceEvent *stop, double *seconds);
    /* Waits for all streams. */
    CudaError (*synchronize)(Device *device);

    /* The bracket around one solve(): from the first operation after `begin` to the end of the last one before `end`,
     * all streams. `begin` waits for earlier work, makes the caches cold and holds every stream until the first call
     * that has to wait; `end` drains. */
    CudaError (*bracket_begin)(Device *device);
    CudaError (*bracket_end)(Device *device, DeviceBracket *bracket);
    /* The host code has been silent for a while: what is held may go. */
    void (*let_go)(Device *device);
    /* Waiting for the device fails with CUDA_ERROR_LAUNCH_TIMEOUT once it has worked this long since reset_statistics;
     * 0: never. For devices with a clock. */
    void (*set_time_limit)(Device *device, double seconds);
    /* Host memory that `read` and `write` are about to use much; a device may copy faster once it knows. */
    void (*pin)(Device *device, void *memory, size_t bytes);
    void (*unpin)(Device *device, void *memory);

    /* The exchange: one piece of device memory that two processes, each with the device open, share: made by the one,
     * joined by the other through its descriptor. It lies outside the range, so that no address handed to the operations
     * above means it. CUDA_ERROR_NOT_SUPPORTED: the driver cannot share memory. The operations are NULL on a device
     * whose memory is the process's own. */
    CudaError (*exchange_new)(Device *device, uint64_t bytes, int *descriptor);
    CudaError (*exchange_join)(Device *device, int descriptor, uint64_t bytes);
    CudaError (*exchange_leave)(Device *device);
    /* Copies from and to memory of the range, over when they return; `offset` is counted from the exchange's begin. */
    CudaError (*exchange_put)(Device *device, uint64_t offset, uint64_t from, uint64_t bytes);
    CudaError (*exchange_take)(Device *device, uint64_t to, uint64_t offset, uint64_t bytes);

    void (*reset_statistics)(Device *device);
    void (*statistics)(Device *device, DeviceStatistics *statistics);
    /* The first fault since reset_statistics. */
    void (*fault)(Device *device, DeviceFault *fault);
    /* Work that a kernel may do until the next call, in warp-instructions; 0: unlimited. For devices that count. */
    void (*set_budget)(Device *device, uint64_t warp_instructions);
    /* Device-side printf since the last call. */
    size_t (*take_output)(Device *device, char *buffer, size_t size);

    /* Arrays, whose bytes count against the memory limit. Shapes are such as array_check.h accepts. */
    CudaError (*array_new)(Device *device, const DeviceShape *shape, DeviceArray **array);
    CudaError (*array_free)(Device *device, DeviceArray *array);
    /* Copies a box between device memory, arrays and, at one end at most, host memory, which can be reused when it
     * returns. The caller has seen to it that the box lies within both. */
    CudaError (*copy_box)(Device *device, const DevicePlace *to, const DevicePlace *from, const DeviceBox *box,
                          DeviceStream *stream);
    /* Fills `height` rows of `width` bytes each, `pitch` bytes apart. */
    CudaError (*fill_rows)(Device *device, uint64_t to, uint64_t pitch, uint8_t value, uint64_t width, uint64_t height,
                           DeviceStream *stream);
    /* Textures: `number` is what a kernel gets as its cudaTextureObject_t. CUDA_ERROR_NOT_SUPPORTED: the device has
     * none of that kind. */
    CudaError (*texture_new)(Device *device, const DeviceTexture *texture, uint64_t *number);
    CudaError (*texture_free)(Device *device, uint64_t number);

    /* Probes every kernel from now on; NULL: none any more. The probe stays the caller's. The operation itself is NULL on
     * a device that cannot do this. */
    void (*probe)(Device *device, DeviceProbe *probe);
    /* Adds what every launch and copy does to the profile from now on; NULL: to none any more. The profile stays the
     * caller's. The operation itself is NULL on a device that cannot do this. */
    void (*profile)(Device *device, ExecutionProfile *profile);
    /* Checks every kernel from now on; NULL: none any more. The check stays the caller's. The operation itself is NULL
     * on a device that cannot do this. */
    void (*check)(Device *device, DeviceCheck *check);
} DeviceOps;

struct Device {
    const DeviceOps *ops;
    DeviceInfo info;
};

/* Opens "auto", "cuda", "cuda:N", "sim" or "sim:PROFILE"; "auto" is a GPU where there is one, else "sim". */
MUST_USE Status device_open(const char *name, Device **device, Message *why);
/* What is known of the same without opening it: no memory of it is taken, nobody's work on it is disturbed. */
MUST_USE Status device_describe(const char *name, DeviceInfo *info, Message *why);
/* How its times are called: "modelled", "modelled, uncalibrated"; "" where a clock takes them. */
const char *device_times(const DeviceInfo *info);

#endif
