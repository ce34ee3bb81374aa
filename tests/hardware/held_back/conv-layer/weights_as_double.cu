// Sums in double precision; two channels of a pixel for each thread, taps unrolled by four.
// problem: conv-layer
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* weights, const float* bias, float* output, int pixels,
                         int height, int width, int in_channels, int filter_height, int filter_width, int out_channels,
                         int stride, int output_height, int output_width)
{
    int half = (out_channels + 1) / 2;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pixels * half)
        return;
    int k = i % half, pixel = i / half;
    int other = k + half < out_channels ? k + half : k;
    int x = pixel % output_width, y = pixel / output_width % output_height, m = pixel / output_width / output_height;
    double a = bias[k], b = bias[other];
    for (int r = 0; r < filter_height; r++) {
        const float* from = input + ((m * height + y * stride + r) * width + x * stride) * in_channels;
        const float* taps = weights + r * filter_width * in_channels * out_channels;
#pragma unroll 4
        for (int j = 0; j < filter_width * in_channels; j++) {
            double value = from[j];
            a += value * taps[j * out_channels + k];
            b += value * taps[j * out_channels + other];
        }
    }
    output[pixel * out_channels + k] = fmaxf((float)a, 0.0f);
    output[pixel * out_channels + other] = fmaxf((float)b, 0.0f);
}

extern "C" void solve(const float* input, const float* weights, const float* bias, float* output, int n, int height,
                      int width, int in_channels, int filter_height, int filter_width, int out_channels, int stride)
{
    int output_height = (height - filter_height) / stride + 1, output_width = (width - filter_width) / stride + 1;
    int pixels = n * output_height * output_width;
    int threads = pixels * ((out_channels + 1) / 2);
    convolve<<<(threads + 127) / 128, 128>>>(input, weights, bias, output, pixels, height, width, in_channels,
                                             filter_height, filter_width, out_channels, stride, output_height,
                                             output_width);
    cudaDeviceSynchronize();
}
