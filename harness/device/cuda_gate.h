/* cuda_gate.h - holds the streams of a real GPU, waits for them, and times brackets on both clocks.  */
#ifndef HARNESS_DEVICE_CUDA_GATE_H
#define HARNESS_DEVICE_CUDA_GATE_H

#include "harness/device/cuda_driver.h"
#include "harness/device/device.h"
#include "harness/device/host_origin.h"

/* ==== cuda state ================================================================================================== */

/* The state of a real GPU, which all files of this folder share.
 *
 * The rule that all files of this folder keep: an asynchronous operation goes to the stream that cuda_enter() gives;
 * any call that may make the driver wait for a stream comes after cuda_release(), since a held stream would keep it
 * waiting for ever; every result of the driver passes through cuda_note(). */

enum {
    CUDA_MAX_HELD = 400,          /* operations; the driver's own queues have room for a thousand */
    CUDA_BOUNCE_BYTES = 64 << 10, /* size of a slot for host data whose copy waits in a held stream */
    CUDA_BOUNCE_SLOTS = 64,
    CUDA_LAST_KERNELS = 4,
    CUDA_ZONE_ROOM = 2 * ADDRESS_ZONE_BYTES + ADDRESS_ALIGNMENT, /* the red zones of one piece */
    CUDA_ZONES_AT_ONCE = 32
};

struct DeviceStream {
    CuStream raw;
    bool non_blocking;
    CuEvent joint;     /* lets another stream wait for this one's work */
    uint64_t held_for; /* the word of the gate for which it waits */
    bool used;         /* since the bracket began, or since the device was last idle */
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
    CudaVariable *variables; /* those that were looked up; no others can be used from the host */
    DeviceModule *next;
};

/* Pinned host memory that the device reads and writes directly. */
typedef struct CudaShared {
    volatile uint64_t gate;  /* held streams wait until it is GateWords.open */
    volatile uint64_t nonce; /* written in stream order after the last operation */
    volatile uint64_t echo;  /* written in the order of a stream that seems to be idle */
} CudaShared;

typedef struct GateWords { /* random numbers, new in each bracket */
    uint64_t closed, open;
} GateWords;

typedef struct CudaBracket {
    bool open;        /* between begin and end */
    bool started;     /* `start` is recorded */
    bool marked;      /* `stop` and the nonce are queued behind the last operation */
    bool arrived;     /* the nonce was written, at arrived_s */
    bool gate_forged; /* the gate's word had changed before the judge opened the gate */
    uint64_t nonce;   /* the number that the device is to write */
    double released_s, arrived_s;
    double idle_s;            /* when the work behind the last mark was first seen to have ended */
    double late_s;            /* how much later than it should an echo arrived */
    bool pausing;             /* nothing was submitted since pause_s, when the host saw that all work had ended */
    double pause_s, pauses_s; /* pauses_s: sum of the times between the end of all work and the next operation */
    CuEvent start, stop;
} CudaBracket;

struct CudaDevice {
    Device device; /* first, so that a Device is a CudaDevice */
    const CudaDriver *driver;
    int ordinal;
    bool has_context;
    CudaShared *shared;
    CuAddress gate_address, nonce_address, echo_address;

    bool holding; /* the gate is closed */
    GateWords words;
    unsigned held;       /* operations that wait behind the gate */
    CuModule empty;      /* an empty kernel, until it has been timed; NULL: none */
    double usual_echo_s; /* from the submission of an echo to its arrival, if the device is idle; 0: not measured */
    bool idle;           /* nothing was submitted since cuda_wait_all() last returned */
    CudaBracket bracket;
    DeviceStream legacy, own; /* `own` is the judge's; it is never held */
    DeviceStream *streams;    /* all others */

    AddressRange range;
    uint64_t mapped_bytes; /* bytes of the range, from its base on, that have memory behind them */
    uint64_t memory_limit;
    uint64_t array_bytes; /* of CUDA arrays, which lie outside the range and count as well */
    HostOrigin host_origin;
    uint64_t array_places; /* places of arrays in host_origin that have been given out; behind CUDA_ARRAY_PLACES */
    CuAddress exchange;    /* 0: none */
    uint64_t exchange_bytes;
    uint64_t flush_address, flush_bytes;
    uint8_t *zones;  /* pinned memory into which red zones are copied for their check */
    uint8_t *bounce; /* pinned memory: CUDA_BOUNCE_SLOTS slots */
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

/* ==== cuda fault ================================================================================================== */

/* Errors that end a context of a real GPU, in words for the student. */

/* Keeps a sticky error and describes it in the device's fault. Returns `error`. */
CudaError cuda_note(CudaDevice *cuda, CudaError error);

/* ==== cuda stream ================================================================================================= */

/* Streams and events of a real GPU. */

extern const DeviceStreamOps CUDA_STREAM_OPS;
extern const DeviceEventOps CUDA_EVENT_OPS;

/* Creates the driver's part of the legacy default stream and of the judge's own. */
MUST_USE CudaError cuda_streams_open(CudaDevice *cuda);
/* Frees what the host keeps of all streams; the driver's part goes with the context. */
void cuda_streams_free(CudaDevice *cuda);

/* ==== cuda gate =================================================================================================== */

/* The driver's stream for one asynchronous operation that is about to follow; NULL is the legacy default stream. */
MUST_USE CudaError cuda_enter(CudaDevice *cuda, DeviceStream *stream, CuStream *raw);
/* Opens the gate if operations wait behind it. */
MUST_USE CudaError cuda_release(CudaDevice *cuda);
/* Opens the gate between cuda_enter() and an operation that the driver may carry out at once: a copy from pageable
 * memory, a read. */
void cuda_open_for_copy(CudaDevice *cuda);
/* Open the gate and wait: for a stream, an event, everything. */
MUST_USE CudaError cuda_wait(CudaDevice *cuda, DeviceStream *stream);
MUST_USE CudaError cuda_wait_all(CudaDevice *cuda);
/* Waits for the judge's own stream, which is never held; does not open the gate. */
MUST_USE CudaError cuda_wait_own(CudaDevice *cuda);
/* Looks whether the work has ended, without waiting. The sooner its end is seen, the better the host's clock. */
void cuda_observe(CudaDevice *cuda);
/* False while work of the bracket is under way. */
bool cuda_is_idle(CudaDevice *cuda);

/* Measures how long a number takes to arrive which the judge's own stream writes. The stream must be idle. */
MUST_USE CudaError cuda_measure_echo(CudaDevice *cuda, double *took_s);

/* Begin and end a bracket (DeviceTimingOps). They do not check the red zones. */
MUST_USE CudaError cuda_bracket_begin(CudaDevice *cuda);
MUST_USE CudaError cuda_bracket_end(CudaDevice *cuda, DeviceBracket *bracket);

/* ==== cuda module ================================================================================================= */

/* Modules and kernel launches of a real GPU. */

extern const DeviceModuleOps CUDA_MODULE_OPS;
extern const DeviceKernelOps CUDA_KERNEL_OPS;

/* Frees what the host keeps of all modules; the driver's part goes with the context. */
void cuda_modules_free(CudaDevice *cuda);

#endif
