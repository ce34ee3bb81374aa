#include "harness/runtime/wait.h"

#include "harness/runtime/managed.h"
#include "harness/runtime/pool.h"
#include "harness/runtime/stream.h"
#include "harness/runtime/turn.h"

#include <stdlib.h>

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

/* ---- functions of the host --------------------------------------------------------------------------------------- */

typedef struct HostFunction {
    cudaHostFn_t function;
    cudaStreamCallback_t callback; /* NULL: `function` */
    cudaStream_t stream;
    void *argument;
} HostFunction;

static void call_function(void *what, cudaError_t status)
{
    const HostFunction *host = what;
    if (host->callback != NULL)
        host->callback(host->stream, status, host->argument);
    else if (status == cudaSuccess)
        host->function(host->argument);
    free(what);
}

/* Until the turn is kept, nobody else may be asked to take it. */
static cudaError_t ask_for_turn(HostFunction *host, cudaStream_t stream)
{
    RingReply reply;
    client_lock();
    cudaError_t error = client_call(RING_HOST_CALL, (RingWords){{stream_id(stream)}}, &reply);
    if (error == cudaSuccess && !turn_keep_call(reply.value[0], call_function, host))
        error = cudaErrorMemoryAllocation;
    if (error != cudaSuccess)
        free(host);
    else if (reply.value[1] != 0)
        error = turn_take(reply.value[0]);
    client_unlock();
    return error;
}

static cudaError_t run_in_order(HostFunction function, cudaStream_t stream)
{
    HostFunction *host = malloc(sizeof *host);
    if (host == NULL)
        return cudaErrorMemoryAllocation;
    *host = function;
    if (client_has_turns() && !managed_exists() && turns_have_driver())
        return ask_for_turn(host, stream);
    cudaError_t error = wait_for_stream(stream);
    host_call_now(call_function, host, error);
    return error;
}

cudaError_t host_function_run(cudaHostFn_t function, void *argument, cudaStream_t stream)
{
    return function == NULL ? cudaErrorInvalidValue
                            : run_in_order((HostFunction){.function = function, .argument = argument}, stream);
}

cudaError_t host_callback_run(cudaStreamCallback_t callback, void *argument, cudaStream_t stream)
{
    return callback == NULL
               ? cudaErrorInvalidValue
               : run_in_order((HostFunction){.callback = callback, .stream = stream, .argument = argument}, stream);
}
