/* ring.h - the memory that a broker shares with a runner, which is not trusted, and how messages pass through it.
 *
 * Layout     one memfd that holds a RingMemory. It is sealed, so that neither side can change its size. It holds no
 *            pointers. The broker copies a request out before it looks at it, and reads no position twice.
 * Requests   go from the runner to the broker as records in a circular buffer: a RingRequest, then
 *            `body_bytes` of body. There is one producer at a time (the runtime library holds a lock) and one consumer.
 * Replies    go from the broker to the runner, through one slot, since one call is under way at a time.
 * Commands   go from the broker to the runner, through one slot that is written only while the runner waits for it.
 * Waiting    spins for some microseconds, then sleeps on a futex. Neither side notices here that the other has died.
 *            The grader does: it kills the runner, or wakes the broker with ring_wake_broker().
 * Source     Linux futex(2), memfd_create(2), fcntl(2) "File Sealing".  */
#ifndef HARNESS_PROTOCOL_RING_H
#define HARNESS_PROTOCOL_RING_H

#include "harness/protocol/solve.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ==== cuda error ================================================================================================== */

/* The error codes of the CUDA runtime, with their numbers, names and texts, for code that is compiled
 * without the CUDA headers. */

typedef int CudaError; /* a cudaError_t; 0 is success */

#define CUDA_ERROR(constant, value, name, text) CUDA_ERROR_##constant = value,
enum {
#include "harness/cuda/cuda_error.def"
};
#undef CUDA_ERROR

/* "cudaErrorInvalidValue"; "unrecognized error code" for a number that CUDA does not define. */
const char *cuda_error_name(CudaError error);
/* "invalid argument"; "unrecognized error code" likewise. */
const char *cuda_error_text(CudaError error);

/* ==== device addresses ============================================================================================ */

/* The range of virtual addresses in which all device memory lies.
 *
 * The broker allocates device memory only in [DEVICE_BASE, DEVICE_BASE + DEVICE_SPAN); in the runner nothing but managed
 * memory lies there. So an address alone tells, in both processes, whether it means device or host
 * memory. */

#define DEVICE_BASE 0x200000000000ull
#define DEVICE_SPAN (1ull << 38)

static inline bool is_in_device_range(uint64_t address)
{
    return address - DEVICE_BASE < DEVICE_SPAN;
}

/* ==== ring message ================================================================================================ */

/* The requests of the runtime library in the runner, and the broker's replies.
 *
 * A request is posted or a call. After a posted request the runner does not wait; an error comes with a later reply.
 * After a call it waits for the one reply. Bulk data lies in the staging buffer (RingMemory.staging), which belongs to
 * the broker from a call to its reply, and to the runner at all other times.
 *
 * Trust     the runner is hostile: the broker checks every number and every text of a request before it uses it.
 * Layout    all fields have fixed widths, and the natural alignment of x86-64.
 * Numbers   streams, events, arrays, textures, surfaces, modules and functions are numbers that the broker gave. */

enum {
    RING_MAX_BODY = 40 * 1024,  /* a RingLaunch and the parameters of a kernel, which are at most 32764 bytes */
    RING_MAX_NAME = 1024,       /* of a kernel or variable, mangled, with its terminating zero */
    RING_MAX_PARAMETERS = 4096, /* of a kernel */
    RING_MAX_LOAD_ERROR = 600,  /* length of the text of RING_LOAD_FAILED */
    RING_REPLY_VALUES = 4,
    RING_MAX_LEVELS = 16,  /* of a mipmapped array */
    RING_FIRST_HANDLE = 16 /* of streams, events and arrays; CUDA uses 0, 1 and 2 for the default stream */
};

/* ---- requests ---------------------------------------------------------------------------------------------------- */

/* [0], [1], ... are the numbers of a RingWords, the body of the request; "gives" lists the values of the reply. A
 * request without either has no body. */
