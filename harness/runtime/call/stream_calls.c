/* CUDA's calls that launch kernels, and those about the attributes of kernels.  */
#include "harness/runtime/client.h"
#include "harness/runtime/cuda_api.h"
#include "harness/runtime/graph/capture.h"
#include "harness/runtime/launch.h"
#include "harness/runtime/managed.h"
#include "harness/runtime/wait.h"

#include <string.h>

/* ==== launch call ================================================================================================= */

/* The compilers translate f<<<grid, block, shared, stream>>>(arguments) into a push of the configuration, the
 * evaluation of the arguments, and a call of f's stub, which pops the configuration and launches the kernel. */
enum { MAX_NESTED = 16, MOST_CLUSTER_BLOCKS = 8 /* as simgpu/cost/launch_limits.h */ };
static __thread Configuration pushed[MAX_NESTED];
static __thread int pushed_count;
static __thread bool in_stub;        /* between the pop and the launch of <<<...>>>, */
static __thread uint32_t stub_place; /*   which stands here (client.h) */

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes, struct CUstream_st *stream)
{
    if (pushed_count == MAX_NESTED)
        return 1;
    pushed[pushed_count++] = (Configuration){.grid = grid,
                                             .block = block,
                                             .shared_bytes = shared_bytes,
                                             .stream = stream,
                                             .place = caller_place_of(__builtin_return_address(0))};
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared_bytes, void *stream)
{
    if (pushed_count == 0)
        return result(cudaErrorMissingConfiguration);
    const Configuration *top = &pushed[--pushed_count];
    *grid = top->grid;
    *block = top->block;
    *shared_bytes = top->shared_bytes;
    *(cudaStream_t *)stream = top->stream;
    stub_place = top->place;
    in_stub = true;
    return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *host_function)
{
    Function *function;
    cudaError_t error = function_find(host_function, &function);
    *kernel = (cudaKernel_t)function;
    return result(error);
}

cudaError_t cudaGetKernel(cudaKernel_t *kernel, const void *host_function)
{
    return __cudaGetKernel(kernel, host_function);
}

/* Only a launch whose result the program can see waits for the reply. <<<...>>> has no result. cudaLaunchKernel() has
 * one, but not if a stub calls it, as the stubs of clang and of nvcc up to 12 do. */
static cudaError_t launch(const void *kernel, const Configuration *how, void **arguments, bool wait)
{
    uint8_t parameters[MAX_PARAMETER_BYTES];
    StreamWork work = {.type = cudaGraphNodeTypeKernel, .kernel = {.how = *how}};
    uint32_t place = caller_stand_in(how->place);
    cudaError_t error = kernel_pack(&work.kernel, kernel, arguments, parameters);
    if (error == cudaSuccess && !capture_takes(how->stream, &work, &error))
        error = kernel_launch(&work.kernel, how->stream, wait);
    caller_stand_in(place);
    return error;
}

/* The place of the <<<...>>> whose stub launches; 0: no stub does. */
static uint32_t leave_stub(void)
{
    uint32_t place = in_stub ? stub_place : 0;
    in_stub = false;
    return place;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t shared_bytes,
                               cudaStream_t stream)
{
    Configuration how = {
        .grid = grid, .block = block, .shared_bytes = shared_bytes, .stream = stream, .place = leave_stub()};
    return result(launch(kernel, &how, arguments, false));
}

cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared_bytes,
                             cudaStream_t stream)
{
    bool wait = !in_stub;
    Configuration how = {
        .grid = grid, .block = block, .shared_bytes = shared_bytes, .stream = stream, .place = leave_stub()};
    return result(launch(kernel, &how, arguments, wait));
}

cudaError_t cudaLaunchCooperativeKernel(const void *kernel, dim3 grid, dim3 block, void **arguments,
                                        size_t shared_bytes, cudaStream_t stream)
{
    Configuration how = {
        .grid = grid, .block = block, .shared_bytes = shared_bytes, .stream = stream, .cooperative = true};
    return result(launch(kernel, &how, arguments, true));
}

/* Attributes that change the meaning of a launch are refused; the others are hints and ignored. */
static cudaError_t read_configuration(const cudaLaunchConfig_t *config, Configuration *how)
{
    *how = (Configuration){.grid = config->gridDim,
                           .block = config->blockDim,
                           .shared_bytes = config->dynamicSmemBytes,
                           .stream = config->stream};
    for (unsigned i = 0; i < config->numAttrs; i++) {
        const cudaLaunchAttribute *attribute = &config->attrs[i];
        if (attribute->id == cudaLaunchAttributeCooperative)
            how->cooperative = attribute->val.cooperative != 0;
        if (attribute->id == cudaLaunchAttributeProgrammaticStreamSerialization)
            how->programmatic = attribute->val.programmaticStreamSerializationAllowed != 0;
        if (attribute->id != cudaLaunchAttributeClusterDimension)
            continue;
        how->cluster[0] = attribute->val.clusterDim.x;
        how->cluster[1] = attribute->val.clusterDim.y;
        how->cluster[2] = attribute->val.clusterDim.z;
        if (how->cluster[0] == 0 || how->cluster[1] == 0 || how->cluster[2] == 0)
            return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *kernel, void **arguments)
{
    Configuration how;
    cudaError_t error = read_configuration(config, &how);
    return result(error == cudaSuccess ? launch(kernel, &how, arguments, true) : error);
}

/* ---- attributes of kernels --------------------------------------------------------------------------------------- */

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *kernel)
{
    Function *function;
    cudaError_t error = attributes == NULL ? cudaErrorInvalidValue : function_find(kernel, &function);
    if (error != cudaSuccess)
        return result(error);
    const RingFunctionInfo *info = function->info;
    const struct cudaFuncAttributes filled = {
        .sharedSizeBytes = info->static_shared_bytes,
        .constSizeBytes = info->constant_bytes,
        .localSizeBytes = info->local_bytes,
        .maxThreadsPerBlock = (int)info->max_threads_per_block,
        .numRegs = (int)info->registers,
        .ptxVersion = info->ptx_version,
        .binaryVersion = info->binary_version,
        .maxDynamicSharedSizeBytes = (int)info->max_dynamic_shared_bytes,
        .preferredShmemCarveout = -1,
    };
    FILL_STRUCT(attributes, &filled, 56, sizeof filled);
    return cudaSuccess;
}

