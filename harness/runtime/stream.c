#include "harness/runtime/stream.h"

#include <pthread.h>
#include <stdlib.h>

/* ---- the per-thread default stream ------------------------------------------------------------------------------- */

static pthread_key_t own_stream; /* its number; NULL: the thread has not used it */
static pthread_once_t own_stream_once = PTHREAD_ONCE_INIT;

static void free_own_stream(void *number)
{
    client_call(RING_STREAM_FREE, (RingWords){{(uint64_t)(uintptr_t)number}}, NULL);
}

static void make_own_stream_key(void)
{
    pthread_key_create(&own_stream, free_own_stream);
}

/* "An implicit stream local to both the thread and the CUcontext", which "will synchronize with the legacy default
 * stream" (CUDA Runtime API, "Stream synchronization behavior"). Where it cannot be made, the legacy stream stands in for
 * it and returns the error. */
static uint64_t own_stream_id(void)
{
    RingReply reply;
    pthread_once(&own_stream_once, make_own_stream_key);
    void *number = pthread_getspecific(own_stream);
    if (number == NULL && client_call(RING_STREAM_NEW, (RingWords){{RING_STREAM_OF_THREAD}}, &reply) == cudaSuccess) {
        number = (void *)(uintptr_t)reply.value[0];
        pthread_setspecific(own_stream, number);
    }
    return (uint64_t)(uintptr_t)number;
}

uint64_t stream_id(cudaStream_t stream)
{
    uint64_t id = (uint64_t)(uintptr_t)stream;
    if (stream == cudaStreamPerThread)
        return own_stream_id();
    return id < RING_FIRST_HANDLE ? 0 : id;
}

RingWait stream_copy_wait(cudaStream_t stream)
{
    return stream == HOST_WAITS ? RING_HOST_WAITS : RING_STREAM_ORDER;
}

uint64_t event_id(cudaEvent_t event)
{
    return (uint64_t)(uintptr_t)event;
}

/* ---- streams ----------------------------------------------------------------------------------------------------- */

typedef struct KnownStream { /* the arguments that a stream was created with */
    cudaStream_t handle;
    unsigned flags;
    int priority;
    struct KnownStream *next;
} KnownStream;

static KnownStream *all_streams;

static cudaError_t remember_stream(cudaStream_t handle, unsigned flags, int priority)
{
    KnownStream *stream = malloc(sizeof *stream);
    if (stream == NULL)
        return cudaErrorMemoryAllocation;
    client_lock();
    *stream = (KnownStream){handle, flags, priority, all_streams};
    all_streams = stream;
    client_unlock();
    return cudaSuccess;
}

static void forget_stream(cudaStream_t handle)
{
    client_lock();
    KnownStream **link = &all_streams;
    while (*link != NULL && (*link)->handle != handle)
        link = &(*link)->next;
    KnownStream *found = *link;
    if (found != NULL)
        *link = found->next;
    client_unlock();
    free(found);
}

cudaError_t stream_info(cudaStream_t handle, StreamInfo *info)
{
    *info = (StreamInfo){.flags = cudaStreamDefault};
    if (handle == cudaStreamPerThread || stream_id(handle) == 0)
        return cudaSuccess;
    client_lock();
    const KnownStream *stream = all_streams;
    while (stream != NULL && stream->handle != handle)
        stream = stream->next;
    if (stream != NULL)
        *info = (StreamInfo){stream->flags, stream->priority};
    client_unlock();
    return stream == NULL ? cudaErrorInvalidResourceHandle : cudaSuccess;
}

bool stream_is_non_blocking(cudaStream_t handle)
{
    StreamInfo info;
    return stream_info(handle, &info) == cudaSuccess && (info.flags & cudaStreamNonBlocking) != 0;
}

static cudaError_t ask_for_stream(cudaStream_t *stream, RingStreamKind kind)
{
    RingReply reply;
    cudaError_t error = client_call(RING_STREAM_NEW, (RingWords){{kind}}, &reply);
    if (error == cudaSuccess)
        *stream = (cudaStream_t)(uintptr_t)reply.value[0];
    return error;
}

cudaError_t stream_new_of_graph(cudaStream_t *stream)
{
    return ask_for_stream(stream, RING_STREAM_OF_GRAPH);
}

/* A priority is only a hint; it is clamped to the range of the device. */
cudaError_t stream_new(cudaStream_t *stream, unsigned flags, int priority)
{
    if (stream == NULL || (flags & ~(unsigned)cudaStreamNonBlocking) != 0)
        return cudaErrorInvalidValue;
    cudaError_t error = ask_for_stream(stream, flags == 0 ? RING_STREAM_BLOCKING : RING_STREAM_NON_BLOCKING);
    if (error != cudaSuccess)
        return error;
    return remember_stream(*stream, flags,
                           priority > 0                   ? 0
                           : priority < GREATEST_PRIORITY ? GREATEST_PRIORITY
                                                          : priority);
}

cudaError_t stream_free(cudaStream_t stream)
{
    forget_stream(stream);
    return client_call(RING_STREAM_FREE, (RingWords){{(uint64_t)(uintptr_t)stream}}, NULL);
}

cudaError_t stream_wait(cudaStream_t stream, cudaEvent_t event)
{
    return client_call(RING_STREAM_WAIT, (RingWords){{stream_id(stream), event_id(event)}}, NULL);
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

cudaError_t event_new(cudaEvent_t *event, unsigned flags)
{
    RingReply reply;
    if (event == NULL || (flags & ~(unsigned)(cudaEventBlockingSync | cudaEventDisableTiming)) != 0)
        return cudaErrorInvalidValue;
    bool untimed = (flags & cudaEventDisableTiming) != 0;
    cudaError_t error = client_call(RING_EVENT_NEW, (RingWords){{untimed}}, &reply);
    if (error == cudaSuccess)
        *event = (cudaEvent_t)(uintptr_t)reply.value[0];
    return error;
}

cudaError_t event_free(cudaEvent_t event)
{
    return client_call(RING_EVENT_FREE, (RingWords){{event_id(event)}}, NULL);
}

cudaError_t event_record(cudaEvent_t event, cudaStream_t stream)
{
    return client_call(RING_EVENT_RECORD, (RingWords){{event_id(event), stream_id(stream)}}, NULL);
}