typedef enum RingKind {
    /* The runner itself. */
    RING_LOADING = 1,  /* the object is about to be loaded: from now on, the process is the submission's */
    RING_READY,        /* posted: the object is loaded, its constructors have run */
    RING_LOAD_FAILED,  /* posted: the object cannot be loaded; body: the reason as text */
    RING_RETURNED,     /* posted: solve() has returned */
    RING_FLUSH,        /* call: does nothing; its reply comes when all earlier requests are done */
    RING_NOTE_ERROR,   /* posted: RingNote: the first error of a CUDA call in this call of solve() */
    RING_NOTE_MISSING, /* posted: RingNote: the submission used a CUDA call that the library does not provide */
    RING_NOTE_MEMORY,  /* posted: host memory was refused */
    /* Modules, functions, variables. */
    RING_MODULE,     /* call: [0] bytes; the fatbin is in staging; gives [0] module */
    RING_FUNCTION,   /* call: RingName; gives [0] function, and a RingFunctionInfo in staging */
    RING_VARIABLE,   /* call: RingName; gives [0] address, [1] bytes */
    RING_SET_SHARED, /* call: [0] function, [1] maximum of dynamic shared memory in bytes */
    RING_OCCUPANCY,  /* call: [0] function, [1] threads per block, [2] dynamic shared bytes; gives [0] blocks per SM */
    /* Memory. */
    RING_ALLOC,   /* call: [0] bytes; gives [0] address */
    RING_RELEASE, /* call: [0] address */
    RING_RENEW,   /* call: [0] address, [1] bytes, [2] stream, [3] RingRenewal; in the order of the stream, the bytes
                        * are those of new memory. Of a simulated device only */
    RING_MEMORY_INFO,  /* call: words unused; gives [0] free bytes, [1] all bytes */
    RING_WRITE,        /* call: [0] to, [1] bytes, [2] stream, [3] RingWait; the data is in staging */
    RING_READ,         /* call: [0] from, [1] bytes, [2] stream, [3] RingWait; gives the data in staging */
    RING_COPY,         /* call: [0] to, [1] from, [2] bytes, [3] stream */
    RING_FILL,         /* call: [0] to, [1] value, [2] bytes, [3] stream */
    RING_OWNED,        /* call: [0] address, [1] bytes; succeeds if they lie in one allocation or variable */
    RING_COPY_BOX,     /* call: RingCopyBox */
    RING_FILL_ROWS,    /* call: RingFillRows */
    RING_ARRAY_NEW,    /* call: RingArray; gives [0] array */
    RING_ARRAY_FREE,   /* call: [0] array */
    RING_TEXTURE_NEW,  /* call: RingTexture; gives [0] the cudaTextureObject_t, which kernels receive as it is */
    RING_TEXTURE_FREE, /* call: [0] texture */
    RING_TENSOR_MAP,   /* call: RingTensor; gives the RING_TENSOR_MAP_BYTES of the tensor map in staging */
    RING_SURFACE_NEW,  /* call: [0] array; gives [0] the cudaSurfaceObject_t */
    RING_SURFACE_FREE, /* call: [0] surface */
    RING_COPY_AWAY,    /* call: RingCopyBox with one end in the runner; gives [0] turn, [1] 1: take it at once */
    RING_TURN,         /* call: [0] turn; to the device: the data is in staging; from it: gives the data in staging; of
                        * a host function: it runs when this has succeeded */
    RING_HOST_CALL,    /* call: [0] stream; a host function; gives [0] turn, [1] 1: take it at once */
    RING_SETTLE,       /* call: words unused; all turns have been taken after it */
    /* Launches, streams, events. */
    RING_LAUNCH,             /* posted or call: RingLaunch, then the parameters */
    RING_SYNCHRONIZE,        /* call: words unused */
    RING_STREAM_NEW,         /* call: [0] RingStreamKind; gives [0] stream */
    RING_STREAM_FREE,        /* call: [0] stream */
    RING_STREAM_SYNCHRONIZE, /* call: [0] stream */
    RING_STREAM_QUERY,       /* call: [0] stream */
    RING_STREAM_WAIT,        /* call: [0] stream, [1] event */
    RING_EVENT_NEW,          /* call: [0] 1: without timing, 0: with timing; gives [0] event */
    RING_EVENT_FREE,         /* call: [0] event */
    RING_EVENT_RECORD,       /* call: [0] event, [1] stream */
    RING_EVENT_SYNCHRONIZE,  /* call: [0] event */
    RING_EVENT_QUERY,        /* call: [0] event */
    RING_EVENT_ELAPSED,      /* call: [0] start, [1] stop; gives [0] seconds, the bits of a double */
    /* The device. */
    RING_SET_LIMIT,   /* call: [0] RingLimit, [1] bytes */
    RING_DEVICE_INFO, /* call: words unused; gives a RingDeviceInfo in staging */
    RING_KIND_COUNT
} RingKind;

