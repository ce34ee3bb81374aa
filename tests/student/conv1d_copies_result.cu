// expect: Accepted
// says: solve() copies its results to the output on the device, which costs time: let the kernel write to the output directly
// problem: conv1d
// Computes into a buffer of its own, in two streams, and copies each half to the output on the device: once with a kind,
// once by the addresses alone.
#include <cuda_runtime.h>

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

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int count = input_size - kernel_size + 1, half = count / 2;
    float* own = nullptr;
    cudaMalloc(&own, count * sizeof(float));
    cudaStream_t streams[2];
    for (int i = 0; i < 2; i++) {
        int from = i * half, size = i == 0 ? half : count - half;
        cudaStreamCreate(&streams[i]);
        if (size > 0)
            convolve<<<(size + 255) / 256, 256, 0, streams[i]>>>(input + from, kernel, own + from,
                                                                 size + kernel_size - 1, kernel_size);
        cudaMemcpyAsync(output + from, own + from, size * sizeof(float),
                        i == 0 ? cudaMemcpyDeviceToDevice : cudaMemcpyDefault, streams[i]);
    }
    for (int i = 0; i < 2; i++) {
        cudaStreamSynchronize(streams[i]);
        cudaStreamDestroy(streams[i]);
    }
    cudaFree(own);
}
