/* cuda.c - a libcuda.so.1 for tests without a GPU: every call of harness/device/cuda_driver.h on one "Fake GPU".
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
 * Setting  CONVJUDGE_FAKE_CUDA_DEVICES=0: there is no device. CONVJUDGE_FAKE_CUDA_LOG=FILE: appends a line for each
 *          call, and "ran CALL stream=N" for each operation that is done, but no poll that repeats the line before it.
 * Source   CUDA Driver API 13.0: Stream synchronization behavior; API synchronization behavior.  */
#include "harness/device/cuda_driver.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* The library's symbols under the names that cuda.h gives them; a definition that does not fit will not compile. */
#define DECLARE(name, symbol, parameters) CudaError name parameters __asm__(symbol);
CUDA_DRIVER_CALLS(DECLARE)
#undef DECLARE

enum {
    GRANULE_BYTES = 2 << 20,   /* of mapped memory, as on GPUs of today */
    STAGED_BYTES = 64 << 10,   /* pageable copies up to here return before they are done */
    QUEUE_LENGTH = 1024,       /* a call that appends to a full queue waits */
    DEADLOCK_S = 5,
    MAX_THREADS = 1024,
    SHARED_BYTES = 48 << 10, SHARED_BYTES_OPTIN = 227 << 10
};
#define MEMORY_BYTES (141ull << 30)

typedef struct CUstream_st Stream;
typedef struct CUevent_st Event;

/* What stands in a queue. Only the members that `run` reads are set. */
typedef struct Operation {
    struct Operation *next;
    const char *call;
    bool (*run)(struct Operation *operation); /* true once it is done; called again until then */
    uint64_t ticket;
    uint64_t to, from, value;
    size_t count;
    int width;                /* of what a fill repeats: 1 or 4 bytes */
    CuCopy3D copy;
    Event *event;
    uint64_t record;          /* which recording of the event */
    CuFunction function;
    double ends_s;            /* of a kernel that takes its time; 0: has not begun */
    uint8_t staged[];         /* the bytes of a small copy, the parameters of a kernel */
} Operation;

struct CUstream_st {
    Stream *next;
    int number; /* 0: the legacy default stream */
    bool blocking, destroyed;
    Operation *head, *tail;
    size_t length;
};

struct CUevent_st {
    Event *next;
    bool timed, destroyed;
    uint64_t recorded, reached; /* recordings asked for, and the last one that was done */
    double time_s;              /* of that one */
};

struct CUfunc_st {
    char name[64];
    size_t parameter_bytes;
    int dynamic_shared_bytes; /* the most that a launch may ask for */
};

typedef struct Variable {
    char name[64];
    void *memory;
    size_t bytes;
} Variable;

enum { MAX_SYMBOLS = 16 };
struct CUmod_st {
    CuModule next;
    struct CUfunc_st functions[MAX_SYMBOLS];
    Variable variables[MAX_SYMBOLS];
    size_t function_count, variable_count;
};

struct CUarray_st {
    size_t width_bytes, height, depth; /* no dimension is 0 */
    uint8_t elements[];
};

enum { MAX_RESERVATIONS = 4, DESCRIPTOR_SHIFT = 48 };
typedef struct Reservation {
    uint64_t address;
    size_t bytes; /* 0: not used */
} Reservation;

/* Memory that copies and kernels may touch. */
typedef enum RegionKind { DEVICE_MEMORY, PINNED_MEMORY, MAPPED_WITHOUT_ACCESS } RegionKind;
typedef struct Region {
    uint64_t address;
    size_t bytes;
    RegionKind kind;
} Region;

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed; /* something was appended, or done */
    bool initialised, started;
    CudaError error;        /* sticky */
    Stream legacy, *streams; /* all that ever were, and */
    Event *events;           /*   likewise */
    CuModule modules;        /* that are loaded */
    int stream_count;
    uint64_t ticket;
    Region *regions;
    size_t region_count;
    Reservation reservations[MAX_RESERVATIONS];
    size_t created_bytes, texture_count;
    int log;
    char logged[128];       /* the last line */
} fake = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER, .log = -1,
          .legacy = {.blocking = true}};

static __thread bool has_context;

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* ---- the log, and what begins and ends every call ---------------------------------------------------------------- */

static void write_log(const char *line)
{
    if (fake.log < 0 || (strstr(line, "Query") != NULL && strcmp(line, fake.logged) == 0))
        return;
    snprintf(fake.logged, sizeof fake.logged, "%s", line);
    dprintf(fake.log, "%s\n", line);
}

/* Takes the lock and logs the call, which gives the lock back through leave(). */
__attribute__((format(printf, 1, 2))) static void begin(const char *format, ...)
{
    char line[128];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    pthread_mutex_lock(&fake.lock);
    write_log(line);
}

static CudaError leave(CudaError error)
{
    pthread_mutex_unlock(&fake.lock);
    return error;
}

/* What every call answers that needs a context: 0 where there is a good one. */
static CudaError context_error(void)
{
    if (!fake.initialised)
        return CUDA_ERROR_INITIALIZATION_ERROR;
    return has_context ? fake.error : CUDA_ERROR_DEVICE_UNINITIALIZED;
}

/* begin() for these: returns from the call where the context is bad. */
#define ENTER(...)                                                                                                     \
    do {                                                                                                               \
        begin(__VA_ARGS__);                                                                                            \
        if (context_error() != CUDA_ERROR_SUCCESS)                                                                     \
            return leave(context_error());                                                                             \
    } while (0)

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static void add_region(uint64_t address, size_t bytes, RegionKind kind)
{
    fake.regions = realloc(fake.regions, (fake.region_count + 1) * sizeof *fake.regions);
    if (fake.regions == NULL)
        abort();
    fake.regions[fake.region_count++] = (Region){address, bytes, kind};
}

/* The reservation that holds all of these bytes; of no bytes: a free place for one. */
static Reservation *reservation_of(uint64_t address, size_t bytes)
{
    for (size_t i = 0; i < MAX_RESERVATIONS; i++) {
        Reservation *place = &fake.reservations[i];
        bool within = address >= place->address && bytes <= place->bytes &&
                      address - place->address <= place->bytes - bytes;
        if (bytes == 0 ? place->bytes == 0 : within)
            return place;
    }
    return NULL;
}

static Region *region_at(uint64_t address)
{
    for (size_t i = 0; i < fake.region_count; i++)
        if (address >= fake.regions[i].address && address - fake.regions[i].address < fake.regions[i].bytes)
            return &fake.regions[i];
    return NULL;
}

