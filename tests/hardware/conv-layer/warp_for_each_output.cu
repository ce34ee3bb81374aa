// A warp computes one output: its lanes share the input channels, and a shuffle adds up their parts.
// problem: conv-layer
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

__global__ void convolve(const float* input, const float* weights, const float* bias, float* output, int outputs,
                         int height, int width, int in_channels, int filter_height, int filter_width, int out_channels,
                         int stride, int output_height, int output_width)
{
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(cg::this_thread_block());
    int i = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (i >= outputs)
        return;
    int k = i % out_channels, x = i / out_channels % output_width;
    int y = i / out_channels / output_width % output_height, m = i / out_channels / output_width / output_height;
    float sum = 0.0f;
    for (int r = 0; r < filter_height; r++)
        for (int s = 0; s < filter_width; s++)
            for (int c = warp.thread_rank(); c < in_channels; c += 32)
                sum += input[((m * height + y * stride + r) * width + x * stride + s) * in_channels + c] *
                       weights[((r * filter_width + s) * in_channels + c) * out_channels + k];
    sum = cg::reduce(warp, sum, cg::plus<float>());
    if (warp.thread_rank() == 0)
        output[i] = fmaxf(sum + bias[k], 0.0f);
}

extern "C" void solve(const float* input, const float* weights, const float* bias, float* output, int n, int height,
                      int width, int in_channels, int filter_height, int filter_width, int out_channels, int stride)
{
    int output_height = (height - filter_height) / stride + 1, output_width = (width - filter_width) / stride + 1;
    int outputs = n * output_height * output_width * out_channels;
    convolve<<<(outputs + 7) / 8, 256>>>(input, weights, bias, output, outputs, height, width, in_channels,
                                         filter_height, filter_width, out_channels, stride, output_height,
                                         output_width);
}
