// 1056 blocks of 128 threads stride over the outputs, with sums in double precision.
// problem: conv1d-same
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    int radius = filter_width / 2;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < width; i += gridDim.x * blockDim.x) {
        double sum = 0.0;
        for (int j = max(0, i - radius); j <= min(width - 1, i + radius); j++)
            sum += (double)input[j] * (double)filter[j - i + radius];
        output[i] = (float)sum;
    }
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    convolve<<<1056, 128>>>(input, filter, output, width, filter_width);
    cudaDeviceSynchronize();
}