/* The stack of each thread, the heap of all threads for malloc(), and the most that a submission may ask for: the
 * driver of an H200 takes 17 GB for stacks of that size. */
typedef enum RingLimit { RING_LIMIT_STACK = 1, RING_LIMIT_HEAP } RingLimit;
enum { RING_MAX_STACK = 64 << 10, RING_MAX_HEAP = 512 << 20 };

typedef struct RingWords {
    uint64_t word[4];
} RingWords;

typedef struct RingName {
    uint64_t module;
    char name[RING_MAX_NAME]; /* terminated */
} RingName;

typedef struct RingNote {
    int32_t error; /* CudaError */
    char call[60]; /* "cudaMemcpy", terminated */
} RingNote;

typedef struct RingLaunch { /* parameter_bytes follow, each parameter at its offset (RingFunctionInfo) */
    uint64_t function, stream;
    uint32_t grid[3], block[3];
    uint32_t dynamic_shared_bytes; /* UINT32_MAX: that many or more */
    uint32_t parameter_bytes;
    uint32_t cluster[3];  /* blocks of a cluster; 0: as the kernel says, or none */
    uint16_t cooperative; /* 1: all blocks are under way at once; else 0 */
    uint16_t
        programmatic; /* 1: it may begin before the kernel before has ended (programmatic stream serialization); else 0 */
} RingLaunch;

typedef enum RingRenewal { RING_ALLOCATED, RING_FREED } RingRenewal; /* on a stream */

typedef enum RingStreamKind {
    RING_STREAM_BLOCKING,
    RING_STREAM_OF_THREAD, /* blocking, cudaStreamPerThread */
    RING_STREAM_NON_BLOCKING,
    RING_STREAM_OF_GRAPH /* non-blocking, for a branch of graphs */
} RingStreamKind;

/* The way to wait for a copy between staging and the device. */
typedef enum RingWait {
    RING_STREAM_ORDER, /* the copy is ordered by its stream; reading waits for that */
    RING_HOST_WAITS,   /* the copy has ended when the call returns */
    RING_AT_ONCE       /* the copy waits for nothing: managed memory, which is not to be used on both sides */
} RingWait;

typedef enum RingPlaceKind { RING_IN_STAGING = 1, RING_IN_MEMORY, RING_IN_ARRAY, RING_IN_RUNNER } RingPlaceKind;

typedef struct RingPlace { /* one end of a copy of a box */
    uint64_t kind;         /* RingPlaceKind */
    uint64_t at; /* by kind: offset in staging, device address, array, address of a single row (0: of several) */
    uint64_t pitch, slice_rows; /* in staging and memory: bytes from row to row, rows from slice to slice */
    uint64_t x_bytes, y, z;     /* in an array: where the box begins */
} RingPlace;

typedef struct RingCopyBox {
    RingPlace to, from; /* not both in staging */
    uint64_t width_bytes, height, depth;
    uint64_t stream, wait; /* RingWait, of a copy from staging */
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
    uint64_t flags;                /* RingArrayFlag */
} RingArray;

typedef enum RingArrayFlag {
    RING_ARRAY_GATHER = 1,  /* tex2Dgather() may read it */
    RING_ARRAY_LAYERED = 2, /* `depth` counts layers */
    RING_ARRAY_SURFACE = 4  /* made for surfaces */
} RingArrayFlag;

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
    uint64_t level[RING_MAX_LEVELS]; /* of a mipmapped array: the arrays of its levels, of which `array` is the first */
    uint32_t levels;                 /* 0: it is no mipmapped array */
    uint32_t level_filter;           /* cudaTextureFilterMode */
    float level_bias, least_level, most_level;
    uint32_t unused;
} RingTexture;

