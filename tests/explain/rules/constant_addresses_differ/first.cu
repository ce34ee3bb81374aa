// expect: Accepted
// problem: conv1d
// advice: constant_addresses_differ
// case: 2
// sketch: for (int t = threadIdx.x; t < TAPS; t += blockDim.x) s_kernel[t] = kernel[t];
// Each thread of a warp starts at another tap, and constant memory serves one address at a time: 32 for each load.
#include <cuda_runtime.h>

constexpr int MAX_KERNEL = 2047;

__constant__ float c_kernel[MAX_KERNEL];

__global__ void convolve(const float* input, float* output, int output_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= output_size)
        return;
    float sum = 0.0f;
    int k = threadIdx.x % kernel_size; // threads start at different taps, so that they do not all read the same one
    for (int n = 0; n < kernel_size; n++) {
        sum += input[i + k] * c_kernel[k];
        k = k + 1 == kernel_size ? 0 : k + 1;
    }
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    cudaMemcpyToSymbol(c_kernel, kernel, kernel_size * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    convolve<<<(output_size + 255) / 256, 256>>>(input, output, output_size, kernel_size);
    cudaDeviceSynchronize();
}
