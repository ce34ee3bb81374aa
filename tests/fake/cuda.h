/* cuda.h - a libcuda.so.1 for tests without a GPU: every call of harness/device/cuda/cuda_driver.h on "Fake GPU"s. This is
 * what its files share.
 *
 * Memory   device memory is host memory at the same address, so that a test may look at it directly.
 * Streams  are really asynchronous: calls append operations to queues, and one thread carries out whatever is first in
 *          its queue and may begin. "Older" is decided by tickets, drawn in the order of the calls.
 * Blocking whatever a real driver may let wait for the device does wait here, for every stream (wait_until_idle). Who
 *          holds a stream meanwhile waits for ever; five seconds of that end with "fake driver: deadlock" and abort().
 * Modules  are text, a line each: "kernel NAME PARAMETER_BYTES", "variable NAME BYTES", or "error N", which is then
 *          what cuModuleLoadData() answers. Parameters are words of 8 bytes and what remains.
 * Kernels  do by their name: "store" (u64 address, u32 value), "spin" (u32 microseconds), "hang" (never ends), "fault"
 *          (an illegal address, from which the context does not recover); any other does nothing.
 * Setting  CONVJUDGE_FAKE_CUDA_DEVICES=N: so many devices, which differ by their uuid alone; without it one.
 *          CONVJUDGE_FAKE_CUDA_LOG=FILE: appends a line for each call, and "ran CALL stream=N" for each operation that
 *          is done, but no poll that repeats the line before it.
 * Threads  any may call; every call holds the lock from begin() to leave().
 * Source   CUDA Driver API 13.0: Stream synchronization behavior; API synchronization behavior.  */
#ifndef TESTS_FAKE_CUDA_H
#define TESTS_FAKE_CUDA_H

#include "harness/device/cuda/cuda_driver.h"

#include <pthread.h>
#include <stdbool.h>

/* The library's symbols under the names that cuda.h gives them; a definition that does not fit will not compile. */
#define DECLARE(name, symbol, parameters)                                                                              \
    __attribute__((visibility("default"))) CudaError name parameters __asm__(symbol);
CUDA_DRIVER_CALLS(DECLARE)
#undef DECLARE

enum { MAX_THREADS = 1024, SHARED_BYTES = 48 << 10, SHARED_BYTES_OPTIN = 227 << 10 };
#define MEMORY_BYTES (141ull << 30)

/* What cuda_module.c and cuda_texture.c make, and others use. */
struct CUfunc_st {
    char name[64];
    size_t parameter_bytes;
    int dynamic_shared_bytes; /* the most that a launch may ask for */
};

struct CUarray_st {
    size_t width_bytes, height, depth; /* no dimension is 0 */
    uint8_t elements[];
};

/* ---- cuda.c: devices, and what begins and ends every call -------------------------------------------------------- */

extern struct Fake {
    pthread_mutex_t lock;
    bool initialised;
    CudaError error;  /* sticky */
    int log;          /* -1: none */
    char logged[128]; /* the last line */
} fake;
extern __thread bool has_context;

void write_log(const char *line);
/* Takes the lock and logs the call, which gives the lock back through leave(). */
__attribute__((format(printf, 1, 2))) void begin(const char *format, ...);
CudaError leave(CudaError error);
/* What every call answers that needs a context: 0 where there is a good one. */
CudaError context_error(void);

/* begin() for these: returns from the call where the context is bad. */
#define ENTER(...)                                                                                                     \
    do {                                                                                                               \
        begin(__VA_ARGS__);                                                                                            \
        if (context_error() != CUDA_ERROR_SUCCESS)                                                                     \
            return leave(context_error());                                                                             \
    } while (0)

/* ---- cuda_memory.c: what copies and kernels may touch ------------------------------------------------------------ */

typedef enum RegionKind { DEVICE_MEMORY, SPECIAL_MEMORY, MAPPED_WITHOUT_ACCESS } RegionKind;

void add_region(uint64_t address, size_t bytes, RegionKind kind);
void remove_region(uint64_t address);
/* Whether all of [address, address + bytes) is memory of the device; of it or of pinned memory; of pinned memory. */
bool is_on_device(uint64_t address, uint64_t bytes);
bool is_reachable(uint64_t address, uint64_t bytes);
bool is_pinned(const void *memory, uint64_t bytes);

static inline void *at(uint64_t address)
{
    return (void *)address;
}

/* ---- cuda_stream.c: queues of operations ------------------------------------------------------------------------- */

typedef struct CUevent_st Event;

/* What stands in a queue. Only the members that `run` reads are set. */
typedef struct Operation {
    struct Operation *next;
    const char *call;
    bool (*run)(struct Operation *operation); /* true once it is done; called again until then */
    uint64_t ticket;
    uint64_t to, from, value;
    size_t count;
    int width; /* of what a fill repeats: 1 or 4 bytes */
    CuCopy3D copy;
    Event *event;
    uint64_t record;  /* which recording of the event */
    double ends_s;    /* of a kernel that takes its time; 0: has not begun */
    uint8_t staged[]; /* the bytes of a small copy, the parameters of a kernel */
} Operation;

/* Starts the thread that carries operations out, unless it runs. */
bool start_queues(void);
/* 0: the legacy default stream. */
int number_of(CuStream handle);
/* Appends a copy of `operation` with `bytes` behind it; waits while the queue is full. */
CudaError append(CuStream handle, const Operation *operation, const void *staged, size_t bytes);
/* The same, and waits until it is done. */
CudaError append_and_wait(CuStream stream, const Operation *operation);
CudaError wait_until_idle(void);

#endif
