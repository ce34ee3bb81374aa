// expect: Wrong Answer
// says: kernel convolve on non-blocking stream 2 (scratch_not_ordered.cu:34: `convolve<<<(output_size + 255) / 256, 256, 0, second>>>(input, output, output_si...`) does not wait for kernel scale on non-blocking stream 1 (scratch_not_ordered.cu:33: `scale<<<1, 128, 0, first>>>(kernel, kernel_size);`), and the output depends on which comes first
// problem: conv1d
//
// A kernel scales the filter into memory of the program, and no event orders it before the kernel that reads it there.
#include <cuda_runtime.h>

__device__ float taps[2048];

__global__ void scale(const float* kernel, int kernel_size)
{
    for (int k = threadIdx.x; k < kernel_size; k += blockDim.x)
        taps[k] = 2 * kernel[k];
}

__global__ void convolve(const float* input, float* output, int output_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= output_size)
        return;
    float sum = 0;
    for (int k = 0; k < kernel_size; k++)
        sum += input[i + k] * taps[k];
    output[i] = 0.5f * sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    cudaStream_t first, second;
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    scale<<<1, 128, 0, first>>>(kernel, kernel_size);
    convolve<<<(output_size + 255) / 256, 256, 0, second>>>(input, output, output_size, kernel_size);
    cudaStreamSynchronize(first);
    cudaStreamSynchronize(second);
    cudaStreamDestroy(first);
    cudaStreamDestroy(second);
}
