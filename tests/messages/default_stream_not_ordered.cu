// expect: Wrong Answer
// says: does not wait for kernel convolve on the default stream
// problem: conv1d
//
// A stream that does not block does not wait for the default stream, whose kernel the copy needs.
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size)
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
    float* result;
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaMalloc(&result, output_size * sizeof(float));
    convolve<<<(output_size + 255) / 256, 256>>>(input, kernel, result, output_size, kernel_size);
    cudaMemcpyAsync(output, result, output_size * sizeof(float), cudaMemcpyDeviceToDevice, stream);
    cudaDeviceSynchronize();
    cudaFree(result);
    cudaStreamDestroy(stream);
}
