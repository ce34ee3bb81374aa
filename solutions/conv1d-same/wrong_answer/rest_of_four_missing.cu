// Mistake: long inputs are computed and written four at a time, and a remainder of one to three outputs is forgotten.
// problem: conv1d-same
#include <cuda_runtime.h>

__device__ float output_at(const float* input, const float* filter, int i, int width, int filter_width)
{
    int first = i - filter_width / 2;
    float sum = 0.0f;
    for (int k = 0; k < filter_width; k++)
        if (first + k >= 0 && first + k < width)
            sum += input[first + k] * filter[k];
    return sum;
}

__global__ void convolve_short(const float* input, const float* filter, float* output, int width, int filter_width)
{
    if (threadIdx.x < width)
        output[threadIdx.x] = output_at(input, filter, threadIdx.x, width, filter_width);
}

__global__ void convolve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (i + 4 > width)
        return;
    float four[4];
    for (int o = 0; o < 4; o++)
        four[o] = output_at(input, filter, i + o, width, filter_width);
    *reinterpret_cast<float4*>(output + i) = make_float4(four[0], four[1], four[2], four[3]);
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    if (width <= 128)
        convolve_short<<<1, 128>>>(input, filter, output, width, filter_width);
    else
        convolve<<<(width + 1023) / 1024, 256>>>(input, filter, output, width, filter_width);
    cudaDeviceSynchronize();
}
