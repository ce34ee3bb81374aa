// A thread computes one pixel, and loops over its output channels: stores and weights of a warp are far apart.
// problem: conv-layer
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* weights, const float* bias, float* output, int pixels,
                         int height, int width, int in_channels, int filter_height, int filter_width, int out_channels,
                         int stride, int output_height, int output_width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pixels)
        return;
    int x = i % output_width, y = i / output_width % output_height, m = i / output_width / output_height;
    for (int k = 0; k < out_channels; k++) {
        float sum = bias[k];
        for (int r = 0; r < filter_height; r++)
            for (int s = 0; s < filter_width; s++) {
                const float* pixel = input + ((m * height + y * stride + r) * width + x * stride + s) * in_channels;
                const float* taps = weights + (r * filter_width + s) * in_channels * out_channels + k;
                for (int c = 0; c < in_channels; c++)
                    sum += pixel[c] * taps[c * out_channels];
            }
        output[i * out_channels + k] = sum > 0.0f ? sum : 0.0f;
    }
}

extern "C" void solve(const float* input, const float* weights, const float* bias, float* output, int n, int height,
                      int width, int in_channels, int filter_height, int filter_width, int out_channels, int stride)
{
    int output_height = (height - filter_height) / stride + 1, output_width = (width - filter_width) / stride + 1;
    int pixels = n * output_height * output_width;
    convolve<<<(pixels + 127) / 128, 128>>>(input, weights, bias, output, pixels, height, width, in_channels,
                                            filter_height, filter_width, out_channels, stride, output_height,
                                            output_width);
    cudaDeviceSynchronize();
}
