#include "tests/fake/cuda.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct Fake fake = {.lock = PTHREAD_MUTEX_INITIALIZER, .log = -1};
__thread bool has_context;

void write_log(const char *line)
{
    if (fake.log < 0 || (strstr(line, "Query") != NULL && strcmp(line, fake.logged) == 0))
        return;
    snprintf(fake.logged, sizeof fake.logged, "%s", line);
    dprintf(fake.log, "%s\n", line);
}

void begin(const char *format, ...)
{
    char line[128];
    const char *refused = getenv("CONVJUDGE_FAKE_CUDA_REFUSES");
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    pthread_mutex_lock(&fake.lock);
    fake.refuses = refused != NULL && strncmp(line, refused, strcspn(line, " ")) == 0;
    write_log(line);
}

CudaError leave(CudaError error)
{
    const bool refuses = fake.refuses;
    pthread_mutex_unlock(&fake.lock);
    return refuses ? CUDA_ERROR_NOT_PERMITTED : error;
}

CudaError context_error(void)
{
    if (!fake.initialised)
        return CUDA_ERROR_INITIALIZATION_ERROR;
    return has_context ? fake.error : CUDA_ERROR_DEVICE_UNINITIALIZED;
}

/* ---- devices ----------------------------------------------------------------------------------------------------- */

static int device_count(void)
{
    const char *devices = getenv("CONVJUDGE_FAKE_CUDA_DEVICES"), *visible = getenv("CUDA_VISIBLE_DEVICES");
    int count = devices == NULL ? 1 : atoi(devices);
    if (visible != NULL)
        for (count = 1; *visible != '\0'; visible++)
            count += *visible == ',';
    return count;
}

/* The number of a GPU of this host. CUDA_VISIBLE_DEVICES holds digits alone here. */
static int host_number(CuDevice device)
{
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    return visible == NULL ? device : visible[2 * device] - '0';
}

static void *idle(void *unused)
{
    for (;;)
        pause();
    return unused;
}

/* The real driver has threads, too, with the signal mask of the caller. */
static void start_thread(void)
{
    pthread_t thread;
    if (!fake.initialised && pthread_create(&thread, NULL, idle, NULL) == 0)
        pthread_detach(thread);
}

CudaError cuInit(unsigned flags)
{
    const char *log = getenv("CONVJUDGE_FAKE_CUDA_LOG");
    if (fake.log < 0 && log != NULL)
        fake.log = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    begin("cuInit");
    start_thread();
    fake.initialised = device_count() > 0;
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
    *count = device_count();
    return leave(fake.initialised ? CUDA_ERROR_SUCCESS : CUDA_ERROR_INITIALIZATION_ERROR);
}

CudaError cuDeviceGet(CuDevice *device, int ordinal)
{
    begin("cuDeviceGet %d", ordinal);
    *device = ordinal;
    return leave(ordinal >= 0 && ordinal < device_count() ? CUDA_ERROR_SUCCESS : CUDA_ERROR_INVALID_DEVICE);
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
        uuid->bytes[i] = (unsigned char)(0xf0 + i + (i == 0 ? host_number(device) : 0));
    return leave(CUDA_ERROR_SUCCESS);
}

/* The attributes of an H200, but with a small L2 cache, which is flushed quickly. */
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
            *value = attribute == CU_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS && getenv("CONVJUDGE_FAKE_CUDA_PAGEABLE") != NULL
                         ? 1
                         : values[i][1];
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
    begin("cuDevicePrimaryCtxRetain");
    if (!start_queues())
        return leave(CUDA_ERROR_OPERATING_SYSTEM);
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
    static const char TEXT[] = "a kernel\n";
    ENTER("cuCtxSynchronize");
    const CudaError error = wait_until_idle();
    for (; fake.printed > 0; fake.printed--)
        (void)!write(STDOUT_FILENO, TEXT, sizeof TEXT - 1);
    return leave(error);
}
