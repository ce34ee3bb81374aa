// expect: Accepted
// problem: conv1d
// Host functions and callbacks run in stream order, between copies from and to pinned memory; one stream waits for that of
// another, and the host waits for one without any CUDA call. CUDA calls are not permitted in them.
#include <condition_variable>
#include <cstdlib>
#include <cuda_runtime.h>
#include <mutex>

__global__ void convolve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > input_size - kernel_size)
        return;
    float sum = 0;
    for (int k = 0; k < kernel_size; k++)
        sum += input[i + k] * kernel[k];
    output[i] = sum;
}

static void check(bool condition, int status)
{
    if (!condition)
        exit(status);
}

struct Step {
    const float* from;
    float* to;
    int count;
    cudaError_t call_inside;
    int calls;
};

static void take_filter(void* argument)
{
    Step* step = static_cast<Step*>(argument);
    for (int i = 0; i < step->count; i++)
        step->to[i] = step->from[i];
    step->call_inside = cudaDeviceSynchronize();
    step->calls++;
}

static void count_call(cudaStream_t, cudaError_t status, void* argument)
{
    *static_cast<int*>(argument) += status == cudaSuccess ? 1 : 100;
}

static std::mutex mutex;
static std::condition_variable changed;
static bool is_done;

static void tell(void*)
{
    std::lock_guard<std::mutex> guard(mutex);
    is_done = true;
    changed.notify_one();
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    size_t bytes = kernel_size * sizeof(float);
    float *down, *up, *filter;
    int callbacks = 0;
    cudaStream_t first, second;
    cudaEvent_t filter_there;
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&filter_there, cudaEventDisableTiming);
    cudaMallocHost(&down, bytes);
    cudaMallocHost(&up, bytes);
    cudaMalloc(&filter, bytes);
    Step step = {down, up, kernel_size, cudaSuccess, 0};
    is_done = false;

    cudaMemcpyAsync(down, kernel, bytes, cudaMemcpyDeviceToHost, first);
    check(cudaLaunchHostFunc(first, take_filter, &step) == cudaSuccess, 3);
    check(cudaStreamAddCallback(first, count_call, &callbacks, 0) == cudaSuccess, 4);
    cudaMemcpyAsync(filter, up, bytes, cudaMemcpyHostToDevice, first);
    cudaEventRecord(filter_there, first);
    cudaStreamWaitEvent(second, filter_there, 0);
    convolve<<<(input_size + 255) / 256, 256, 0, second>>>(input, filter, output, input_size, kernel_size);
    check(cudaLaunchHostFunc(second, tell, nullptr) == cudaSuccess, 5);
    {
        std::unique_lock<std::mutex> lock(mutex);
        changed.wait(lock, [] { return is_done; });
    }
    check(cudaStreamSynchronize(second) == cudaSuccess, 6);
    check(step.calls == 1 && callbacks == 1, 7);
    check(step.call_inside == cudaErrorNotPermitted, 8);
    cudaGetLastError();
    cudaFree(filter);
    cudaFreeHost(down);
    cudaFreeHost(up);
    cudaEventDestroy(filter_there);
    cudaStreamDestroy(first);
    cudaStreamDestroy(second);
}
