// Two threads share an output: each takes half of the taps, and a shuffle adds the halves.
// problem: conv1d-same
#include <cuda_runtime.h>

__global__ void convolve(const float* __restrict__ input, const float* __restrict__ filter, float* output, int width,
                         int filter_width)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int i = thread / 2, half = thread % 2;
    int radius = filter_width / 2, middle = filter_width / 2;
    float sum = 0.0f;
    int begin = max(half ? middle : 0, radius - i), end = min(half ? filter_width : middle, width + radius - i);
    if (i < width)
        for (int k = begin; k < end; k++)
            sum += input[i + k - radius] * filter[k];
    sum += __shfl_xor_sync(0xffffffff, sum, 1);
    if (i < width && half == 0)
        output[i] = sum;
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    convolve<<<(2 * width + 255) / 256, 256>>>(input, filter, output, width, filter_width);
}