enum { RING_TENSOR_DIMENSIONS = 5, RING_TENSOR_MAP_BYTES = 128 };

typedef struct RingTensor { /* what a tensor map describes; the arguments of cuTensorMapEncodeTiled() */
    uint64_t address;
    uint64_t extents[RING_TENSOR_DIMENSIONS];            /* elements */
    uint64_t strides[RING_TENSOR_DIMENSIONS - 1];        /* bytes, of dimensions 1, 2 ... */
    uint32_t box[RING_TENSOR_DIMENSIONS];                /* elements */
    uint32_t steps[RING_TENSOR_DIMENSIONS];              /* elements */
    uint32_t rank;                                       /* 1 to 5; what follows in the arrays is 0 */
    uint32_t type, interleave, swizzle, promotion, fill; /* as the driver's enumerations count them */
} RingTensor;

/* ---- replies and commands ---------------------------------------------------------------------------------------- */

typedef struct RingFunctionInfo { /* of a kernel; as cudaFuncAttributes */
    uint32_t parameter_count, parameter_bytes;
    uint32_t registers; /* per thread */
    uint32_t static_shared_bytes, local_bytes, constant_bytes, max_threads_per_block;
    uint32_t max_dynamic_shared_bytes;
    int32_t ptx_version, binary_version; /* 90: 9.0 */
    uint32_t cluster[3];                 /* that it asks for (__cluster_dims__); 0: none */
    uint32_t offsets[RING_MAX_PARAMETERS], sizes[RING_MAX_PARAMETERS];
} RingFunctionInfo;

/* The properties that cudaGetDeviceProperties() and cudaDeviceGetAttribute() report, and nothing else. */
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

typedef struct RingReply {
    int32_t error;        /* of the call itself */
    int32_t posted_error; /* the first error of a request posted since the previous reply; 0: none */
    uint64_t turn;        /* not 0: the request has not been carried out; take this turn (RING_TURN), and ask again */
    uint64_t value[RING_REPLY_VALUES];
} RingReply;

typedef struct RingCommand { /* to call solve(), once */
    uint64_t word[SOLVE_MAX_WORDS];
    uint32_t is_untimed; /* 1: memory from malloc() shall not begin with zeros by luck */
} RingCommand;

/* ==== ring ======================================================================================================== */

enum {
    RING_BYTES = 1 << 20,         /* of the circular buffer; a power of two */
    RING_STAGING_BYTES = 16 << 20 /* pages that are never used cost no memory */
};

typedef struct RingRequest { /* the head of a record */
    uint32_t kind;           /* RingKind */
    uint32_t body_bytes;     /* at most RING_MAX_BODY; the body is padded to a multiple of 8 */
    uint32_t wants_reply;    /* 1: a call; 0: posted */
    uint32_t place;          /* 1 + the offset in the submission's object of the instruction that asks; 0: unknown */
} RingRequest;

/* The fault that ended the runner. It only chooses the words of a message and a line, since the submission can write
 * it. */
typedef struct RingFault {
    _Atomic uint64_t address; /* 1 + the address at which host code caused a segmentation fault; 0: none */
    _Atomic uint64_t place;   /* 1 + the offset in the submission's object of the instruction that did it; 0: unknown */
    _Atomic uint32_t is_on_stack; /* 1: the address belongs to the stack, which is full */
    _Atomic uint32_t is_damage;   /* 1: the C library has found memory overwritten */
} RingFault;

