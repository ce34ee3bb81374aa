/* cuda_state.h - the state of a real GPU, which all files of this folder share.
 *
 * The rule that all files of this folder keep: an asynchronous operation goes to the stream that cuda_enter() gives; any
 * call that may make the driver wait for a stream comes after cuda_release(), since a held stream would keep it waiting
 * for ever; every result of the driver passes through cuda_note() (cuda_gate.h).  */
#ifndef HARNESS_DEVICE_CUDA_CUDA_STATE_H
#define HARNESS_DEVICE_CUDA_CUDA_STATE_H

#include "harness/device/address_range.h"
#include "harness/device/cuda/cuda_driver.h"
#include "harness/device/device.h"

enum {
    CUDA_HELD_AT_MOST = 400,      /* operations: the driver's own queues have room for a thousand */
    CUDA_BOUNCE_BYTES = 64 << 10, /* a slot for host data that is copied while its stream is held */
    CUDA_BOUNCE_SLOTS = 64,
    CUDA_LAST_KERNELS = 4,
    CUDA_ZONE_ROOM = 2 * ADDRESS_ZONE_BYTES + ADDRESS_ALIGNMENT, /* the zones of one piece */
    CUDA_ZONES_AT_ONCE = 32
};

struct DeviceStream {
    CuStream raw;
    bool non_blocking;
    CuEvent joint;    /* where another stream waits for this one's work */
    uint32_t held_in; /* the turn of the gate in which it is held */
    bool used;        /* in the bracket, or since the device was last idle */
    DeviceStream *next;
};

struct DeviceEvent {
    CuEvent raw;
    bool recorded;
};

struct DeviceFunction {
    CuFunction raw;
    const CudaDriver *driver;
    char *name; /* mangled */
    uint32_t parameter_count, parameter_bytes;
    uint32_t *offsets, *sizes;
    DeviceFunction *next;
};

typedef struct CudaVariable {
    char *name;
    uint64_t address, bytes;
    struct CudaVariable *next;
} CudaVariable;

typedef struct CudaDevice CudaDevice;

struct DeviceModule {
    CuModule raw;
    CudaDevice *cuda;
    DeviceFunction *functions;
    CudaVariable *variables; /* that were asked for: nobody else knows their addresses */
    DeviceModule *next;
};

/* Memory that host and device both see, and the device writes without a copy. */
typedef struct CudaShared {
    volatile uint32_t gate;  /* held streams wait until it reaches their turn */
    volatile uint64_t nonce; /* written in stream order after the last operation */
} CudaShared;

typedef struct CudaBracket {
    bool open;      /* between begin and end */
    bool started;   /* `start` is recorded */
    bool marked;    /* `stop` and the nonce stand behind the last operation */
    bool arrived;   /* the nonce has come, at arrived_s */
    uint64_t nonce; /* the one that is awaited */
    double released_s, arrived_s;
    CuEvent start, stop;
} CudaBracket;

struct CudaDevice {
    Device device; /* first, so that a Device is a CudaDevice */
    const CudaDriver *driver;
    int ordinal;
    bool has_context;
    CudaShared *shared;
    CuAddress gate_address, nonce_address;

    bool holding;  /* the gate is closed */
    uint32_t turn; /* what the gate's word must reach */
    unsigned held; /* operations behind the gate */
    bool idle;     /* nothing was submitted since cuda_wait_all() last saw the end */
    CudaBracket bracket;
    DeviceStream legacy, own; /* `own`: of the judge, never held, waits for others where it is told to */
    DeviceStream *streams;    /* all others of the submission */

    AddressRange range;
    uint64_t mapped_bytes; /* of the range, from its base on, has memory behind it */
    uint64_t memory_limit;
    uint64_t array_bytes; /* of CUDA arrays, which lie elsewhere and count all the same */
    CuAddress exchange;   /* 0: none */
    uint64_t exchange_bytes;
    uint64_t flush_address, flush_bytes;
    uint8_t zone_pattern; /* what red zones are filled with */
    uint8_t *zones;       /* pinned: room to look into them */
    uint8_t *bounce;      /* pinned: CUDA_BOUNCE_SLOTS slots */
    unsigned bounce_used;

    DeviceModule *modules;
    CudaError sticky;
    DeviceFault fault;
    DeviceStatistics statistics;
    double time_limit_s, waited_s;
    const char *last_kernels[CUDA_LAST_KERNELS]; /* launched since the device was last idle */
    unsigned last_kernel_count;
};

static inline CudaDevice *cuda_of(Device *device)
{
    return (CudaDevice *)device;
}

#endif
