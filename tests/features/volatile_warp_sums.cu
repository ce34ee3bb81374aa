// expect: Accepted
// says: which thread (16,0,0) of its warp has written with no __syncthreads() or __syncwarp() in between
// problem: conv1d
// A warp adds up each output element in shared memory, as was usual before the Volta architecture: volatile makes each lane load
// what is there, but CUDA no longer promises that the lanes of a warp stay together.
#include <cuda_runtime.h>

constexpr int kWarps = 8;

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size)
{
    __shared__ volatile float s_sums[kWarps][64];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, i = blockIdx.x * kWarps + warp;
    float sum = 0;
    for (int k = lane; k < kernel_size && i < output_size; k += 32)
        sum += input[i + k] * kernel[k];
    volatile float* s_sum = s_sums[warp] + lane;
    *s_sum = sum;
    s_sum[32] = 0;
    *s_sum += s_sum[16];
    *s_sum += s_sum[8];
    *s_sum += s_sum[4];
    *s_sum += s_sum[2];
    *s_sum += s_sum[1];
    if (lane == 0 && i < output_size)
        output[i] = *s_sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    convolve<<<(output_size + kWarps - 1) / kWarps, 32 * kWarps>>>(input, kernel, output, output_size, kernel_size);
    cudaDeviceSynchronize();
}
