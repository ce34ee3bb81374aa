// expect: Accepted
// problem: conv1d-constant
// Two __constant__ arrays used in turn, and a pointer in the kernel that says which.
#include <cuda_runtime.h>

__constant__ float c_even[127];
__constant__ float c_odd[127];

__global__ void convolve(const float* input, float* output, int width, int filter_width, bool odd)
{
    const float* taps = odd ? c_odd : c_even;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= width)
        return;
    int first = i - filter_width / 2;
    int end = min(filter_width, width - first);
    float sum = 0.0f;
    for (int k = max(0, -first); k < end; k++)
        sum += input[first + k] * taps[k];
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    static int calls = 0;
    bool odd = calls++ % 2 == 1;
    size_t bytes = filter_width * sizeof(float);
    if (odd)
        cudaMemcpyToSymbol(c_odd, filter, bytes);
    else
        cudaMemcpyToSymbol(c_even, filter, bytes);
    convolve<<<(width + 255) / 256, 256>>>(input, output, width, filter_width, odd);
}
