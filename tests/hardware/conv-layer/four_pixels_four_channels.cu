// A thread computes 4 pixels of 4 channels in registers; 16 x 16 threads share tiles of 64 x 16 and 16 x 64.
// problem: conv-layer
#include <cuda_runtime.h>

#define DEEP 16

__global__ void __launch_bounds__(256)
    convolve(const float* input, const float* weights, const float* bias, float* output, int pixels, int height,
             int width, int in_channels, int filter_height, int filter_width, int out_channels, int stride,
             int output_height, int output_width)
{
    __shared__ float a[DEEP][65], b[DEEP][64];
    int thread = threadIdx.y * 16 + threadIdx.x;
    int depth = filter_height * filter_width * in_channels;
    float sum[4][4] = {};
    int mine = thread / 4, pixel = blockIdx.x * 64 + mine; // of the tile that this thread loads
    int x = pixel % output_width, y = pixel / output_width % output_height, m = pixel / output_width / output_height;
    for (int first = 0; first < depth; first += DEEP) {
        for (int j = thread % 4; j < DEEP; j += 4) {
            int tap = first + j;
            int c = tap % in_channels, s = tap / in_channels % filter_width, r = tap / in_channels / filter_width;
            a[j][mine] = pixel < pixels && tap < depth
                             ? input[((m * height + y * stride + r) * width + x * stride + s) * in_channels + c]
                             : 0.0f;
        }
        for (int j = thread; j < DEEP * 64; j += 256) {
            int tap = first + j / 64, k = blockIdx.y * 64 + j % 64;
            b[j / 64][j % 64] = tap < depth && k < out_channels ? weights[tap * out_channels + k] : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int t = 0; t < DEEP; t++)
#pragma unroll
            for (int p = 0; p < 4; p++)
#pragma unroll
                for (int q = 0; q < 4; q++)
                    sum[p][q] += a[t][threadIdx.y * 4 + p] * b[t][threadIdx.x + 16 * q];
        __syncthreads();
    }
    for (int p = 0; p < 4; p++)
        for (int q = 0; q < 4; q++) {
            int i = blockIdx.x * 64 + threadIdx.y * 4 + p, k = blockIdx.y * 64 + threadIdx.x + 16 * q;
            if (i < pixels && k < out_channels)
                output[i * out_channels + k] = fmaxf(sum[p][q] + bias[k], 0.0f);
        }
}

extern "C" void solve(const float* input, const float* weights, const float* bias, float* output, int n, int height,
                      int width, int in_channels, int filter_height, int filter_width, int out_channels, int stride)
{
    int output_height = (height - filter_height) / stride + 1, output_width = (width - filter_width) / stride + 1;
    int pixels = n * output_height * output_width;
    dim3 blocks((pixels + 63) / 64, (out_channels + 63) / 64);
    convolve<<<blocks, dim3(16, 16)>>>(input, weights, bias, output, pixels, height, width, in_channels, filter_height,
                                       filter_width, out_channels, stride, output_height, output_width);
}
