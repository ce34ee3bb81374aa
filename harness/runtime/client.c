#include "harness/runtime/client.h"

#include <link.h>
#include <pthread.h>
#include <stdio.h>

/* ==== older ======================================================================================================= */

static int major = 13; /* version of the CUDA headers that the submission was compiled with */

void convjudge_compiled_for(int cuda_major)
{
    major = cuda_major;
}

bool compiled_for_11(void)
{
    return major <= 11;
}

bool compiled_before_13(void)
{
    return major < 13;
}

void fill_struct(void *to, const void *from, size_t bytes_in_11, size_t bytes_in_12, size_t bytes)
{
    memcpy(to, from, major <= 11 ? bytes_in_11 : major == 12 ? bytes_in_12 : bytes);
}

/* ---- cudaDeviceProp ---------------------------------------------------------------------------------------------- */

/* cudaDeviceProp of CUDA 11.8 (driver_types.h). The one of CUDA 12 begins with the same fields. */
typedef struct OlderProperties {
    char name[256];
    cudaUUID_t uuid;
    char luid[8];
    unsigned int luidDeviceNodeMask;
    size_t totalGlobalMem, sharedMemPerBlock;
    int regsPerBlock, warpSize;
    size_t memPitch;
    int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate;
    size_t totalConstMem;
    int major, minor;
    size_t textureAlignment, texturePitchAlignment;
    int deviceOverlap, multiProcessorCount, kernelExecTimeoutEnabled, integrated, canMapHostMemory, computeMode;
    int maxTexture1D, maxTexture1DMipmap, maxTexture1DLinear;
    int maxTexture2D[2], other_textures[21];
    int surfaces[14];
    size_t surfaceAlignment;
    int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver, asyncEngineCount;
    int unifiedAddressing, memoryClockRate, memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize;
    int maxThreadsPerMultiProcessor, streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported;
    size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID, hostNativeAtomicSupported;
    int singleToDoublePrecisionPerfRatio, pageableMemoryAccess, concurrentManagedAccess, computePreemptionSupported;
    int canUseHostPointerForRegisteredMem, cooperativeLaunch, cooperativeMultiDeviceLaunch;
    size_t sharedMemPerBlockOptin;
    int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost, maxBlocksPerMultiProcessor;
    int accessPolicyMaxWindowSize;
    size_t reservedSharedMemPerBlock;
} OlderProperties;

_Static_assert(offsetof(OlderProperties, surfaceAlignment) == 568 && sizeof(OlderProperties) == 728, "as in CUDA 11.8");

/* Copies a range of fields that have the same order in both structs. */
#define COPY(first, last)                                                                                              \
    memcpy(&older.first, &properties->first,                                                                           \
           offsetof(OlderProperties, last) + sizeof older.last - offsetof(OlderProperties, first))

void fill_older_properties(void *to, const struct cudaDeviceProp *properties, int clock_khz, int memory_clock_khz)
{
    OlderProperties older = {.deviceOverlap = 1, .clockRate = clock_khz, .memoryClockRate = memory_clock_khz};
    COPY(name, maxGridSize);
    COPY(totalConstMem, texturePitchAlignment);
    older.multiProcessorCount = properties->multiProcessorCount;
    COPY(integrated, canMapHostMemory);
    COPY(maxTexture1D, maxTexture1DMipmap);
    COPY(maxTexture2D, surfaces);
    COPY(surfaceAlignment, unifiedAddressing);
    COPY(memoryBusWidth, hostNativeAtomicSupported);
    COPY(pageableMemoryAccess, cooperativeLaunch);
    COPY(sharedMemPerBlockOptin, reservedSharedMemPerBlock);
    memcpy(to, &older, sizeof older);
}

/* ==== client ====================================================================================================== */

static RingMemory *ring;
static cudaError_t (*take_turn)(uint64_t turn);
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static bool posted;      /* a request was posted after the last reply */
static bool error_noted; /* the broker has been told about the first error of this call of solve() */
static __thread cudaError_t last_error;
static __thread bool in_host_function;
static _Atomic uint64_t calls; /* requests so far */

void client_begin(RingMemory *its_ring)
{
    ring = its_ring;
}

void client_on_turn(cudaError_t (*take)(uint64_t turn))
{
    take_turn = take;
}

void client_begin_call(void)
{
    error_noted = false;
    last_error = cudaSuccess;
}

void client_lock(void)
{
    pthread_mutex_lock(&lock);
}

void client_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

uint64_t client_calls(void)
{
    return calls;
}

void client_forbid_calls(bool forbid)
{
    in_host_function = forbid;
}

uint8_t *client_staging(void)
{
    return ring->staging;
}

bool client_has_turns(void)
{
    return ring != NULL && take_turn != NULL && ring_has_turns(ring);
}

/* ---- requests ---------------------------------------------------------------------------------------------------- */

static void await_reply(uint32_t replies_before, RingReply *reply)
{
    ring_await_reply(ring, replies_before, reply);
    posted = false;
    if (reply->posted_error != cudaSuccess)
        last_error = reply->posted_error;
}

/* If the buffer is full, a flush empties it first. Returns the number of replies before the request was sent. */
static uint32_t send_request(RingKind kind, bool wants_reply, const void *body, size_t bytes, const void *more,
                             size_t more_bytes)
{
    const uint32_t place = caller_place();
    for (;;) {
        RingReply reply;
        uint32_t replies = ring_replies(ring);
        if (ring_send(ring, kind, wants_reply, place, body, bytes, more, more_bytes))
            return replies;
        ring_send(ring, RING_FLUSH, true, 0, NULL, 0, NULL, 0);
        await_reply(replies, &reply);
    }
}

