/* device_cuda.h - what the files of the real GPU share: device_cuda.c (the operations of device.h), cuda_gate.c (holding
 * streams, both clocks, waiting), cuda_memory.c (memory and copies), cuda_module.c (modules, kernels, variables),
 * cuda_exchange.c (memory shared with another process), cuda_info.c (what is known of a device) and device_cuda_array.c
 * (arrays and textures).
 *
 * The rule that all of them keep: an asynchronous operation goes to the stream that cuda_enter() gives; whatever may make
 * the driver wait for a stream is preceded by cuda_release(), since a stream that is held would keep it waiting for ever;
 * every answer of the driver passes through cuda_note().  */
#ifndef HARNESS_DEVICE_CUDA_DEVICE_CUDA_H
#define HARNESS_DEVICE_CUDA_DEVICE_CUDA_H

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

/* ---- cuda_gate.c ------------------------------------------------------------------------------------------------- */

/* Keeps a sticky error, and says in the fault what happened; gives the error back. */
CudaError cuda_note(CudaDevice *cuda, CudaError error);
/* The driver's stream for one asynchronous operation that is about to follow; NULL is the legacy default stream. */
MUST_USE CudaError cuda_enter(CudaDevice *cuda, DeviceStream *stream, CuStream *raw);
/* Opens the gate, if anything is behind it. */
MUST_USE CudaError cuda_release(CudaDevice *cuda);
/* Between cuda_enter() and an operation that the driver may carry out at once: pageable copies, reading. */
void cuda_let_through(CudaDevice *cuda);
/* Release and wait: for a stream, an event, everything. */
MUST_USE CudaError cuda_wait(CudaDevice *cuda, DeviceStream *stream);
MUST_USE CudaError cuda_wait_event(CudaDevice *cuda, CuEvent event);
MUST_USE CudaError cuda_wait_all(CudaDevice *cuda);
/* For what was put into the judge's own stream, which is never held; does not open the gate. */
MUST_USE CudaError cuda_wait_own(CudaDevice *cuda);
/* Looks whether the end of the work has come, without waiting: the sooner it is seen, the better the host's clock. */
void cuda_observe(CudaDevice *cuda);
/* The work of a stream that is about to go counts on. */
MUST_USE CudaError cuda_join(CudaDevice *cuda, DeviceStream *stream);
CudaError cuda_bracket_begin(Device *device);
CudaError cuda_bracket_end(Device *device, DeviceBracket *bracket);

/* ---- cuda_memory.c ----------------------------------------------------------------------------------------------- */

CudaError cuda_alloc(Device *device, uint64_t bytes, uint64_t *address);
CudaError cuda_free(Device *device, uint64_t address);
bool cuda_owns(Device *device, uint64_t address, uint64_t bytes);
CudaError cuda_write(Device *device, uint64_t to, const void *from, uint64_t bytes, DeviceStream *stream);
CudaError cuda_read(Device *device, void *to, uint64_t from, uint64_t bytes, DeviceStream *stream);
CudaError cuda_copy(Device *device, uint64_t to, uint64_t from, uint64_t bytes, DeviceStream *stream);
CudaError cuda_fill(Device *device, uint64_t to, uint8_t value, uint64_t bytes, DeviceStream *stream);
/* What counts against the memory limit. */
static inline uint64_t cuda_used_bytes(const CudaDevice *cuda)
{
    return cuda->range.used_bytes + cuda->array_bytes;
}
/* What every copy begins with: nothing works after a fault, and ranges must be owned. */
MUST_USE CudaError cuda_check_range(CudaDevice *cuda, uint64_t address, uint64_t bytes);
/* A copy that puts so many bytes behind the address, if that is one of the range. */
void cuda_count_copy(CudaDevice *cuda, uint64_t to, uint64_t bytes);
/* Host data that may be gone when the copy's turn comes, in a slot of the judge's; NULL where there is no room. */
void *cuda_bounce(CudaDevice *cuda, const void *from, uint64_t bytes);
/* Looks into the red zones of all pieces, or of one (NULL: all); what does not hold there is a fault. */
MUST_USE CudaError cuda_check_zones(CudaDevice *cuda, const AddressPiece *only);

/* ---- cuda_exchange.c --------------------------------------------------------------------------------------------- */

CudaError cuda_exchange_new(Device *device, uint64_t bytes, int *descriptor);
CudaError cuda_exchange_join(Device *device, int descriptor, uint64_t bytes);
CudaError cuda_exchange_leave(Device *device);
CudaError cuda_exchange_put(Device *device, uint64_t offset, uint64_t from, uint64_t bytes);
CudaError cuda_exchange_take(Device *device, uint64_t to, uint64_t offset, uint64_t bytes);

/* ---- device_cuda_array.c ----------------------------------------------------------------------------------------- */

CudaError cuda_array_new(Device *device, const DeviceShape *shape, DeviceArray **array);
CudaError cuda_array_free(Device *device, DeviceArray *array);
CudaError cuda_copy_box(Device *device, const DevicePlace *to, const DevicePlace *from, const DeviceBox *box,
                        DeviceStream *stream);
CudaError cuda_fill_rows(Device *device, uint64_t to, uint64_t pitch, uint8_t value, uint64_t width, uint64_t height,
                         DeviceStream *stream);
CudaError cuda_texture_new(Device *device, const DeviceTexture *texture, uint64_t *number);
CudaError cuda_texture_free(Device *device, uint64_t number);

/* ---- cuda_module.c ----------------------------------------------------------------------------------------------- */

Status cuda_module_load(Device *device, const void *image, size_t bytes, DeviceModule **module, Message *why);
void cuda_module_unload(Device *device, DeviceModule *module);
DeviceFunction *cuda_function(DeviceModule *module, const char *name);
bool cuda_variable(DeviceModule *module, const char *name, uint64_t *address, uint64_t *bytes);
void cuda_function_info(DeviceFunction *function, DeviceFunctionInfo *info);
CudaError cuda_function_set_dynamic_shared(DeviceFunction *function, uint32_t bytes);
uint32_t cuda_occupancy(Device *device, DeviceFunction *function, uint32_t threads, uint32_t dynamic_shared_bytes);
/* What the host keeps of them; the driver's part goes with the context. */
void cuda_modules_free(CudaDevice *cuda);

/* ---- cuda_info.c ------------------------------------------------------------------------------------------------- */

MUST_USE Status cuda_describe(const CudaDriver *driver, int ordinal, DeviceInfo *info, Message *why);

#endif