static void remove_region(uint64_t address)
{
    *region_at(address) = fake.regions[fake.region_count - 1];
    fake.region_count--;
}

/* Whether all of [address, address + bytes) lies in regions of this kind. */
static bool is_all(RegionKind kind, uint64_t address, uint64_t bytes)
{
    while (bytes > 0) {
        const Region *region = region_at(address);
        if (region == NULL || region->kind != kind)
            return false;
        uint64_t left = region->address + region->bytes - address;
        uint64_t here = left < bytes ? left : bytes;
        address += here;
        bytes -= here;
    }
    return true;
}

static bool is_on_device(uint64_t address, uint64_t bytes)
{
    return is_all(DEVICE_MEMORY, address, bytes);
}

static bool is_reachable(uint64_t address, uint64_t bytes)
{
    return is_on_device(address, bytes) || is_all(PINNED_MEMORY, address, bytes);
}

static bool is_pinned(const void *memory, uint64_t bytes)
{
    return is_all(PINNED_MEMORY, (uint64_t)memory, bytes);
}

static void *at(uint64_t address)
{
    return (void *)address;
}

/* ---- the queues -------------------------------------------------------------------------------------------------- */

static Stream *stream_of(CuStream handle)
{
    Stream *stream = handle == NULL || handle == CU_STREAM_LEGACY ? &fake.legacy : handle;
    return stream->destroyed ? NULL : stream;
}

static int number_of(CuStream handle)
{
    return handle == NULL || handle == CU_STREAM_LEGACY ? 0 : handle->number;
}

static bool has_older(const Stream *stream, uint64_t ticket)
{
    return stream->head != NULL && stream->head->ticket < ticket;
}

/* The legacy stream waits for all older work of blocking streams, and they for all older work of it. */
static bool is_held_up(const Stream *stream, uint64_t ticket)
{
    if (!stream->blocking)
        return false;
    if (stream != &fake.legacy)
        return has_older(&fake.legacy, ticket);
    for (const Stream *other = fake.streams; other != NULL; other = other->next)
        if (other->blocking && has_older(other, ticket))
            return true;
    return false;
}

static void drop_head(Stream *stream)
{
    Operation *done = stream->head;
    stream->head = done->next;
    stream->length--;
    free(done);
}

static bool step(Stream *stream)
{
    char line[128];
    Operation *head = stream->head;
    if (head == NULL || is_held_up(stream, head->ticket) || !head->run(head))
        return false;
    snprintf(line, sizeof line, "ran %s stream=%d", head->call, stream->number);
    write_log(line);
    drop_head(stream);
    return true;
}

/* After a fault nothing runs any more. */
static void drop_everything(void)
{
    while (fake.legacy.head != NULL)
        drop_head(&fake.legacy);
    for (Stream *stream = fake.streams; stream != NULL; stream = stream->next)
        while (stream->head != NULL)
            drop_head(stream);
}

static bool all_are_idle(const void *unused)
{
    for (const Stream *stream = fake.streams; stream != NULL; stream = stream->next)
        if (stream->head != NULL)
            return false;
    return fake.legacy.head == NULL;
}

static bool step_all(void)
{
    bool moved = step(&fake.legacy);
    for (Stream *stream = fake.streams; stream != NULL; stream = stream->next)
        moved |= step(stream);
    if (fake.error != CUDA_ERROR_SUCCESS)
        drop_everything();
    return moved;
}

static void *carry_out(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&fake.lock);
        while (all_are_idle(NULL))
            pthread_cond_wait(&fake.changed, &fake.lock);
        bool moved = step_all();
        if (moved)
            pthread_cond_broadcast(&fake.changed);
        pthread_mutex_unlock(&fake.lock);
        if (!moved)
            usleep(5);
    }
    return NULL;
}

static bool run_wait_value(Operation *operation)
{
    uint32_t found = __atomic_load_n((uint32_t *)at(operation->to), __ATOMIC_ACQUIRE);
    return (int32_t)(found - (uint32_t)operation->value) >= 0;
}

static bool is_held(const Stream *stream)
{
    return stream->head != NULL && stream->head->run == run_wait_value;
}

static bool any_is_held(void)
{
    for (const Stream *stream = fake.streams; stream != NULL; stream = stream->next)
        if (is_held(stream))
            return true;
    return is_held(&fake.legacy);
}

static void die_of_deadlock(void)
{
    fprintf(stderr, "fake driver: deadlock: %s waits for a stream that waits for a value in memory\n", fake.logged);
    abort();
}

/* Waits as a driver does inside a call: whoever called cannot open a gate meanwhile. */
static CudaError wait_until(bool (*is_done)(const void *), const void *of)
{
    double free_s = now_s(); /* when nothing was held, last */
    while (fake.error == CUDA_ERROR_SUCCESS && !is_done(of)) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec++;
        pthread_cond_timedwait(&fake.changed, &fake.lock, &until);
        if (!any_is_held())
            free_s = now_s();
        else if (now_s() - free_s > DEADLOCK_S)
            die_of_deadlock();
    }
    return fake.error;
}

static CudaError wait_until_idle(void)
{
    return wait_until(all_are_idle, NULL);
}

static bool is_empty(const void *stream)
{
    return ((const Stream *)stream)->head == NULL;
}

static bool has_room(const void *stream)
{
    return ((const Stream *)stream)->length < QUEUE_LENGTH;
}

/* Appends a copy of `operation` with `bytes` behind it. */
static CudaError append(CuStream handle, const Operation *operation, const void *staged, size_t bytes)
{
    Stream *stream = stream_of(handle);
    if (stream == NULL)
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    CudaError error = wait_until(has_room, stream);
    if (error != CUDA_ERROR_SUCCESS)
        return error;
    Operation *added = malloc(sizeof *added + bytes);
    if (added == NULL)
        abort();
    *added = *operation;
    added->next = NULL;
    added->ticket = ++fake.ticket;
    if (bytes > 0)
        memcpy(added->staged, staged, bytes);
    *(stream->head == NULL ? &stream->head : &stream->tail->next) = added;
    stream->tail = added;
    stream->length++;
    pthread_cond_broadcast(&fake.changed);
    return CUDA_ERROR_SUCCESS;
}

/* The same, and waits until it is done. */
static CudaError append_and_wait(CuStream stream, const Operation *operation)
{
    CudaError error = append(stream, operation, NULL, 0);
    return error == CUDA_ERROR_SUCCESS ? wait_until(is_empty, stream_of(stream)) : error;
}

