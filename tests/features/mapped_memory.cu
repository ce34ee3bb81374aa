// expect: Accepted
// problem: conv1d
// Zero-copy host memory, in each of the ways to get it: allocated as mapped, pinned and passed to a kernel as it is, and
// registered. The host turns the filter around in it; kernels read it from there and leave counts for the host.
#include <cstdlib>
#include <cuda_runtime.h>

static void check(cudaError_t error)
{
    if (error != cudaSuccess)
        exit(3);
}

struct Counts {
    int to_do, done, untouched;
};

__global__ void fetch(const float *filter, float *mapped, int taps)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < taps)
        mapped[k] = filter[k];
}

__global__ void convolve(const float *input, const float *turned, float *output, const int *taps, Counts *counts)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= counts->to_do)
        return;
    float sum = 0;
    for (int k = 0; k < *taps; k++)
        sum += input[i + k] * turned[*taps - 1 - k];
    output[i] = sum;
    if (i % 1000 == 0)
        atomicAdd(&counts->done, 1);
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    static int registered[2048]; // its pages hold nothing else that is registered
    int size = input_size - kernel_size + 1;
    float *h_filter, *d_filter;
    Counts *counts;
    cudaStream_t stream;
    cudaPointerAttributes attributes;
    check(cudaHostAlloc((void **)&h_filter, kernel_size * sizeof(float), cudaHostAllocMapped));
    check(cudaHostGetDevicePointer((void **)&d_filter, h_filter, 0));
    check(cudaMallocHost((void **)&counts, 100 * sizeof(Counts)));
    check(cudaHostRegister(registered, sizeof registered, cudaHostRegisterMapped));
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    check(cudaPointerGetAttributes(&attributes, h_filter));
    if (attributes.type != cudaMemoryTypeHost)
        exit(4);

    fetch<<<(kernel_size + 255) / 256, 256, 0, stream>>>(kernel, d_filter, kernel_size);
    for (int i = 0; i < 100; i++)
        counts[i] = {size, 0, i}; // while the kernel may be running: it does not use this
    registered[1000] = kernel_size;
    check(cudaStreamSynchronize(stream));
    for (int k = 0; k < kernel_size / 2; k++) {
        float first = h_filter[k];
        h_filter[k] = h_filter[kernel_size - 1 - k];
        h_filter[kernel_size - 1 - k] = first;
    }
    convolve<<<(size + 255) / 256, 256, 0, stream>>>(input, d_filter, output, registered + 1000, counts + 17);
    counts[99].untouched = -1; // after the launch, of which it is no concern
    check(cudaStreamSynchronize(stream));
    if (counts[17].done != (size + 999) / 1000 || counts[17].untouched != 17 || counts[16].done != 0)
        exit(5);
    if (counts[99].untouched != -1)
        exit(6);
    check(cudaHostUnregister(registered));
    check(cudaFreeHost(counts));
    check(cudaFreeHost(h_filter));
    check(cudaStreamDestroy(stream));
}
