// Blocks of 32 output channels by 8 pixels, everything from global memory through read-only loads.
// problem: conv-layer
#include <cuda_runtime.h>

__global__ void convolve(const float* __restrict__ input, const float* __restrict__ weights,
                         const float* __restrict__ bias, float* __restrict__ output, int pixels, int height, int width,
                         int in_channels, int filter_height, int filter_width, int out_channels, int stride,
                         int output_height, int output_width)
{
    int k = blockIdx.y * 32 + threadIdx.x;
    int i = blockIdx.x * 8 + threadIdx.y;
    if (k >= out_channels || i >= pixels)
        return;
    int x = i % output_width, y = i / output_width % output_height, m = i / output_width / output_height;
    float sum = 0.0f;
    for (int r = 0; r < filter_height; r++)
        for (int s = 0; s < filter_width; s++)
            for (int c = 0; c < in_channels; c++)
                sum += input[((m * height + y * stride + r) * width + x * stride + s) * in_channels + c] *
                       weights[((r * filter_width + s) * in_channels + c) * out_channels + k];
    output[i * out_channels + k] = fmaxf(sum + bias[k], 0.0f);
}

extern "C" void solve(const float* input, const float* weights, const float* bias, float* output, int n, int height,
                      int width, int in_channels, int filter_height, int filter_width, int out_channels, int stride)
{
    int output_height = (height - filter_height) / stride + 1, output_width = (width - filter_width) / stride + 1;
    int pixels = n * output_height * output_width;
    dim3 blocks((pixels + 7) / 8, (out_channels + 31) / 32);
    convolve<<<blocks, dim3(32, 8)>>>(input, weights, bias, output, pixels, height, width, in_channels, filter_height,
                                      filter_width, out_channels, stride, output_height, output_width);
}
