// Mistake: asks for the whole input in shared memory, which is too small for long inputs.
// problem: conv1d
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    extern __shared__ float s_input[];

    for (int j = threadIdx.x; j < input_size; j += blockDim.x)
        s_input[j] = input[j];
    __syncthreads();

    for (int i = threadIdx.x; i <= input_size - kernel_size; i += blockDim.x) {
        float sum = 0.0f;
        for (int k = 0; k < kernel_size; k++)
            sum += s_input[i + k] * kernel[k];
        output[i] = sum;
    }
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    convolve<<<1, 1024, input_size * sizeof(float)>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