/* May a call of that kind come with data in staging? */
static bool has_staged(RingKind kind)
{
    return kind == RING_WRITE || kind == RING_COPY_BOX || kind == RING_TURN;
}

cudaError_t client_call_body(RingKind kind, const void *body, size_t bytes, const void *more, size_t more_bytes,
                             RingReply *reply)
{
    RingReply unused;
    if (reply == NULL)
        reply = &unused;
    *reply = (RingReply){.error = cudaErrorInitializationError};
    if (ring == NULL || bytes + more_bytes > RING_MAX_BODY)
        return ring == NULL ? cudaErrorInitializationError : cudaErrorInvalidValue;
    if (in_host_function)
        return reply->error = cudaErrorNotPermitted;
    calls++;
    client_lock();
    do {
        await_reply(send_request(kind, true, body, bytes, more, more_bytes), reply);
        if (reply->turn != 0)
            reply->error = take_turn(reply->turn);
    } while (reply->turn != 0 && reply->error == cudaSuccess && !has_staged(kind));
    if (reply->turn != 0 && reply->error == cudaSuccess)
        reply->error = CLIENT_AGAIN;
    client_unlock();
    return reply->error;
}

cudaError_t client_call(RingKind kind, RingWords words, RingReply *reply)
{
    return client_call_body(kind, &words, sizeof words, NULL, 0, reply);
}

void client_post(RingKind kind, const void *body, size_t bytes, const void *more, size_t more_bytes)
{
    if (ring == NULL || bytes + more_bytes > RING_MAX_BODY)
        return;
    if (in_host_function && kind == RING_LAUNCH) {
        last_error = cudaErrorNotPermitted;
        return;
    }
    calls++;
    client_lock();
    send_request(kind, false, body, bytes, more, more_bytes);
    posted = true;
    if (kind == RING_LAUNCH && ring_waits_for_launches(ring))
        client_flush();
    client_unlock();
}

void client_flush(void)
{
    RingReply reply;
    client_lock();
    if (ring != NULL && posted)
        await_reply(send_request(RING_FLUSH, true, NULL, 0, NULL, 0), &reply);
    client_unlock();
}

/* ---- errors ------------------------------------------------------------------------------------------------------ */

static void note(RingKind kind, const char *call, cudaError_t error)
{
    RingNote body = {.error = error};
    snprintf(body.call, sizeof body.call, "%s",
             call + strspn(call, "_")); /* those that only nvcc calls begin with two */
    client_post(kind, &body, sizeof body, NULL, 0);
}

/* "Not ready" is the answer to a query, not an error. */
cudaError_t result_of(const char *call, cudaError_t error)
{
    if (error != cudaSuccess)
        last_error = error;
    if (error != cudaSuccess && error != cudaErrorNotReady && !error_noted) {
        error_noted = true;
        note(RING_NOTE_ERROR, call, error);
    }
    return error;
}

cudaError_t missing(const char *call)
{
    note(RING_NOTE_MISSING, call, cudaErrorNotSupported);
    return result_of(call, cudaErrorNotSupported);
}

cudaError_t cudaPeekAtLastError(void)
{
    client_flush();
    return last_error;
}

cudaError_t cudaGetLastError(void)
{
    client_flush();
    cudaError_t error = last_error;
    last_error = cudaSuccess;
    return error;
}

const char *cudaGetErrorName(cudaError_t error)
{
    return cuda_error_name((CudaError)error);
}

const char *cudaGetErrorString(cudaError_t error)
{
    return cuda_error_text((CudaError)error);
}

/* ---- who asks ---------------------------------------------------------------------------------------------------- */

enum { MOST_FRAMES = 32 };

typedef struct StackFrame { /* where the frame pointer points (System V ABI for x86-64, 3.2.2; AAPCS64, 6.4.6) */
    const struct StackFrame *outer;
    const void *return_address;
} StackFrame;

extern const char __ehdr_start[] __attribute__((visibility("hidden"))), etext[]; /* of this library, by the linker */

static uintptr_t first, end; /* of the submission's object; 0: unknown */
static __thread uint32_t stands_in;

static bool is_own(const void *address)
{
    return (const char *)address >= __ehdr_start && (const char *)address < etext;
}

static int keep_range(struct dl_phdr_info *object, size_t unused, void *address)
{
    uintptr_t stop = 0;
    for (size_t i = 0; i < object->dlpi_phnum; i++)
        if (object->dlpi_phdr[i].p_type == PT_LOAD)
            stop = object->dlpi_addr + object->dlpi_phdr[i].p_vaddr + object->dlpi_phdr[i].p_memsz;
    if ((uintptr_t)address < object->dlpi_addr || (uintptr_t)address >= stop)
        return 0;
    first = object->dlpi_addr;
    end = stop;
    return 1;
}

void caller_is_in(const void *address)
{
    if (end == 0)
        dl_iterate_phdr(keep_range, (void *)address);
}

uint32_t caller_place_of(const void *return_address)
{
    uintptr_t at = (uintptr_t)return_address;
    return at > first && at < end && at - first <= UINT32_MAX ? (uint32_t)(at - first) : 0;
}

uint32_t caller_place(void)
{
    const StackFrame *frame = __builtin_frame_address(0);
    if (stands_in != 0)
        return stands_in;
    for (int i = 0; i < MOST_FRAMES && is_own(frame->return_address); i++)
        frame = frame->outer;
    return caller_place_of(frame->return_address);
}

uint32_t caller_stand_in(uint32_t place)
{
    uint32_t before = stands_in;
    stands_in = place;
    return before;
}
