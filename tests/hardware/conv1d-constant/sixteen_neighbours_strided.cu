// A thread computes sixteen neighbouring outputs straight from global memory: loads and stores of a warp are strided.
// problem: conv1d-constant
#include <cuda_runtime.h>

__constant__ float c_filter[127];

__global__ void convolve(const float* input, float* output, int width, int filter_width)
{
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * 16, radius = filter_width / 2;
    float sum[16] = {0.0f};
    for (int j = first - radius; j < first + 16 + radius; j++) {
        float value = j >= 0 && j < width ? input[j] : 0.0f;
#pragma unroll
        for (int o = 0; o < 16; o++) {
            int k = j - first - o + radius;
            if (k >= 0 && k < filter_width)
                sum[o] += value * c_filter[k];
        }
    }
#pragma unroll
    for (int o = 0; o < 16; o++)
        if (first + o < width)
            output[first + o] = sum[o];
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    cudaMemcpyToSymbol(c_filter, filter, filter_width * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    int threads = (width + 15) / 16;
    convolve<<<(threads + 127) / 128, 128>>>(input, output, width, filter_width);
    cudaDeviceSynchronize();
}