/* ---- the device -------------------------------------------------------------------------------------------------- */

static bool has_device(void)
{
    const char *devices = getenv("CONVJUDGE_FAKE_CUDA_DEVICES");
    return devices == NULL || strcmp(devices, "0") != 0;
}

CudaError cuInit(unsigned flags)
{
    const char *log = getenv("CONVJUDGE_FAKE_CUDA_LOG");
    if (fake.log < 0 && log != NULL)
        fake.log = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    begin("cuInit");
    fake.initialised = has_device();
    return leave(fake.initialised ? CUDA_ERROR_SUCCESS : CUDA_ERROR_NO_DEVICE);
}

CudaError cuDriverGetVersion(int *version)
{
    begin("cuDriverGetVersion");
    *version = 13000;
    return leave(CUDA_ERROR_SUCCESS);
}

CudaError cuDeviceGetCount(int *count)
{
    begin("cuDeviceGetCount");
    *count = 1;
    return leave(fake.initialised ? CUDA_ERROR_SUCCESS : CUDA_ERROR_INITIALIZATION_ERROR);
}

CudaError cuDeviceGet(CuDevice *device, int ordinal)
{
    begin("cuDeviceGet %d", ordinal);
    *device = ordinal;
    return leave(ordinal == 0 ? CUDA_ERROR_SUCCESS : CUDA_ERROR_INVALID_DEVICE);
}

CudaError cuDeviceGetName(char *name, int size, CuDevice device)
{
    begin("cuDeviceGetName");
    snprintf(name, (size_t)size, "Fake GPU");
    return leave(CUDA_ERROR_SUCCESS);
}

CudaError cuDeviceGetUuid(CuUuid *uuid, CuDevice device)
{
    begin("cuDeviceGetUuid");
    for (int i = 0; i < 16; i++)
        uuid->bytes[i] = (unsigned char)(0xf0 + i);
    return leave(CUDA_ERROR_SUCCESS);
}

/* Those of an H200, but for a small L2, which is quickly flushed. */
CudaError cuDeviceGetAttribute(int *value, int attribute, CuDevice device)
{
    static const int values[][2] = {
        {CU_ATTRIBUTE_MAX_THREADS_PER_BLOCK, MAX_THREADS},
        {CU_ATTRIBUTE_MAX_BLOCK_DIM_X, 1024},
        {CU_ATTRIBUTE_MAX_BLOCK_DIM_X + 1, 1024},
        {CU_ATTRIBUTE_MAX_BLOCK_DIM_X + 2, 64},
        {CU_ATTRIBUTE_MAX_GRID_DIM_X, 2147483647},
        {CU_ATTRIBUTE_MAX_GRID_DIM_X + 1, 65535},
        {CU_ATTRIBUTE_MAX_GRID_DIM_X + 2, 65535},
        {CU_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, SHARED_BYTES},
        {CU_ATTRIBUTE_TOTAL_CONSTANT_MEMORY, 65536},
        {CU_ATTRIBUTE_WARP_SIZE, 32},
        {CU_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, 65536},
        {CU_ATTRIBUTE_CLOCK_RATE, 1980000},
        {CU_ATTRIBUTE_MULTIPROCESSOR_COUNT, 132},
        {CU_ATTRIBUTE_MEMORY_CLOCK_RATE, 3201000},
        {CU_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 6144},
        {CU_ATTRIBUTE_L2_CACHE_SIZE, 2 << 20},
        {CU_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 2048},
        {CU_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 9},
        {CU_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0},
        {CU_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 228 << 10},
        {CU_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, 65536},
        {CU_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS, 0},
        {CU_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, SHARED_BYTES_OPTIN},
        {CU_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, 32},
        {CU_ATTRIBUTE_EXPORTS_DESCRIPTORS, 1},
        {CU_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, 1024},
    };
    begin("cuDeviceGetAttribute %d", attribute);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (values[i][0] == attribute) {
            *value = values[i][1];
            return leave(CUDA_ERROR_SUCCESS);
        }
    return leave(CUDA_ERROR_INVALID_VALUE);
}

CudaError cuDeviceTotalMem(size_t *bytes, CuDevice device)
{
    begin("cuDeviceTotalMem");
    *bytes = MEMORY_BYTES;
    return leave(CUDA_ERROR_SUCCESS);
}

CudaError cuDevicePrimaryCtxSetFlags(CuDevice device, unsigned flags)
{
    begin("cuDevicePrimaryCtxSetFlags %u", flags);
    return leave(CUDA_ERROR_SUCCESS);
}

CudaError cuDevicePrimaryCtxRetain(CuContext *context, CuDevice device)
{
    pthread_t thread;
    begin("cuDevicePrimaryCtxRetain");
    if (!fake.started && pthread_create(&thread, NULL, carry_out, NULL) != 0)
        return leave(CUDA_ERROR_OPERATING_SYSTEM);
    if (!fake.started)
        pthread_detach(thread);
    fake.started = true;
    *context = (CuContext)(void *)&fake;
    return leave(CUDA_ERROR_SUCCESS);
}

CudaError cuDevicePrimaryCtxRelease(CuDevice device)
{
    begin("cuDevicePrimaryCtxRelease");
    return leave(CUDA_ERROR_SUCCESS);
}

CudaError cuCtxSetCurrent(CuContext context)
{
    begin("cuCtxSetCurrent");
    has_context = context != NULL;
    return leave(CUDA_ERROR_SUCCESS);
}

CudaError cuCtxSetLimit(int limit, size_t value)
{
    ENTER("cuCtxSetLimit %d", limit);
    return leave(wait_until_idle());
}

CudaError cuCtxResetPersistingL2Cache(void)
{
    ENTER("cuCtxResetPersistingL2Cache");
    return leave(wait_until_idle());
}

CudaError cuCtxSynchronize(void)
{
    ENTER("cuCtxSynchronize");
    return leave(wait_until_idle());
}

/* ---- memory, the calls ------------------------------------------------------------------------------------------- */

CudaError cuMemGetInfo(size_t *free_bytes, size_t *all_bytes)
{
    ENTER("cuMemGetInfo");
    *all_bytes = MEMORY_BYTES;
    *free_bytes = MEMORY_BYTES - fake.created_bytes;
    return leave(CUDA_ERROR_SUCCESS);
}

CudaError cuMemGetAllocationGranularity(size_t *bytes, const CuAllocationProperties *properties, int option)
{
    ENTER("cuMemGetAllocationGranularity");
    *bytes = GRANULE_BYTES;
    return leave(CUDA_ERROR_SUCCESS);
}

