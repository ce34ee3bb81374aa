/* ring.h - the shared memory between a runner, which is not trusted, and its broker: the one header both include.
 *
 * Layout     one memfd, sealed against growing and shrinking: RingMemory, nothing else. It holds no pointers; whatever
 *            the runner puts into it is copied out before it is looked at, and positions are never read twice.
 * Requests   runner to broker: records of a RingRequest and `body_bytes` of body, in a circular buffer; one producer
 *            (the runtime holds a lock), one consumer. A request is posted (nobody waits) or a call (one reply).
 * Replies    broker to runner: one slot, since one call is under way at a time; bulk data lies in `staging`, which
 *            belongs to the runner but for the time between a call and its reply.
 * Commands   broker to runner: one slot, written only while the runner waits for it.
 * Waiting    a short spin, then a futex. Neither side notices here that the other has died: the grader does, and wakes
 *            the broker through ring_ring() or kills the runner.
 * Source     Linux futex(2), memfd_create(2), fcntl(2) "File Sealing".  */
#ifndef HARNESS_PROTOCOL_RING_H
#define HARNESS_PROTOCOL_RING_H

#include "harness/protocol/cuda_error.h"
#include "harness/protocol/solve.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    RING_BYTES = 1 << 20,          /* a power of two */
    RING_MAX_BODY = 40 * 1024,     /* a kernel takes at most 32764 bytes of parameters, which lie behind a RingLaunch */
    RING_STAGING_BYTES = 16 << 20, /* of which only what is used costs memory */
    RING_MAX_NAME = 1024,          /* of a kernel or variable, mangled, with its zero */
    RING_MAX_PARAMETERS = 4096,    /* of a kernel: far more than fit on a line of anybody's code */
    RING_REPLY_VALUES = 4,
    RING_FIRST_HANDLE = 16 /* streams, events, arrays; 0 is the default stream, 1 and 2 are other names of it */
};

/* ---- what is asked ----------------------------------------------------------------------------------------------- */

typedef enum RingKind {
    /* the runner's own */
    RING_READY = 1,    /* post: the object is loaded, its constructors have run */
    RING_LOAD_FAILED,  /* post: body: text */
    RING_RETURNED,     /* post: solve() has returned */
    RING_FLUSH,        /* call: nothing; its reply says that all earlier requests are done */
    RING_NOTE_ERROR,   /* post: RingNote: the first error that a CUDA call of the submission met */
    RING_NOTE_MISSING, /* post: RingNote: a CUDA call was used that is not provided here */
    RING_NOTE_MEMORY,  /* post: host memory was refused */
    /* modules: the fatbin lies in staging */
    RING_MODULE,     /* call: [0] bytes; gives [0] module */
    RING_FUNCTION,   /* call: RingName; gives [0] function; staging: RingFunctionInfo */
    RING_VARIABLE,   /* call: RingName; gives [0] address, [1] bytes */
    RING_SET_SHARED, /* call: [0] function, [1] bytes of dynamic shared memory */
    RING_OCCUPANCY,  /* call: [0] function, [1] threads, [2] dynamic shared bytes; gives [0] blocks */
    /* memory */
    RING_ALLOC,        /* call: [0] bytes; gives [0] address */
    RING_RELEASE,      /* call: [0] address */
    RING_MEMORY_INFO,  /* call; gives [0] free, [1] all bytes */
    RING_WRITE,        /* call: [0] to, [1] bytes, [2] stream; data in staging */
    RING_READ,         /* call: [0] from, [1] bytes, [2] stream; data in staging */
    RING_COPY,         /* call: [0] to, [1] from, [2] bytes, [3] stream */
    RING_FILL,         /* call: [0] to, [1] value, [2] bytes, [3] stream */
    RING_OWNED,        /* call: [0] address, [1] bytes; succeeds where they lie in one allocation */
    RING_COPY_BOX,     /* call: RingCopyBox; at most one of its ends in staging */
    RING_FILL_ROWS,    /* call: RingFillRows */
    RING_ARRAY_NEW,    /* call: RingArray; gives [0] array */
    RING_ARRAY_FREE,   /* call: [0] array */
    RING_TEXTURE_NEW,  /* call: RingTexture; gives [0] texture, which is what kernels get */
    RING_TEXTURE_FREE, /* call: [0] texture */
    /* work */
    RING_LAUNCH,             /* post or call: RingLaunch, then its parameters */
    RING_SYNCHRONIZE,        /* call */
    RING_STREAM_NEW,         /* call: [0] non-blocking; gives [0] stream */
    RING_STREAM_FREE,        /* call: [0] stream */
    RING_STREAM_SYNCHRONIZE, /* call: [0] stream */
    RING_STREAM_QUERY,       /* call: [0] stream */
    RING_STREAM_WAIT,        /* call: [0] stream, [1] event */
    RING_EVENT_NEW,          /* call: [0] without timing; gives [0] event */
    RING_EVENT_FREE,         /* call: [0] event */
    RING_EVENT_RECORD,       /* call: [0] event, [1] stream */
    RING_EVENT_SYNCHRONIZE,  /* call: [0] event */
    RING_EVENT_QUERY,        /* call: [0] event */
    RING_EVENT_ELAPSED,      /* call: [0] start, [1] stop; gives [0] seconds, the bits of a double */
    RING_DEVICE_INFO,        /* call; staging: RingDeviceInfo */
    RING_KIND_COUNT
} RingKind;

