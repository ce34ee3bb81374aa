// A thread has one channel of eight neighbouring pixels: each weight is loaded once for eight multiply-adds.
// problem: conv-layer
#include <cuda_runtime.h>

#define EACH 8

__global__ void convolve(const float* __restrict__ input, const float* __restrict__ weights,
                         const float* __restrict__ bias, float* __restrict__ output, int height, int width,
                         int in_channels, int filter_height, int filter_width, int out_channels, int stride,
                         int output_height, int output_width)
{
    int k = blockIdx.y * blockDim.x + threadIdx.x;
    if (k >= out_channels)
        return;
    int runs = (output_width + EACH - 1) / EACH;
    int run = blockIdx.x % runs, y = blockIdx.x / runs % output_height, m = blockIdx.x / runs / output_height;
    float sum[EACH];
#pragma unroll
    for (int o = 0; o < EACH; o++)
        sum[o] = bias[k];
    int last = output_width - 1;
    for (int r = 0; r < filter_height; r++)
        for (int s = 0; s < filter_width; s++) {
            const float* row = input + ((m * height + y * stride + r) * width + s) * in_channels;
            const float* taps = weights + (r * filter_width + s) * in_channels * out_channels + k;
            for (int c = 0; c < in_channels; c++) {
                float tap = taps[c * out_channels];
#pragma unroll
                for (int o = 0; o < EACH; o++)
                    sum[o] += row[min(run * EACH + o, last) * stride * in_channels + c] * tap;
            }
        }
#pragma unroll
    for (int o = 0; o < EACH; o++)
        if (run * EACH + o < output_width)
            output[((m * output_height + y) * output_width + run * EACH + o) * out_channels + k] = fmaxf(sum[o], 0.0f);
}

extern "C" void solve(const float* input, const float* weights, const float* bias, float* output, int n, int height,
                      int width, int in_channels, int filter_height, int filter_width, int out_channels, int stride)
{
    int output_height = (height - filter_height) / stride + 1, output_width = (width - filter_width) / stride + 1;
    int threads = out_channels < 64 ? (out_channels + 31) / 32 * 32 : 64;
    dim3 blocks(n * output_height * ((output_width + EACH - 1) / EACH), (out_channels + threads - 1) / threads);
    convolve<<<blocks, threads>>>(input, weights, bias, output, height, width, in_channels, filter_height, filter_width,
                                  out_channels, stride, output_height, output_width);
}
