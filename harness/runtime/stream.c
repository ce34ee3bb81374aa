#include "harness/runtime/stream.h"
#include "harness/runtime/capture.h"
#include "harness/runtime/managed.h"
#include "harness/runtime/pool.h"

#include <stdlib.h>
#include <string.h>

enum { GREATEST_PRIORITY = -5 /* as on an H200 */ };

uint64_t stream_id(cudaStream_t stream)
{
    uint64_t id = (uint64_t)(uintptr_t)stream;
    return id < RING_FIRST_HANDLE ? 0 : id;
}

static uint64_t event_id(cudaEvent_t event)
{
    return (uint64_t)(uintptr_t)event;
}

/* ---- streams ----------------------------------------------------------------------------------------------------- */

typedef struct Stream { /* the arguments that a stream was created with */
    cudaStream_t handle;
    unsigned flags;
    int priority;
    struct Stream *next;
} Stream;

static Stream *all_streams;

static cudaError_t remember_stream(cudaStream_t handle, unsigned flags, int priority)
{
    Stream *stream = malloc(sizeof *stream);
    if (stream == NULL)
        return cudaErrorMemoryAllocation;
    client_lock();
    *stream = (Stream){handle, flags, priority, all_streams};
    all_streams = stream;
    client_unlock();
    return cudaSuccess;
}

static void forget_stream(cudaStream_t handle)
{
    client_lock();
    Stream **link = &all_streams;
    while (*link != NULL && (*link)->handle != handle)
        link = &(*link)->next;
    Stream *found = *link;
    if (found != NULL)
        *link = found->next;
    client_unlock();
    free(found);
}

static cudaError_t find_stream(cudaStream_t handle, Stream *found)
{
    *found = (Stream){.flags = cudaStreamDefault};
    if (stream_id(handle) == 0)
        return cudaSuccess;
    client_lock();
    const Stream *stream = all_streams;
    while (stream != NULL && stream->handle != handle)
        stream = stream->next;
    if (stream != NULL)
        *found = *stream;
    client_unlock();
    return stream == NULL ? cudaErrorInvalidResourceHandle : cudaSuccess;
}

bool stream_is_non_blocking(cudaStream_t handle)
{
    Stream stream;
    return find_stream(handle, &stream) == cudaSuccess && (stream.flags & cudaStreamNonBlocking) != 0;
}

/* A priority is only a hint; it is clamped to the range of the device. */
cudaError_t stream_new(cudaStream_t *stream, unsigned flags, int priority)
{
    RingReply reply;
    if (stream == NULL || (flags & ~(unsigned)cudaStreamNonBlocking) != 0)
        return cudaErrorInvalidValue;
    cudaError_t error = client_call(RING_STREAM_NEW, (RingWords){{flags}}, &reply);
    if (error != cudaSuccess)
        return error;
    *stream = (cudaStream_t)(uintptr_t)reply.value[0];
    return remember_stream(*stream, flags,
                           priority > 0                   ? 0
                           : priority < GREATEST_PRIORITY ? GREATEST_PRIORITY
                                                          : priority);
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    return result(stream_new(stream, cudaStreamDefault, 0));
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    return result(stream_new(stream, flags, 0));
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority)
{
    return result(stream_new(stream, flags, priority));
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    forget_stream(stream);
    return result(client_call(RING_STREAM_FREE, (RingWords){{(uint64_t)(uintptr_t)stream}}, NULL));
}

cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned *flags)
{
    Stream stream;
    cudaError_t error = flags == NULL ? cudaErrorInvalidValue : find_stream(handle, &stream);
    if (error == cudaSuccess)
        *flags = stream.flags;
    return result(error);
}

cudaError_t cudaStreamGetPriority(cudaStream_t handle, int *priority)
{
    Stream stream;
    cudaError_t error = priority == NULL ? cudaErrorInvalidValue : find_stream(handle, &stream);
    if (error == cudaSuccess)
        *priority = stream.priority;
    return result(error);
}

cudaError_t cudaStreamGetId(cudaStream_t handle, unsigned long long *id)
{
    Stream stream;
    cudaError_t error = id == NULL ? cudaErrorInvalidValue : find_stream(handle, &stream);
    if (error == cudaSuccess)
        *id = stream_id(handle);
    return result(error);
}

