/* cuda.h - a libcuda.so.1 for tests without a GPU: every call of harness/device/cuda_driver.h on GPUs named "Fake
 * GPU". This header declares what its files share.
 *
 * Memory   device memory is host memory at the same address, so a test can read it directly.
 * Streams  are asynchronous: calls append operations to queues, and one thread executes the first operation of each
 *          queue once nothing that it must wait for is older. Tickets in the order of the calls tell what is older.
 * Blocking every call that may wait for the device in a real driver waits here for all streams (wait_until_idle). A
 *          caller that holds a stream meanwhile would wait for ever; after five seconds the driver prints "fake driver:
 *          deadlock" and calls abort().
 * Modules  are text with one item per line: "kernel NAME PARAMETER_BYTES", "variable NAME BYTES", or "error N", the
 *          error that cuModuleLoadData() returns. Parameters are words of 8 bytes, the last may be shorter.
 *          PTX is a kernel without parameters.
 * Kernels  do what their name says: "store" (u64 address, u32 value), "spin" (u32 microseconds), "hide" (the same, but
 *          queries of its stream say that it has ended), "hang" (never ends), "fault" (an illegal address, which makes
 *          the context unusable), "print" (prints a line, which the next cuCtxSynchronize() writes); any other name does
 *          nothing.
 * Setting  CONVJUDGE_FAKE_CUDA_DEVICES=N: the number of devices, which differ only in their uuid; default 1.
 *          CONVJUDGE_FAKE_CUDA_LOG=FILE: appends a line for each call, and "ran CALL stream=N" for each operation that
 *          has ended. A poll that would repeat the line before it is not logged.
 *          CONVJUDGE_FAKE_CUDA_LAUNCH_US=N: how long the kernel "empty" takes; default 0.
 *          CONVJUDGE_FAKE_CUDA_REFUSES=CALL: this call, cuMemCreate for example, does its work, and then says that the
 *          operation is not permitted.
 *          CONVJUDGE_FAKE_CUDA_PAGEABLE=1: kernels can read the memory of the host's processes.
 * Threads  any thread may call; every call holds the lock from begin() to leave().
 * Source   CUDA Driver API 13.0: Stream synchronization behavior; API synchronization behavior.  */
#ifndef TESTS_FAKE_CUDA_H
#define TESTS_FAKE_CUDA_H

#include "harness/device/cuda_driver.h"

#include <pthread.h>
#include <stdbool.h>

/* The library's symbols under the names that cuda.h gives them; a definition that does not fit will not compile. */
#define DECLARE(name, symbol, parameters)                                                                              \
    __attribute__((visibility("default"))) CudaError name parameters __asm__(symbol);
CUDA_DRIVER_CALLS(DECLARE)
#undef DECLARE

enum { MAX_THREADS = 1024, SHARED_BYTES = 48 << 10, SHARED_BYTES_OPTIN = 227 << 10 };
#define MEMORY_BYTES (141ull << 30)

/* Objects that cuda_module.c and cuda_texture.c make and other files use. */
struct CUfunc_st {
    char name[64];
    size_t parameter_bytes;
    int dynamic_shared_bytes; /* the most that a launch may ask for */
};

struct CUarray_st {
    size_t width_bytes, height, depth; /* no dimension is 0; a layer is a slice */
    uint8_t elements[];
};

/* ---- cuda.c: devices, and what begins and ends every call -------------------------------------------------------- */

extern struct Fake {
    pthread_mutex_t lock;
    bool initialised;
    bool refuses;     /* the present call */
    CudaError error;  /* sticky */
    int log;          /* -1: none */
    char logged[128]; /* the last line */
    int printed;      /* lines of kernels that nobody has seen yet */
} fake;
extern __thread bool has_context;

void write_log(const char *line);
/* Takes the lock and logs the call, which gives the lock back through leave(). */
__attribute__((format(printf, 1, 2))) void begin(const char *format, ...);
CudaError leave(CudaError error);
/* The result of every call that needs a context: 0 if there is a usable one. */
CudaError context_error(void);

/* begin() for calls that need a context: returns from the call if it is not usable. */
#define ENTER(...)                                                                                                     \
    do {                                                                                                               \
        begin(__VA_ARGS__);                                                                                            \
        if (context_error() != CUDA_ERROR_SUCCESS)                                                                     \
            return leave(context_error());                                                                             \
    } while (0)

/* ---- cuda_memory.c: memory that copies and kernels may use ------------------------------------------------------- */

typedef enum RegionKind { DEVICE_MEMORY, SPECIAL_MEMORY, MAPPED_WITHOUT_ACCESS } RegionKind;

void add_region(uint64_t address, size_t bytes, RegionKind kind);
void remove_region(uint64_t address);
/* Whether [address, address + bytes) lies in device memory; in device or pinned memory; in pinned memory. */
bool is_on_device(uint64_t address, uint64_t bytes);
bool is_reachable(uint64_t address, uint64_t bytes);
bool is_pinned(const void *memory, uint64_t bytes);

static inline void *at(uint64_t address)
{
    return (void *)address;
}

/* ---- cuda_stream.c: queues of operations ------------------------------------------------------------------------- */

typedef struct CUevent_st Event;

/* An operation in a queue. Only the members that `run` reads are set. */
typedef struct Operation {
    struct Operation *next;
    const char *call;
    bool (*run)(struct Operation *operation); /* true once it is done; called again until then */
    uint64_t ticket;
    uint64_t to, from, value;
    size_t count;
    int width; /* of the pattern of a fill: 1 or 4 bytes */
    CuCopy3D copy;
    Event *event;
    uint64_t record;  /* which recording of the event */
    double ends_s;    /* when a kernel that spins ends; 0: it has not begun */
    uint8_t staged[]; /* the bytes of a small copy, the parameters of a kernel */
} Operation;

/* The kernel "hide" (cuda_launch.c). */
bool run_hide(Operation *operation);
/* Starts the thread that executes operations, unless it runs. */
bool start_queues(void);
/* 0: the legacy default stream. */
int number_of(CuStream handle);
/* Appends a copy of `operation` with `bytes` behind it; waits while the queue is full. */
CudaError append(CuStream handle, const Operation *operation, const void *staged, size_t bytes);
/* Appends the operation and waits until it has ended. */
CudaError append_and_wait(CuStream stream, const Operation *operation);
CudaError wait_until_idle(void);

#endif
