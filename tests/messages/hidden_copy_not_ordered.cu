// expect: Wrong Answer
// says: a copy, fill, allocation or free and other work use the same memory on two streams, and nothing orders them: let one stream wait for the other (cudaEventRecord, cudaStreamWaitEvent)
// problem: conv1d
//
// In a hidden case, two streams fill the same memory with different values, and nothing orders them.
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size, const float* shift)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    i += i < output_size && shift[0] != 0;
    if (i >= output_size)
        return;
    float sum = 0;
    for (int k = 0; k < kernel_size; k++)
        sum += input[i + k] * kernel[k];
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    cudaStream_t streams[2];
    float* shift;
    cudaMalloc(&shift, sizeof(float));
    for (int i = 0; i < 2; i++) {
        cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking);
        if (i == 0 || input_size > 20)
            cudaMemsetAsync(shift, i, sizeof(float), streams[i]);
    }
    cudaDeviceSynchronize();
    convolve<<<(output_size + 255) / 256, 256>>>(input, kernel, output, output_size, kernel_size, shift);
    cudaDeviceSynchronize();
}