cudaError_t cudaFuncGetName(const char **name, const void *kernel)
{
    Function *function;
    cudaError_t error = name == NULL ? cudaErrorInvalidValue : function_find(kernel, &function);
    if (error == cudaSuccess)
        *name = function->name;
    return result(error);
}

cudaError_t cudaFuncGetParamInfo(const void *kernel, size_t index, size_t *offset, size_t *bytes)
{
    Function *function;
    cudaError_t error = offset == NULL ? cudaErrorInvalidValue : function_find(kernel, &function);
    if (error == cudaSuccess && index >= function->info->parameter_count)
        error = cudaErrorInvalidValue;
    if (error != cudaSuccess)
        return result(error);
    *offset = function->info->offsets[index];
    if (bytes != NULL)
        *bytes = function->info->sizes[index];
    return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void *kernel, enum cudaFuncAttribute attribute, int value)
{
    Function *function;
    cudaError_t error = function_find(kernel, &function);
    if (error != cudaSuccess)
        return result(error);
    if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout) /* a hint */
        return cudaSuccess;
    if (attribute == cudaFuncAttributeNonPortableClusterSizeAllowed)
        return missing("cudaFuncSetAttribute(cudaFuncAttributeNonPortableClusterSizeAllowed)");
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize || value < 0)
        return result(cudaErrorInvalidValue);
    error = client_call(RING_SET_SHARED, (RingWords){{function->id, (uint64_t)value}}, NULL);
    if (error == cudaSuccess)
        function->info->max_dynamic_shared_bytes = (uint32_t)value;
    return result(error);
}

static cudaError_t ask_occupancy(const Function *function, uint64_t threads, size_t shared_bytes, int *blocks)
{
    RingReply reply;
    cudaError_t error = client_call(RING_OCCUPANCY, (RingWords){{function->id, threads, shared_bytes}}, &reply);
    if (error == cudaSuccess)
        *blocks = (int)reply.value[0];
    return error;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *kernel, int threads,
                                                                   size_t shared_bytes, unsigned flags)
{
    Function *function;
    cudaError_t error = blocks == NULL || threads <= 0 ? cudaErrorInvalidValue : function_find(kernel, &function);
    return result(error == cudaSuccess ? ask_occupancy(function, (uint64_t)threads, shared_bytes, blocks) : error);
}

/* The blocks of a cluster run on one graphics processing cluster (GPC). An H200 has eight, of 16 multiprocessors or a few more
 * (NVIDIA H100 Tensor Core GPU Architecture, "H100 GPU Hardware Architecture"): those beyond 16 are not counted on. */
static int clusters_on_device(int multiprocessors, int blocks_on_each, unsigned cluster_blocks)
{
    enum { GPC_MULTIPROCESSORS = 16 };
    const int gpcs = multiprocessors / GPC_MULTIPROCESSORS > 0 ? multiprocessors / GPC_MULTIPROCESSORS : 1;
    const int of_each = multiprocessors < GPC_MULTIPROCESSORS ? multiprocessors : GPC_MULTIPROCESSORS;
    return gpcs * (int)((unsigned)(of_each * blocks_on_each) / cluster_blocks);
}

cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *kernel, const cudaLaunchConfig_t *config)
{
    Configuration how;
    Function *function;
    int blocks = 0, multiprocessors = 0;
    cudaError_t error = clusters == NULL || config == NULL ? cudaErrorInvalidValue : read_configuration(config, &how);
    if (error == cudaSuccess)
        error = function_find(kernel, &function);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
    if (error == cudaSuccess)
        error = ask_occupancy(function, (uint64_t)how.block.x * how.block.y * how.block.z, how.shared_bytes, &blocks);
    if (error != cudaSuccess)
        return result(error);
    const uint32_t *shape = how.cluster[0] > 0 ? how.cluster : function->info->cluster;
    const uint64_t plane = (uint64_t)shape[0] * shape[1], wanted = shape[0] == 0 ? 1 : plane * shape[2];
    if (plane > MOST_CLUSTER_BLOCKS || wanted > MOST_CLUSTER_BLOCKS)
        return result(cudaErrorInvalidClusterSize);
    *clusters = clusters_on_device(multiprocessors, blocks, (unsigned)wanted);
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *kernel, int threads,
                                                          size_t shared_bytes)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, kernel, threads, shared_bytes, 0);
}

/* ==== stream call ================================================================================================= */

/* CUDA's calls about streams, events and the device as a whole.  */

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

/* ==== names of CUDA 11 ============================================================================================ */

/* Calls of CUDA 11 that have other names in CUDA 13. */

cudaError_t cudaThreadSynchronize(void)
{
    return cudaDeviceSynchronize();
}

cudaError_t cudaThreadExit(void)
{
    return cudaDeviceReset();
}

cudaError_t cudaThreadGetLimit(size_t *value, enum cudaLimit limit)
{
    return cudaDeviceGetLimit(value, limit);
}
