// expect: Accepted
// problem: conv1d
// Skips taps that are zero: each warp votes over 32 taps at a time and walks through the set bits.
#include <cuda_runtime.h>

__global__ void conv_sparse(const float* input, const float* kernel, float* output, int output_size, int kernel_size)
{
    unsigned lane = threadIdx.x & 31u;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool live = i < output_size;

    float sum = 0.0f;
    unsigned taps = 0;
    for (int base = 0; base < kernel_size; base += 32) {
        float mine = base + (int)lane < kernel_size ? kernel[base + lane] : 0.0f;
        unsigned set = __ballot_sync(0xffffffffu, mine != 0.0f);
        taps += __popc(set);
        while (set) {
            int bit = __ffs(set) - 1;
            set &= set - 1;
            float tap = __shfl_sync(0xffffffffu, mine, bit);
            if (live)
                sum += input[i + base + bit] * tap;
        }
    }
    if (__any_sync(0xffffffffu, live) && live)
        output[i] = taps == 0 ? 0.0f : sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    conv_sparse<<<(output_size + 255) >> 8, 1 << 8>>>(input, kernel, output, output_size, kernel_size);
    cudaDeviceSynchronize();
}