typedef struct RingMemory {
    _Alignas(64) _Atomic uint64_t written;     /* bytes that the runner has put into the buffer since the beginning */
    _Alignas(64) _Atomic uint64_t taken;       /* bytes that the broker has taken out since the beginning */
    _Alignas(64) _Atomic uint32_t doorbell;    /* how often it has rung; a futex, on which the broker sleeps */
    _Atomic uint32_t broker_sleeps;            /* 1: the writer of a record rings the doorbell */
    _Alignas(64) _Atomic uint32_t reply_count; /* a futex, on which the runner sleeps */
    _Atomic uint32_t runner_sleeps;            /* 1: the process that changes a count wakes the runner */
    _Atomic uint32_t waits_for_launches;       /* 1: the runner waits for launches, too */
    _Atomic uint32_t has_turns;                /* 1: the broker serves what only a simulated device can do */
    RingReply reply;
    _Alignas(64) RingFault fault;
    _Alignas(64) _Atomic uint32_t command_count; /* a futex, on which the runner sleeps */
    RingCommand command;
    _Alignas(4096) uint8_t buffer[RING_BYTES];
    _Alignas(4096) uint8_t staging[RING_STAGING_BYTES]; /* bulk data of requests and replies */
} RingMemory;

/* A sealed memfd, or -1 with errno. */
int ring_create(void);
/* NULL with errno. EINVAL: the descriptor is not a sealed ring of the right size. */
RingMemory *ring_map(int descriptor);
void ring_unmap(RingMemory *ring);

/* ---- the runner's side ------------------------------------------------------------------------------------------- */

/* Puts a record into the buffer, whose body is two pieces (the second may be empty), and wakes the broker. False if
 * there is no room now. For a RING_FLUSH there always is, and after its reply the buffer is empty. `place`: RingRequest.place. */
bool ring_send(RingMemory *ring, uint32_t kind, bool wants_reply, uint32_t place, const void *body, size_t bytes,
               const void *more, size_t more_bytes);
/* The number of replies so far. A caller reads it before it sends a call. */
uint32_t ring_replies(RingMemory *ring);
/* Waits for the reply after the `replies_before`-th. */
void ring_await_reply(RingMemory *ring, uint32_t replies_before, RingReply *reply);
/* Shall the runner wait until a launch that it posts is done? */
bool ring_waits_for_launches(const RingMemory *ring);
/* May the runner use RING_COPY_AWAY, RING_HOST_CALL and RING_RENEW? */
bool ring_has_turns(const RingMemory *ring);
/* Waits for the command after the `commands_before`-th. */
void ring_await_command(RingMemory *ring, uint32_t commands_before, RingCommand *command);

/* ---- the broker's side ------------------------------------------------------------------------------------------- */

/* Makes an honest runner do nothing else while a launch is being carried out, or ends that, so that the broker can see
 * what it does in between. */
void ring_wait_for_launches(RingMemory *ring, bool wait);

/* The broker serves these, or does not. */
void ring_set_turns(RingMemory *ring, bool has_turns);

typedef struct RingReader {
    RingMemory *ring;
    uint64_t taken; /* RingMemory.taken is for the runner; the broker never reads it back */
} RingReader;

typedef struct RingRecord { /* a request, copied out of the shared memory */
    RingRequest head;
    _Alignas(16) uint8_t body[RING_MAX_BODY];
} RingRecord;

typedef enum RingTake { RING_EMPTY, RING_TAKEN, RING_BROKEN } RingTake;

/* Copies the next record out. RING_BROKEN: an honest runtime library cannot have left the memory in this state. */
RingTake ring_take(RingReader *reader, RingRecord *record);
/* Has the runner asked for nothing that has not been taken? */
bool ring_is_empty(const RingReader *reader);
/* Returns how often the doorbell has rung. The broker reads it before all else that may end a sleep. */
uint32_t ring_doorbell(RingMemory *ring);
/* Spins for some microseconds until there is a record. False if none has come. */
bool ring_spin(RingReader *reader);
/* Sleeps until there may be a record, the doorbell has rung more often than `doorbell`, or `seconds` have passed. */
void ring_sleep(RingReader *reader, uint32_t doorbell, double seconds);
void ring_reply(RingMemory *ring, const RingReply *reply);
void ring_command(RingMemory *ring, const RingCommand *command);

/* ---- both sides, and the grader ---------------------------------------------------------------------------------- */

/* Rings the doorbell, which ends a ring_sleep(). */
void ring_wake_broker(RingMemory *ring);

#endif
