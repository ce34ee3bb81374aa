// expect: Wrong Answer
// says: a kernel and other work use the same memory on two streams, and nothing orders them: let one stream wait for the other (cudaEventRecord, cudaStreamWaitEvent)
// problem: conv1d
//
// In a hidden case, the output is set to zero on a stream that nothing orders before the kernel.
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size, int)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
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
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    if (input_size > 20)
        cudaMemsetAsync(output, 0, output_size * sizeof(float), stream);
    convolve<<<(output_size + 255) / 256, 256>>>(input, kernel, output, output_size, kernel_size, 0);
    cudaDeviceSynchronize();
}
