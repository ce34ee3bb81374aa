#include "harness/runtime/wait.h"

#include "harness/runtime/managed.h"
#include "harness/runtime/pool.h"
#include "harness/runtime/stream.h"

cudaError_t wait_for_stream(cudaStream_t stream)
{
    cudaError_t error = client_call(RING_STREAM_SYNCHRONIZE, (RingWords){{stream_id(stream)}}, NULL);
    if (error == cudaSuccess)
        pool_settle(stream);
    return error == cudaSuccess ? managed_pull() : error;
}

cudaError_t wait_for_event(cudaEvent_t event)
{
    cudaError_t error = client_call(RING_EVENT_SYNCHRONIZE, (RingWords){{event_id(event)}}, NULL);
    return error == cudaSuccess ? managed_pull() : error;
}

cudaError_t wait_for_device(void)
{
    cudaError_t error = client_call(RING_SYNCHRONIZE, (RingWords){{0}}, NULL);
    if (error == cudaSuccess)
        pool_settle_all();
    return error == cudaSuccess ? managed_pull() : error;
}

cudaError_t host_function_run(cudaHostFn_t function, void *argument, cudaStream_t stream)
{
    cudaError_t error = function == NULL ? cudaErrorInvalidValue : wait_for_stream(stream);
    if (error == cudaSuccess)
        function(argument);
    return error;
}
