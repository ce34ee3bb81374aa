// Mistake: keeps inputs and taps in half precision, which overflows beyond 65,504 and has 11 bits of mantissa.
// problem: conv1d-same
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__device__ float to_half(float value)
{
    return __half2float(__float2half(value));
}

__global__ void convolve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= width)
        return;

    int first = i - filter_width / 2;
    float sum = 0.0f;
    for (int k = 0; k < filter_width; k++)
        if (first + k >= 0 && first + k < width)
            sum += to_half(input[first + k]) * to_half(filter[k]);
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    convolve<<<(width + 255) / 256, 256>>>(input, filter, output, width, filter_width);
    cudaDeviceSynchronize();
}