static cudaError_t stream_synchronize(cudaStream_t stream)
{
    cudaError_t error = client_call(RING_STREAM_SYNCHRONIZE, (RingWords){{stream_id(stream)}}, NULL);
    if (error == cudaSuccess)
        pool_settle(stream);
    return error == cudaSuccess ? managed_pull() : error;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    cudaError_t error = capture_allows_wait(stream);
    return result(error == cudaSuccess ? stream_synchronize(stream) : error);
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    cudaError_t error = capture_allows_wait(stream);
    if (error == cudaSuccess)
        error = client_call(RING_STREAM_QUERY, (RingWords){{stream_id(stream)}}, NULL);
    return result(error);
}

cudaError_t stream_wait(cudaStream_t stream, cudaEvent_t event)
{
    return client_call(RING_STREAM_WAIT, (RingWords){{stream_id(stream), event_id(event)}}, NULL);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    cudaError_t error;
    return result(capture_takes_wait(stream, event, flags, &error) ? error : stream_wait(stream, event));
}

cudaError_t host_function_run(cudaHostFn_t function, void *argument, cudaStream_t stream)
{
    cudaError_t error = function == NULL ? cudaErrorInvalidValue : stream_synchronize(stream);
    if (error == cudaSuccess)
        function(argument);
    return error;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *argument)
{
    const Work work = {.type = cudaGraphNodeTypeHost, .host = {function, argument}};
    cudaError_t error;
    return result(function != NULL && capture_takes(stream, &work, &error)
                      ? error
                      : host_function_run(function, argument, stream));
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *argument, unsigned flags)
{
    cudaError_t error = callback == NULL ? cudaErrorInvalidValue : capture_allows_wait(stream);
    if (error != cudaSuccess)
        return result(error);
    callback(stream, stream_synchronize(stream), argument);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    *least = 0;
    *greatest = GREATEST_PRIORITY;
    return cudaSuccess;
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

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return result(event_new(event, cudaEventDefault));
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    return result(event_new(event, flags));
}

cudaError_t event_free(cudaEvent_t event)
{
    capture_forget_event(event);
    return client_call(RING_EVENT_FREE, (RingWords){{event_id(event)}}, NULL);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    return result(event_free(event));
}

cudaError_t event_record(cudaEvent_t event, cudaStream_t stream)
{
    return client_call(RING_EVENT_RECORD, (RingWords){{event_id(event), stream_id(stream)}}, NULL);
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags)
{
    cudaError_t error;
    return result(capture_takes_record(stream, event, flags, &error) ? error : event_record(event, stream));
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    return cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    cudaError_t error = capture_allows_event(event);
    if (error == cudaSuccess)
        error = client_call(RING_EVENT_SYNCHRONIZE, (RingWords){{event_id(event)}}, NULL);
    return result(error == cudaSuccess ? managed_pull() : error);
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    cudaError_t error = capture_allows_event(event);
    if (error == cudaSuccess)
        error = client_call(RING_EVENT_QUERY, (RingWords){{event_id(event)}}, NULL);
    return result(error);
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t stop)
{
    RingReply reply;
    if (milliseconds == NULL)
        return result(cudaErrorInvalidValue);
    cudaError_t error = client_call(RING_EVENT_ELAPSED, (RingWords){{event_id(start), event_id(stop)}}, &reply);
    double seconds;
    memcpy(&seconds, &reply.value[0], sizeof seconds);
    if (error == cudaSuccess)
        *milliseconds = (float)(seconds * 1e3);
    return result(error);
}

/* ---- the whole device -------------------------------------------------------------------------------------------- */

cudaError_t cudaDeviceSynchronize(void)
{
    cudaError_t error = capture_allows_device_wait();
    if (error == cudaSuccess)
        error = client_call(RING_SYNCHRONIZE, (RingWords){{0}}, NULL);
    if (error == cudaSuccess)
        pool_settle_all();
    return result(error == cudaSuccess ? managed_pull() : error);
}

/* It waits for the device and destroys nothing, since the judge's arrays must survive it. */
cudaError_t cudaDeviceReset(void)
{
    return cudaDeviceSynchronize();
}