CudaError cuMemAddressReserve(CuAddress *address, size_t bytes, size_t alignment, CuAddress wanted,
                              unsigned long long flags)
{
    ENTER("cuMemAddressReserve %zu", bytes);
    if (bytes % GRANULE_BYTES != 0)
        return leave(CUDA_ERROR_INVALID_VALUE);
    Reservation *place = reservation_of(0, 0);
    void *range = mmap(at(wanted), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range == MAP_FAILED || place == NULL)
        return leave(CUDA_ERROR_MEMORY_ALLOCATION);
    *place = (Reservation){(uint64_t)range, bytes};
    *address = place->address;
    return leave(CUDA_ERROR_SUCCESS);
}

CudaError cuMemAddressFree(CuAddress address, size_t bytes)
{
    ENTER("cuMemAddressFree %zu", bytes);
    Reservation *place = reservation_of(address, bytes);
    if (place == NULL || place->address != address || place->bytes != bytes || region_at(address) != NULL)
        return leave(CUDA_ERROR_INVALID_VALUE);
    munmap(at(address), bytes);
    *place = (Reservation){0};
    return leave(CUDA_ERROR_SUCCESS);
}

/* A handle is the size, and above it the descriptor of memory that can be shared (0: it cannot). */
static size_t allocation_bytes(CuAllocation allocation)
{
    return allocation & ((1ull << DESCRIPTOR_SHIFT) - 1);
}

static int allocation_descriptor(CuAllocation allocation)
{
    return (int)(allocation >> DESCRIPTOR_SHIFT);
}

static CuAllocation shareable_allocation(size_t bytes, int descriptor)
{
    return bytes | (CuAllocation)descriptor << DESCRIPTOR_SHIFT;
}

CudaError cuMemCreate(CuAllocation *allocation, size_t bytes, const CuAllocationProperties *properties,
                      unsigned long long flags)
{
    ENTER("cuMemCreate %zu", bytes);
    if (bytes == 0 || bytes % GRANULE_BYTES != 0)
        return leave(CUDA_ERROR_INVALID_VALUE);
    if (bytes > MEMORY_BYTES - fake.created_bytes)
        return leave(CUDA_ERROR_MEMORY_ALLOCATION);
    int descriptor = 0;
    if (properties->handle_types == CU_HANDLE_DESCRIPTOR) {
        descriptor = memfd_create("fake device memory", MFD_CLOEXEC);
        if (descriptor < 0 || ftruncate(descriptor, (off_t)bytes) != 0)
            return leave(CUDA_ERROR_MEMORY_ALLOCATION);
    }
    fake.created_bytes += bytes;
    *allocation = shareable_allocation(bytes, descriptor);
    return leave(wait_until_idle());
}

/* Mapped memory outlives its handle. */
CudaError cuMemRelease(CuAllocation allocation)
{
    ENTER("cuMemRelease");
    if (allocation_descriptor(allocation) != 0)
        close(allocation_descriptor(allocation));
    return leave(CUDA_ERROR_SUCCESS);
}

CudaError cuMemExportToShareableHandle(void *handle, CuAllocation allocation, int handle_type, unsigned long long flags)
{
    ENTER("cuMemExportToShareableHandle");
    if (handle_type != CU_HANDLE_DESCRIPTOR || allocation_descriptor(allocation) == 0)
        return leave(CUDA_ERROR_INVALID_VALUE);
    *(int *)handle = fcntl(allocation_descriptor(allocation), F_DUPFD_CLOEXEC, 3);
    return leave(CUDA_ERROR_SUCCESS);
}

CudaError cuMemImportFromShareableHandle(CuAllocation *allocation, void *handle, int handle_type)
{
    ENTER("cuMemImportFromShareableHandle");
    struct stat memory;
    if (handle_type != CU_HANDLE_DESCRIPTOR || fstat((int)(intptr_t)handle, &memory) != 0 || memory.st_size == 0)
        return leave(CUDA_ERROR_INVALID_VALUE);
    *allocation = shareable_allocation((size_t)memory.st_size, fcntl((int)(intptr_t)handle, F_DUPFD_CLOEXEC, 3));
    return leave(CUDA_ERROR_SUCCESS);
}

CudaError cuMemMap(CuAddress address, size_t bytes, size_t offset, CuAllocation allocation, unsigned long long flags)
{
    ENTER("cuMemMap %zu", bytes);
    int descriptor = allocation_descriptor(allocation);
    if (address % GRANULE_BYTES != 0 || bytes != allocation_bytes(allocation) || offset != 0
        || reservation_of(address, bytes) == NULL || region_at(address) != NULL)
        return leave(CUDA_ERROR_INVALID_VALUE);
    if (descriptor != 0 && mmap(at(address), bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, descriptor, 0) == MAP_FAILED)
        return leave(CUDA_ERROR_MEMORY_ALLOCATION);
    add_region(address, bytes, MAPPED_WITHOUT_ACCESS);
    return leave(wait_until_idle());
}