typedef struct RingRequest { /* the head of a record */
    uint32_t kind;
    uint32_t body_bytes; /* at most RING_MAX_BODY; the record is padded to a multiple of 8 */
    uint32_t wants_reply;
    uint32_t reserved;
} RingRequest;

typedef struct RingWords { /* the body of every request above that lists [0], [1], ... */
    uint64_t word[4];
} RingWords;

typedef struct RingName {
    uint64_t module;
    char name[RING_MAX_NAME]; /* terminated */
} RingName;

typedef struct RingNote {
    int32_t error;
    char call[60]; /* "cudaMemcpy", terminated */
} RingNote;

typedef struct RingLaunch { /* followed by parameter_bytes of parameters at their offsets */
    uint64_t function, stream;
    uint32_t grid[3], block[3];
    uint64_t dynamic_shared_bytes;
    uint32_t parameter_bytes;
    uint32_t reserved;
} RingLaunch;

typedef enum RingPlaceKind { RING_IN_STAGING = 1, RING_IN_MEMORY, RING_IN_ARRAY } RingPlaceKind;

typedef struct RingPlace { /* one end of a copy of a box */
    uint64_t kind;
    uint64_t at;                /* offset in staging, device address, or array */
    uint64_t pitch, slice_rows; /* staging and memory */
    uint64_t x_bytes, y, z;     /* array */
} RingPlace;

typedef struct RingCopyBox {
    RingPlace to, from;
    uint64_t width_bytes, height, depth;
    uint64_t stream;
} RingCopyBox;

typedef struct RingFillRows {
    uint64_t to, pitch, value, width_bytes, height;
    uint64_t stream;
} RingFillRows;

typedef enum RingFormat { /* type of one channel of an array or a texture */
                          RING_UINT8 = 1,
                          RING_UINT16,
                          RING_UINT32,
                          RING_SINT8,
                          RING_SINT16,
                          RING_SINT32,
                          RING_FLOAT16,
                          RING_FLOAT32,
                          RING_FORMAT_COUNT
} RingFormat;

typedef struct RingArray {         /* a CUDA array */
    uint64_t width, height, depth; /* elements; 0: the array does not have this dimension */
    uint32_t format;               /* RingFormat */
    uint32_t channels;             /* 1, 2 or 4 */
    uint64_t gather;               /* 1: tex2Dgather() may read it; else 0 */
} RingArray;

typedef struct RingTexture {
    uint64_t array; /* the array it reads; 0: it reads device memory, described by the next seven fields */
    uint64_t address;
    uint64_t bytes;            /* of linear memory; 0: the memory has rows */
    uint64_t width, height;    /* elements in a row, number of rows */
    uint64_t pitch;            /* bytes from row to row */
    uint32_t format, channels; /* as in RingArray */
    uint32_t address_mode[3];  /* cudaTextureAddressMode */
    uint32_t filter_mode;      /* cudaTextureFilterMode */
    uint32_t as_integer;       /* 1: integers are read as they are, not mapped to [0, 1] or [-1, 1]; else 0 */
    uint32_t normalized;       /* 1: coordinates are fractions of the extents; else 0 */
    uint32_t srgb, max_anisotropy;
    float border[4];
} RingTexture;

