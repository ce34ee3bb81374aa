// expect: Accepted
// problem: conv1d
// blockIdx.y takes a slice of 512 taps; the slices are added up with atomicAdd.
#include <cuda_runtime.h>

#define SLICE 512

__global__ void conv_slice(const float* __restrict__ input, const float* __restrict__ kernel, float* output,
                           int output_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int begin = blockIdx.y * SLICE;
    int end = min(begin + SLICE, kernel_size);
    if (i >= output_size)
        return;

    float sum = 0.f;
    for (int k = begin; k < end; k++)
        sum += input[i + k] * kernel[k];
    atomicAdd(&output[i], sum);
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    cudaMemset(output, 0, output_size * sizeof(float));
    dim3 grid((output_size + 127) / 128, (kernel_size + SLICE - 1) / SLICE);
    conv_slice<<<grid, 128>>>(input, kernel, output, output_size, kernel_size);
    cudaDeviceSynchronize();
}
