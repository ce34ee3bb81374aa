// expect: Accepted
// problem: conv1d
// Up to two thousand small kernels on two streams that do not wait for each other, with allocations, frees and polled
// events in between: a judge that holds queued operations back must not wait for itself.
#include <cuda_runtime.h>

constexpr int MAX_KERNELS = 2000, THREADS = 128;

__global__ void convolve(const float* input, const float* kernel, float* output, int first, int end, int kernel_size)
{
    int i = first + blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= end)
        return;
    float sum = 0;
    for (int k = 0; k < kernel_size; k++)
        sum += input[i + k] * kernel[k];
    output[i] = sum;
}

static void allocate_and_free(cudaStream_t stream, size_t bytes)
{
    void* scratch;
    if (cudaMalloc(&scratch, bytes) != cudaSuccess)
        return;
    cudaMemsetAsync(scratch, 0, bytes, stream);
    cudaFree(scratch);
}

static void poll(cudaEvent_t event, cudaStream_t stream)
{
    cudaEventRecord(event, stream);
    while (cudaEventQuery(event) == cudaErrorNotReady)
        ;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    const long long output_size = input_size - kernel_size + 1;
    const int kernels = output_size < MAX_KERNELS ? (int)output_size : MAX_KERNELS;
    cudaStream_t streams[2];
    cudaEvent_t events[2];
    for (int s = 0; s < 2; s++) {
        cudaStreamCreateWithFlags(&streams[s], cudaStreamNonBlocking);
        cudaEventCreateWithFlags(&events[s], cudaEventDisableTiming);
    }
    for (int i = 0; i < kernels; i++) {
        const int s = i % 2;
        const int first = (int)(output_size * i / kernels), end = (int)(output_size * (i + 1) / kernels);
        const int blocks = (end - first + THREADS - 1) / THREADS;
        convolve<<<blocks, THREADS, 0, streams[s]>>>(input, kernel, output, first, end, kernel_size);
        if (i % 51 == 0)
            allocate_and_free(streams[s], 4096 * (1 + i % 7));
        if (i % 23 == 0)
            poll(events[s], streams[s]);
        else if (i % 3 == 0)
            cudaEventQuery(events[1 - s]);
    }
    for (int s = 0; s < 2; s++) {
        cudaStreamSynchronize(streams[s]);
        cudaStreamDestroy(streams[s]);
        cudaEventDestroy(events[s]);
    }
}
