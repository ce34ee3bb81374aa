// expect: Wrong Answer
// says: an input, such as the bias, has no effect
// problem: conv-layer
//
// Each output is the bias alone, as if all weights were zero.
#include <cuda_runtime.h>

__global__ void convolve(const float* bias, float* output, int outputs, int out_channels)
{
    int index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index < outputs)
        output[index] = fmaxf(bias[index % out_channels], 0.0f);
}

extern "C" void solve(const float* input, const float* weights, const float* bias, float* output, int n, int height,
                      int width, int in_channels, int filter_height, int filter_width, int out_channels, int stride)
{
    int rows = (height - filter_height) / stride + 1, cols = (width - filter_width) / stride + 1;
    int outputs = n * rows * cols * out_channels;
    convolve<<<(outputs + 255) / 256, 256>>>(bias, output, outputs, out_channels);
    cudaDeviceSynchronize();
}