/* What cudaGetDeviceProperties() and cudaDeviceGetAttribute() report about the device, and nothing else about it. */
typedef struct RingDeviceInfo {
    char name[256]; /* terminated */
    uint64_t memory_bytes;
    uint32_t compute_major, compute_minor;
    uint32_t multiprocessors, warp_size;
    uint32_t max_threads_per_block, max_threads_per_multiprocessor, max_blocks_per_multiprocessor;
    uint32_t max_block[3], max_grid[3];
    uint32_t registers_per_block, registers_per_multiprocessor;
    uint32_t shared_bytes_per_block, shared_bytes_per_block_optin, shared_bytes_per_multiprocessor;
    uint32_t shared_reserved_bytes_per_block;
    uint32_t constant_bytes, l2_bytes;
    uint32_t clock_khz, memory_clock_khz, memory_bus_bits;
    uint32_t max_array_1d, max_array_2d[2], max_array_3d; /* elements on each side of an array */
    uint32_t max_gather_2d;                               /* the same for an array that tex2Dgather() may read */
} RingDeviceInfo;

typedef struct RingFunctionInfo {
    uint32_t parameter_count, parameter_bytes;
    uint32_t registers, static_shared_bytes, local_bytes, constant_bytes, max_threads_per_block;
    uint32_t max_dynamic_shared_bytes;
    int32_t ptx_version, binary_version;
    uint32_t offsets[RING_MAX_PARAMETERS], sizes[RING_MAX_PARAMETERS];
} RingFunctionInfo;

typedef struct RingReply {
    int32_t error;        /* of this call */
    int32_t posted_error; /* the first error of a posted launch since the last reply; 0: none */
    uint64_t value[RING_REPLY_VALUES];
} RingReply;

typedef struct RingCommand { /* to call solve(), once */
    uint64_t word[SOLVE_MAX_WORDS];
} RingCommand;

/* ---- the memory itself ------------------------------------------------------------------------------------------- */

typedef struct RingMemory {
    _Alignas(64) _Atomic uint64_t written; /* bytes the runner has ever put into the buffer */
    _Alignas(64) _Atomic uint64_t taken;   /* bytes the broker has ever taken out */
    _Alignas(64) _Atomic uint32_t bell;    /* futex: the broker sleeps on it */
    _Atomic uint32_t broker_sleeps;
    _Alignas(64) _Atomic uint32_t reply_count; /* futex: the runner sleeps on it */
    _Atomic uint32_t runner_sleeps;
    RingReply reply;
    _Alignas(64) _Atomic uint32_t command_count; /* futex */
    RingCommand command;
    _Alignas(4096) uint8_t buffer[RING_BYTES];
    _Alignas(4096) uint8_t staging[RING_STAGING_BYTES];
} RingMemory;

/* A sealed memfd, or -1 with errno. */
int ring_create(void);
/* NULL with errno; a descriptor that is no sealed ring of the right size is EINVAL. */
RingMemory *ring_map(int descriptor);
void ring_unmap(RingMemory *ring);

/* ---- the runner's side ------------------------------------------------------------------------------------------- */

/* Puts a record of two pieces (the second may be empty) into the buffer and wakes the broker. False where it does not
 * fit now: a RING_FLUSH call, for which a place is always kept, makes room. */
bool ring_post(RingMemory *ring, uint32_t kind, bool wants_reply, const void *body, size_t bytes, const void *more,
               size_t more_bytes);
/* How many replies there have been: taken before the call is posted. */
uint32_t ring_replies(RingMemory *ring);
void ring_await_reply(RingMemory *ring, uint32_t replies_before, RingReply *reply);
/* The command after the `commands_before`-th. */
void ring_await_command(RingMemory *ring, uint32_t commands_before, RingCommand *command);

/* ---- the broker's side ------------------------------------------------------------------------------------------- */

typedef struct RingReader {
    RingMemory *ring;
    uint64_t taken; /* the broker's own: what the shared word says is never read back */
} RingReader;

typedef struct RingRecord {
    RingRequest head;
    _Alignas(16) uint8_t body[RING_MAX_BODY];
} RingRecord;

typedef enum RingTake { RING_EMPTY, RING_TAKEN, RING_BROKEN } RingTake;

/* Copies the next record out. RING_BROKEN: what stands in the shared memory cannot come from an honest runtime. */
RingTake ring_take(RingReader *reader, RingRecord *record);
/* How often the bell has rung: taken before the last look at whatever else may ring it. */
uint32_t ring_bell(RingMemory *ring);
/* Looks for a record for some microseconds; false where none came. */
bool ring_spin(RingReader *reader);
/* Sleeps until there may be a record, the bell has rung since `bell`, or `seconds` are over. */
void ring_wait(RingReader *reader, uint32_t bell, double seconds);
void ring_reply(RingMemory *ring, const RingReply *reply);
void ring_command(RingMemory *ring, const RingCommand *command);
/* Wakes a broker that sleeps in ring_wait(); for the grader. */
void ring_ring(RingMemory *ring);

#endif
