// expect: Accepted
// problem: conv1d
// Long filters: a block for each output, warp shuffles and one value per warp in shared memory. Short ones: a thread.
#include <cuda_runtime.h>

#define FULL_MASK 0xffffffffu

__inline__ __device__ float warp_reduce_sum(float val)
{
    for (int offset = warpSize / 2; offset > 0; offset /= 2)
        val += __shfl_xor_sync(FULL_MASK, val, offset);
    return val;
}

__global__ void conv_block(const float* input, const float* kernel, float* output, int kernel_size)
{
    __shared__ float partial[4];
    int lane = threadIdx.x % warpSize;
    int warp = threadIdx.x / warpSize;

    float sum = 0.0f;
    for (int k = threadIdx.x; k < kernel_size; k += blockDim.x)
        sum += input[blockIdx.x + k] * kernel[k];
    sum = warp_reduce_sum(sum);
    if (lane == 0)
        partial[warp] = sum;
    __syncthreads();

    if (threadIdx.x == 0)
        output[blockIdx.x] = partial[0] + partial[1] + partial[2] + partial[3];
}

__global__ void conv_thread(const float* input, const float* kernel, float* output, int output_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < output_size) {
        float sum = 0;
        for (int k = 0; k < kernel_size; ++k)
            sum = __fmaf_rn(input[i + k], kernel[k], sum);
        output[i] = sum;
    }
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    if (kernel_size >= 512)
        conv_block<<<output_size, 128>>>(input, kernel, output, kernel_size);
    else
        conv_thread<<<(output_size + 511) / 512, 512>>>(input, kernel, output, output_size, kernel_size);
    cudaDeviceSynchronize();
}