CudaError cuMemUnmap(CuAddress address, size_t bytes)
{
    ENTER("cuMemUnmap %zu", bytes);
    Region *region = region_at(address);
    if (region == NULL || region->address != address || region->bytes != bytes)
        return leave(CUDA_ERROR_INVALID_VALUE);
    CudaError error = wait_until_idle();
    remove_region(address);
    mmap(at(address), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    return leave(error);
}

CudaError cuMemSetAccess(CuAddress address, size_t bytes, const CuAccess *access, size_t count)
{
    ENTER("cuMemSetAccess %zu", bytes);
    Region *region = region_at(address);
    if (region == NULL || region->address != address || region->bytes != bytes || count != 1
        || access->flags != CU_ACCESS_READ_WRITE || mprotect(at(address), bytes, PROT_READ | PROT_WRITE) != 0)
        return leave(CUDA_ERROR_INVALID_VALUE);
    region->kind = DEVICE_MEMORY;
    return leave(wait_until_idle());
}

CudaError cuMemHostAlloc(void **memory, size_t bytes, unsigned flags)
{
    ENTER("cuMemHostAlloc %zu", bytes);
    *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (*memory == MAP_FAILED)
        return leave(CUDA_ERROR_MEMORY_ALLOCATION);
    add_region((uint64_t)*memory, bytes, PINNED_MEMORY);
    return leave(wait_until_idle());
}

CudaError cuMemHostRegister(void *memory, size_t bytes, unsigned flags)
{
    ENTER("cuMemHostRegister %zu", bytes);
    if (bytes == 0)
        return leave(CUDA_ERROR_INVALID_VALUE);
    if (region_at((uint64_t)memory) != NULL || region_at((uint64_t)memory + bytes - 1) != NULL)
        return leave(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    add_region((uint64_t)memory, bytes, PINNED_MEMORY);
    return leave(wait_until_idle());
}

CudaError cuMemHostUnregister(void *memory)
{
    ENTER("cuMemHostUnregister");
    Region *region = region_at((uint64_t)memory);
    if (region == NULL || region->address != (uint64_t)memory || region->kind != PINNED_MEMORY)
        return leave(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
    CudaError error = wait_until_idle();
    remove_region((uint64_t)memory);
    return leave(error);
}

CudaError cuMemHostGetDevicePointer(CuAddress *address, void *memory, unsigned flags)
{
    ENTER("cuMemHostGetDevicePointer");
    *address = (uint64_t)memory;
    return leave(is_pinned(memory, 1) ? CUDA_ERROR_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

/* ---- copies ------------------------------------------------------------------------------------------------------ */

static bool run_copy(Operation *operation)
{
    memmove(at(operation->to), at(operation->from), operation->count);
    return true;
}

static bool run_staged_copy(Operation *operation)
{
    memcpy(at(operation->to), operation->staged, operation->count);
    return true;
}

CudaError cuMemcpyHtoDAsync(CuAddress to, const void *from, size_t bytes, CuStream stream)
{
    ENTER("cuMemcpyHtoDAsync %zu stream=%d", bytes, number_of(stream));
    Operation operation = {.call = "cuMemcpyHtoDAsync", .run = run_copy, .to = to, .from = (uint64_t)from,
                           .count = bytes};
    if (!is_on_device(to, bytes))
        return leave(CUDA_ERROR_INVALID_VALUE);
    if (is_pinned(from, bytes))
        return leave(append(stream, &operation, NULL, 0));
    if (bytes > STAGED_BYTES)
        return leave(append_and_wait(stream, &operation));
    operation.run = run_staged_copy;
    return leave(append(stream, &operation, from, bytes));
}

CudaError cuMemcpyDtoHAsync(void *to, CuAddress from, size_t bytes, CuStream stream)
{
    ENTER("cuMemcpyDtoHAsync %zu stream=%d", bytes, number_of(stream));
    Operation operation = {.call = "cuMemcpyDtoHAsync", .run = run_copy, .to = (uint64_t)to, .from = from,
                           .count = bytes};
    if (!is_on_device(from, bytes))
        return leave(CUDA_ERROR_INVALID_VALUE);
    return leave(is_pinned(to, bytes) ? append(stream, &operation, NULL, 0) : append_and_wait(stream, &operation));
}

CudaError cuMemcpyDtoDAsync(CuAddress to, CuAddress from, size_t bytes, CuStream stream)
{
    ENTER("cuMemcpyDtoDAsync %zu stream=%d", bytes, number_of(stream));
    Operation operation = {.call = "cuMemcpyDtoDAsync", .run = run_copy, .to = to, .from = from, .count = bytes};
    if (!is_reachable(to, bytes) || !is_reachable(from, bytes))
        return leave(CUDA_ERROR_INVALID_VALUE);
    return leave(append(stream, &operation, NULL, 0));
}

static bool run_fill(Operation *operation)
{
    uint32_t *words = at(operation->to);
    if (operation->width == 1)
        memset(words, (int)operation->value, operation->count);
    for (size_t i = 0; operation->width == 4 && i < operation->count; i++)
        words[i] = (uint32_t)operation->value;
    return true;
}

static CudaError fill(const char *call, CuAddress to, uint64_t value, int width, size_t count, CuStream stream)
{
    Operation operation = {.call = call, .run = run_fill, .to = to, .value = value, .width = width, .count = count};
    if (to % (uint64_t)width != 0 || count > MEMORY_BYTES || !is_on_device(to, count * (size_t)width))
        return CUDA_ERROR_INVALID_VALUE;
    return append(stream, &operation, NULL, 0);
}

CudaError cuMemsetD8Async(CuAddress to, unsigned char value, size_t count, CuStream stream)
{
    ENTER("cuMemsetD8Async %zu stream=%d", count, number_of(stream));
    return leave(fill("cuMemsetD8Async", to, value, 1, count, stream));
}

CudaError cuMemsetD32Async(CuAddress to, unsigned value, size_t count, CuStream stream)
{
    ENTER("cuMemsetD32Async %zu stream=%d", count, number_of(stream));
    return leave(fill("cuMemsetD32Async", to, value, 4, count, stream));
}

static bool run_fill_rows(Operation *operation)
{
    const CuCopy3D *rows = &operation->copy;
    for (size_t y = 0; y < rows->height; y++)
        memset(at(operation->to + y * rows->target_pitch), (int)operation->value, rows->width_bytes);
    return true;
}

CudaError cuMemsetD2D8Async(CuAddress to, size_t pitch, unsigned char value, size_t width, size_t height,
                            CuStream stream)
{
    ENTER("cuMemsetD2D8Async %zu x %zu stream=%d", width, height, number_of(stream));
    Operation operation = {.call = "cuMemsetD2D8Async", .run = run_fill_rows, .to = to, .value = value,
                           .copy = {.target_pitch = pitch, .width_bytes = width, .height = height}};
    if (width == 0 || height == 0)
        return leave(CUDA_ERROR_SUCCESS);
    if (pitch < width || !is_on_device(to, (height - 1) * pitch + width))
        return leave(CUDA_ERROR_INVALID_VALUE);
    return leave(append(stream, &operation, NULL, 0));
}

/* One side of a copy in three dimensions: where a row begins. */
typedef struct Side {
    uint8_t *origin;
    size_t pitch, height;
} Side;

static Side side_of(int type, const void *host, CuAddress device, CuArray array, size_t pitch, size_t height,
                    const size_t corner[3])
{
    Side side = {at(type == CU_MEMORY_HOST ? (uint64_t)host : device), pitch, height};
    if (type == CU_MEMORY_ARRAY)
        side = (Side){array->elements, array->width_bytes, array->height};
    side.origin += (corner[2] * side.height + corner[1]) * side.pitch + corner[0];
    return side;
}

static Side source_of(const CuCopy3D *copy)
{
    return side_of(copy->source_type, copy->source_host, copy->source_device, copy->source_array, copy->source_pitch,
                   copy->source_height, (size_t[]){copy->source_x_bytes, copy->source_y, copy->source_z});
}

static Side target_of(const CuCopy3D *copy)
{
    return side_of(copy->target_type, copy->target_host, copy->target_device, copy->target_array, copy->target_pitch,
                   copy->target_height, (size_t[]){copy->target_x_bytes, copy->target_y, copy->target_z});
}

static bool run_copy_3d(Operation *operation)
{
    const CuCopy3D *copy = &operation->copy;
    Side from = source_of(copy), to = target_of(copy);
    for (size_t z = 0; z < copy->depth; z++)
        for (size_t y = 0; y < copy->height; y++)
            memmove(to.origin + (z * to.height + y) * to.pitch, from.origin + (z * from.height + y) * from.pitch,
                    copy->width_bytes);
    return true;
}

static size_t extent_of(const CuCopy3D *copy, Side side)
{
    return ((copy->depth - 1) * side.height + copy->height - 1) * side.pitch + copy->width_bytes;
}

static bool fits(int type, const CuCopy3D *copy, Side side, const struct CUarray_st *array, const size_t corner[3])
{
    if (type == CU_MEMORY_DEVICE)
        return is_on_device((uint64_t)side.origin, extent_of(copy, side));
    return type == CU_MEMORY_HOST
        || (corner[0] + copy->width_bytes <= array->width_bytes && corner[1] + copy->height <= array->height
            && corner[2] + copy->depth <= array->depth);
}

CudaError cuMemcpy3DAsync(const CuCopy3D *copy, CuStream stream)
{
    ENTER("cuMemcpy3DAsync stream=%d", number_of(stream));
    Operation operation = {.call = "cuMemcpy3DAsync", .run = run_copy_3d, .copy = *copy};
    if (copy->width_bytes == 0 || copy->height == 0 || copy->depth == 0)
        return leave(CUDA_ERROR_SUCCESS);
    Side from = source_of(copy), to = target_of(copy);
    if (!fits(copy->source_type, copy, from, copy->source_array,
              (size_t[]){copy->source_x_bytes, copy->source_y, copy->source_z})
        || !fits(copy->target_type, copy, to, copy->target_array,
                 (size_t[]){copy->target_x_bytes, copy->target_y, copy->target_z}))
        return leave(CUDA_ERROR_INVALID_VALUE);
    bool pageable = (copy->source_type == CU_MEMORY_HOST && !is_pinned(from.origin, extent_of(copy, from)))
                 || (copy->target_type == CU_MEMORY_HOST && !is_pinned(to.origin, extent_of(copy, to)));
    return leave(pageable ? append_and_wait(stream, &operation) : append(stream, &operation, NULL, 0));
}

/* ---- arrays and textures ----------------------------------------------------------------------------------------- */

static size_t bytes_of_format(int format) /* CUarray_format */
{
    switch (format) {
    case 0x01: case 0x08: return 1;
    case 0x02: case 0x09: case 0x10: return 2;
    case 0x03: case 0x0a: case 0x20: return 4;
    default: return 0;
    }
}

static size_t at_least_one(size_t count)
{
    return count == 0 ? 1 : count;
}

CudaError cuArray3DCreate(CuArray *array, const CuArrayDescription *description)
{
    ENTER("cuArray3DCreate");
    size_t element_bytes = bytes_of_format(description->format) * description->channels;
    struct CUarray_st shape = {.width_bytes = description->width * element_bytes,
                               .height = at_least_one(description->height), .depth = at_least_one(description->depth)};
    if (shape.width_bytes == 0)
        return leave(CUDA_ERROR_INVALID_VALUE);
    *array = calloc(1, sizeof shape + shape.width_bytes * shape.height * shape.depth);
    if (*array == NULL)
        return leave(CUDA_ERROR_MEMORY_ALLOCATION);
    **array = shape;
    return leave(wait_until_idle());
}

CudaError cuArrayDestroy(CuArray array)
{
    ENTER("cuArrayDestroy");
    CudaError error = wait_until_idle();
    free(array);
    return leave(error);
}

CudaError cuTexObjectCreate(CuTexture *texture, const CuResource *resource, const CuTextureDescription *description,
                            const void *view)
{
    ENTER("cuTexObjectCreate %d", resource->type);
    *texture = ++fake.texture_count;
    return leave(CUDA_ERROR_SUCCESS);
}

CudaError cuTexObjectDestroy(CuTexture texture)
{
    ENTER("cuTexObjectDestroy");
    return leave(texture >= 1 && texture <= fake.texture_count ? CUDA_ERROR_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

/* ---- modules ----------------------------------------------------------------------------------------------------- */

static bool add_symbol(CuModule module, const char *kind, const char *name, size_t number)
{
    if (strcmp(kind, "kernel") == 0 && module->function_count < MAX_SYMBOLS) {
        CuFunction function = &module->functions[module->function_count++];
        *function = (struct CUfunc_st){.parameter_bytes = number, .dynamic_shared_bytes = SHARED_BYTES};
        snprintf(function->name, sizeof function->name, "%s", name);
        return true;
    }
    if (strcmp(kind, "variable") != 0 || module->variable_count == MAX_SYMBOLS)
        return false;
    Variable *variable = &module->variables[module->variable_count++];
    *variable = (Variable){.memory = calloc(1, number + 1), .bytes = number};
    snprintf(variable->name, sizeof variable->name, "%s", name);
    add_region((uint64_t)variable->memory, number, DEVICE_MEMORY);
    return true;
}

static CudaError read_module(CuModule module, const char *text)
{
    char kind[16], name[64];
    size_t number;
    int length, error;
    while (*text != '\0') {
        if (sscanf(text, "error %d", &error) == 1)
            return error;
        if (sscanf(text, "%15s %63s %zu%n", kind, name, &number, &length) != 3 || text[length] != '\n'
            || !add_symbol(module, kind, name, number))
            return CUDA_ERROR_INVALID_KERNEL_IMAGE;
        text += length + 1;
    }
    return CUDA_ERROR_SUCCESS;
}

static void free_module(CuModule module)
{
    CuModule *link = &fake.modules;
    while (*link != module)
        link = &(*link)->next;
    *link = module->next;
    for (size_t i = 0; i < module->variable_count; i++) {
        remove_region((uint64_t)module->variables[i].memory);
        free(module->variables[i].memory);
    }
    free(module);
}

CudaError cuModuleLoadData(CuModule *module, const void *image)
{
    ENTER("cuModuleLoadData");
    CudaError error = wait_until_idle();
    if (error != CUDA_ERROR_SUCCESS)
        return leave(error);
    *module = calloc(1, sizeof **module);
    if (*module == NULL)
        abort();
    (*module)->next = fake.modules;
    fake.modules = *module;
    error = read_module(*module, image);
    if (error != CUDA_ERROR_SUCCESS)
        free_module(*module);
    return leave(error);
}

CudaError cuModuleUnload(CuModule module)
{
    ENTER("cuModuleUnload");
    CudaError error = wait_until_idle();
    free_module(module);
    return leave(error);
}

CudaError cuModuleGetFunction(CuFunction *function, CuModule module, const char *name)
{
    ENTER("cuModuleGetFunction %s", name);
    for (size_t i = 0; i < module->function_count; i++)
        if (strcmp(module->functions[i].name, name) == 0) {
            *function = &module->functions[i];
            return leave(CUDA_ERROR_SUCCESS);
        }
    return leave(CUDA_ERROR_SYMBOL_NOT_FOUND);
}

CudaError cuModuleGetGlobal(CuAddress *address, size_t *bytes, CuModule module, const char *name)
{
    ENTER("cuModuleGetGlobal %s", name);
    for (size_t i = 0; i < module->variable_count; i++)
        if (strcmp(module->variables[i].name, name) == 0) {
            *address = (uint64_t)module->variables[i].memory;
            *bytes = module->variables[i].bytes;
            return leave(CUDA_ERROR_SUCCESS);
        }
    return leave(CUDA_ERROR_SYMBOL_NOT_FOUND);
}

CudaError cuFuncGetAttribute(int *value, int attribute, CuFunction function)
{
    ENTER("cuFuncGetAttribute %d", attribute);
    switch (attribute) {
    case CU_FUNCTION_MAX_THREADS_PER_BLOCK: *value = MAX_THREADS; break;
    case CU_FUNCTION_SHARED_SIZE_BYTES:
    case CU_FUNCTION_CONST_SIZE_BYTES:
    case CU_FUNCTION_LOCAL_SIZE_BYTES: *value = 0; break;
    case CU_FUNCTION_NUM_REGS: *value = 32; break;
    case CU_FUNCTION_PTX_VERSION:
    case CU_FUNCTION_BINARY_VERSION: *value = 90; break;
    case CU_FUNCTION_MAX_DYNAMIC_SHARED_SIZE_BYTES: *value = function->dynamic_shared_bytes; break;
    default: return leave(CUDA_ERROR_INVALID_VALUE);
    }
    return leave(CUDA_ERROR_SUCCESS);
}

CudaError cuFuncSetAttribute(CuFunction function, int attribute, int value)
{
    ENTER("cuFuncSetAttribute %d", attribute);
    if (attribute != CU_FUNCTION_MAX_DYNAMIC_SHARED_SIZE_BYTES || value < 0 || value > SHARED_BYTES_OPTIN)
        return leave(CUDA_ERROR_INVALID_VALUE);
    function->dynamic_shared_bytes = value;
    return leave(CUDA_ERROR_SUCCESS);
}

CudaError cuFuncGetParamInfo(CuFunction function, size_t index, size_t *offset, size_t *bytes)
{
    ENTER("cuFuncGetParamInfo %zu", index);
    if (index > SIZE_MAX / 8 || index * 8 >= function->parameter_bytes)
        return leave(CUDA_ERROR_INVALID_VALUE);
    size_t left = function->parameter_bytes - index * 8;
    *offset = index * 8;
    if (bytes != NULL)
        *bytes = left < 8 ? left : 8;
    return leave(CUDA_ERROR_SUCCESS);
}

CudaError cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CuFunction function, int threads,
                                                      size_t dynamic_shared_bytes)
{
    ENTER("cuOccupancyMaxActiveBlocksPerMultiprocessor %d", threads);
    if (threads <= 0 || threads > MAX_THREADS)
        return leave(CUDA_ERROR_INVALID_VALUE);
    int by_threads = 2048 / ((threads + 31) / 32 * 32);
    *blocks = by_threads < 32 ? by_threads : 32;
    return leave(CUDA_ERROR_SUCCESS);
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

static bool run_store(Operation *operation)
{
    uint64_t to;
    uint32_t value;
    memcpy(&to, operation->staged, sizeof to);
    memcpy(&value, operation->staged + sizeof to, sizeof value);
    if (is_reachable(to, sizeof value))
        memcpy(at(to), &value, sizeof value);
    else
        fake.error = CUDA_ERROR_ILLEGAL_ADDRESS;
    return true;
}

static bool run_spin(Operation *operation)
{
    uint32_t duration_us;
    memcpy(&duration_us, operation->staged, sizeof duration_us);
    if (operation->ends_s == 0)
        operation->ends_s = now_s() + duration_us * 1e-6;
    return now_s() >= operation->ends_s;
}

static bool run_hang(Operation *operation)
{
    return false;
}

static bool run_fault(Operation *operation)
{
    fake.error = CUDA_ERROR_ILLEGAL_ADDRESS;
    return true;
}

static bool run_nothing(Operation *operation)
{
    return true;
}

static const struct {
    const char *name;
    bool (*run)(Operation *operation);
    size_t parameter_bytes;
} KERNELS[] = {{"store", run_store, 12}, {"spin", run_spin, 4}, {"hang", run_hang, 0}, {"fault", run_fault, 0}};

static Operation kernel_operation(CuFunction function)
{
    Operation operation = {.call = "cuLaunchKernel", .run = run_nothing, .function = function};
    for (size_t i = 0; i < sizeof KERNELS / sizeof *KERNELS; i++)
        if (strcmp(function->name, KERNELS[i].name) == 0 && function->parameter_bytes >= KERNELS[i].parameter_bytes)
            operation.run = KERNELS[i].run;
    return operation;
}

/* The parameters of a launch, in the one form that the judge has; NULL where they are not as long as the kernel's. */
static const void *packed_parameters(CuFunction function, void **extra)
{
    const void *packed = "";
    size_t bytes = 0;
    for (; extra != NULL && *extra != CU_LAUNCH_PARAMETER_END; extra += 2) {
        if (extra[0] == CU_LAUNCH_PARAMETER_BUFFER)
            packed = extra[1];
        else if (extra[0] == CU_LAUNCH_PARAMETER_BYTES)
            bytes = *(size_t *)extra[1];
    }
    return bytes == function->parameter_bytes ? packed : NULL;
}

CudaError cuLaunchKernel(CuFunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                         unsigned block_y, unsigned block_z, unsigned shared_bytes, CuStream stream, void **parameters,
                         void **extra)
{
    ENTER("cuLaunchKernel %s stream=%d", function->name, number_of(stream));
    uint64_t threads = (uint64_t)block_x * block_y * block_z;
    const void *packed = packed_parameters(function, extra);
    if (grid_x == 0 || grid_y == 0 || grid_z == 0 || threads == 0 || threads > MAX_THREADS
        || shared_bytes > (unsigned)function->dynamic_shared_bytes || packed == NULL)
        return leave(CUDA_ERROR_INVALID_VALUE);
    Operation operation = kernel_operation(function);
    return leave(append(stream, &operation, packed, function->parameter_bytes));
}

/* ---- streams ----------------------------------------------------------------------------------------------------- */

CudaError cuStreamCreate(CuStream *created, unsigned flags)
{
    ENTER("cuStreamCreate %u", flags);
    Stream *stream = calloc(1, sizeof *stream);
    if (stream == NULL)
        abort();
    *stream = (Stream){.next = fake.streams, .number = ++fake.stream_count, .blocking = flags == CU_STREAM_BLOCKING};
    fake.streams = *created = stream;
    return leave(wait_until_idle());
}

/* What is queued is still done; the handle's memory stays, so that its later use is noticed. */
CudaError cuStreamDestroy(CuStream stream)
{
    ENTER("cuStreamDestroy stream=%d", number_of(stream));
    if (stream_of(stream) == NULL || stream_of(stream) == &fake.legacy)
        return leave(CUDA_ERROR_INVALID_RESOURCE_HANDLE);
    stream->destroyed = true;
    return leave(CUDA_ERROR_SUCCESS);
}

CudaError cuStreamQuery(CuStream handle)
{
    ENTER("cuStreamQuery stream=%d", number_of(handle));
    const Stream *stream = stream_of(handle);
    if (stream == NULL)
        return leave(CUDA_ERROR_INVALID_RESOURCE_HANDLE);
    bool busy = stream->head != NULL || (stream == &fake.legacy && is_held_up(stream, UINT64_MAX));
    return leave(busy ? CUDA_ERROR_NOT_READY : CUDA_ERROR_SUCCESS);
}

static bool run_wait_event(Operation *operation)
{
    return operation->event->reached >= operation->record;
}

CudaError cuStreamWaitEvent(CuStream stream, CuEvent event, unsigned flags)
{
    ENTER("cuStreamWaitEvent stream=%d", number_of(stream));
    Operation operation = {.call = "cuStreamWaitEvent", .run = run_wait_event, .event = event,
                           .record = event->recorded};
    return leave(event->destroyed ? CUDA_ERROR_INVALID_RESOURCE_HANDLE : append(stream, &operation, NULL, 0));
}

CudaError cuStreamWaitValue32(CuStream stream, CuAddress address, uint32_t value, unsigned flags)
{
    ENTER("cuStreamWaitValue32 stream=%d", number_of(stream));
    Operation operation = {.call = "cuStreamWaitValue32", .run = run_wait_value, .to = address, .value = value};
    if (address % 4 != 0 || !is_reachable(address, 4) || flags != CU_WAIT_VALUE_GEQ)
        return leave(CUDA_ERROR_INVALID_VALUE);
    return leave(append(stream, &operation, NULL, 0));
}

static bool run_write_value(Operation *operation)
{
    __atomic_store_n((uint64_t *)at(operation->to), operation->value, __ATOMIC_RELEASE);
    return true;
}

CudaError cuStreamWriteValue64(CuStream stream, CuAddress address, uint64_t value, unsigned flags)
{
    ENTER("cuStreamWriteValue64 stream=%d", number_of(stream));
    Operation operation = {.call = "cuStreamWriteValue64", .run = run_write_value, .to = address, .value = value};
    if (address % 8 != 0 || !is_reachable(address, 8) || flags != 0)
        return leave(CUDA_ERROR_INVALID_VALUE);
    return leave(append(stream, &operation, NULL, 0));
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

static bool run_record(Operation *operation)
{
    operation->event->reached = operation->record;
    operation->event->time_s = now_s();
    return true;
}

CudaError cuEventCreate(CuEvent *event, unsigned flags)
{
    ENTER("cuEventCreate %u", flags);
    *event = calloc(1, sizeof **event);
    if (*event == NULL)
        abort();
    **event = (Event){.next = fake.events, .timed = (flags & CU_EVENT_UNTIMED) == 0};
    fake.events = *event;
    return leave(CUDA_ERROR_SUCCESS);
}

/* The handle's memory stays: a queue may still name it, and its later use is noticed. */
CudaError cuEventDestroy(CuEvent event)
{
    ENTER("cuEventDestroy");
    bool twice = event->destroyed;
    event->destroyed = true;
    return leave(twice ? CUDA_ERROR_INVALID_RESOURCE_HANDLE : CUDA_ERROR_SUCCESS);
}

CudaError cuEventRecord(CuEvent event, CuStream stream)
{
    ENTER("cuEventRecord stream=%d", number_of(stream));
    if (event->destroyed)
        return leave(CUDA_ERROR_INVALID_RESOURCE_HANDLE);
    Operation operation = {.call = "cuEventRecord", .run = run_record, .event = event, .record = event->recorded + 1};
    CudaError error = append(stream, &operation, NULL, 0);
    if (error == CUDA_ERROR_SUCCESS)
        event->recorded++;
    return leave(error);
}

CudaError cuEventQuery(CuEvent event)
{
    ENTER("cuEventQuery");
    if (event->destroyed)
        return leave(CUDA_ERROR_INVALID_RESOURCE_HANDLE);
    return leave(event->reached == event->recorded ? CUDA_ERROR_SUCCESS : CUDA_ERROR_NOT_READY);
}

CudaError cuEventElapsedTime(float *milliseconds, CuEvent start, CuEvent stop)
{
    ENTER("cuEventElapsedTime");
    if (start->destroyed || stop->destroyed || start->recorded == 0 || stop->recorded == 0 || !start->timed
        || !stop->timed)
        return leave(CUDA_ERROR_INVALID_RESOURCE_HANDLE);
    if (start->reached != start->recorded || stop->reached != stop->recorded)
        return leave(CUDA_ERROR_NOT_READY);
    *milliseconds = (float)((stop->time_s - start->time_s) * 1e3);
    return leave(CUDA_ERROR_SUCCESS);
}
