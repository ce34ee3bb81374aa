// expect: Accepted
// problem: conv1d
// Adds up in double, with the filter converted to double in shared memory.
#include <cuda_runtime.h>

__global__ void conv_double(const float* input, const float* kernel, float* output, int n, int m)
{
    extern __shared__ double taps[];
    for (int k = threadIdx.x; k < m; k += blockDim.x)
        taps[k] = static_cast<double>(kernel[k]);
    __syncthreads();

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        double acc = 0.0;
        for (int k = 0; k < m; k++)
            acc += input[i + k] * taps[k];
        output[i] = static_cast<float>(acc);
    }
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int n = input_size - kernel_size + 1;
    int blocks = min((n + 255) / 256, 4096);
    conv_double<<<blocks, 256, kernel_size * sizeof(double)>>>(input, kernel, output, n, kernel_size);
    cudaDeviceSynchronize();
}
