/* CUDA's calls about streams, events and the device as a whole.  */
#include "harness/runtime/graph/capture.h"
#include "harness/runtime/stream.h"
#include "harness/runtime/wait.h"

#include <string.h>

/* ---- streams ----------------------------------------------------------------------------------------------------- */

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
    return result(stream_free(stream));
}

cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned *flags)
{
    StreamInfo stream;
    cudaError_t error = flags == NULL ? cudaErrorInvalidValue : stream_info(handle, &stream);
    if (error == cudaSuccess)
        *flags = stream.flags;
    return result(error);
}

cudaError_t cudaStreamGetPriority(cudaStream_t handle, int *priority)
{
    StreamInfo stream;
    cudaError_t error = priority == NULL ? cudaErrorInvalidValue : stream_info(handle, &stream);
    if (error == cudaSuccess)
        *priority = stream.priority;
    return result(error);
}

cudaError_t cudaStreamGetId(cudaStream_t handle, unsigned long long *id)
{
    StreamInfo stream;
    cudaError_t error = id == NULL ? cudaErrorInvalidValue : stream_info(handle, &stream);
    if (error == cudaSuccess)
        *id = stream_id(handle);
    return result(error);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    cudaError_t error = capture_allows_wait(stream);
    return result(error == cudaSuccess ? wait_for_stream(stream) : error);
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    cudaError_t error = capture_allows_wait(stream);
    if (error == cudaSuccess)
        error = client_call(RING_STREAM_QUERY, (RingWords){{stream_id(stream)}}, NULL);
    return result(error);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    cudaError_t error;
    return result(capture_takes_wait(stream, event, flags, &error) ? error : stream_wait(stream, event));
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *argument)
{
    const StreamWork work = {.type = cudaGraphNodeTypeHost, .host = {function, argument}};
    cudaError_t error;
    return result(function != NULL && capture_takes(stream, &work, &error)
                      ? error
                      : host_function_run(function, argument, stream));
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *argument, unsigned flags)
{
    cudaError_t error = callback == NULL ? cudaErrorInvalidValue : capture_allows_wait(stream);
    return result(error == cudaSuccess ? host_callback_run(callback, argument, stream) : error);
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    *least = 0;
    *greatest = GREATEST_PRIORITY;
    return cudaSuccess;
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return result(event_new(event, cudaEventDefault));
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    return result(event_new(event, flags));
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    capture_forget_event(event);
    return result(event_free(event));
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
        error = wait_for_event(event);
    return result(error);
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
    return result(error == cudaSuccess ? wait_for_device() : error);
}

/* It waits for the device and destroys nothing, since the judge's arrays must survive it. */
cudaError_t cudaDeviceReset(void)
{
    return cudaDeviceSynchronize();
}
