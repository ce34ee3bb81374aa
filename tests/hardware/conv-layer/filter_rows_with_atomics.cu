// Blocks along y take one row of the filter each, and add to the output by atomics; a last kernel adds the bias.
// problem: conv-layer
#include <cuda_runtime.h>

__global__ void add(const float* input, const float* weights, float* output, int outputs, int height, int width,
                    int in_channels, int filter_width, int out_channels, int stride, int output_height,
                    int output_width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y;
    if (i >= outputs)
        return;
    int k = i % out_channels, x = i / out_channels % output_width;
    int y = i / out_channels / output_width % output_height, m = i / out_channels / output_width / output_height;
    const float* from = input + ((m * height + y * stride + r) * width + x * stride) * in_channels;
    const float* taps = weights + r * filter_width * in_channels * out_channels + k;
    float sum = 0.0f;
    for (int j = 0; j < filter_width * in_channels; j++)
        sum += from[j] * taps[j * out_channels];
    atomicAdd(output + i, sum);
}

__global__ void finish(const float* bias, float* output, int outputs, int out_channels)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < outputs)
        output[i] = fmaxf(output[i] + bias[i % out_channels], 0.0f);
}

extern "C" void solve(const float* input, const float* weights, const float* bias, float* output, int n, int height,
                      int width, int in_channels, int filter_height, int filter_width, int out_channels, int stride)
{
    int output_height = (height - filter_height) / stride + 1, output_width = (width - filter_width) / stride + 1;
    int outputs = n * output_height * output_width * out_channels;
    cudaMemset(output, 0, outputs * sizeof(float));
    dim3 blocks((outputs + 255) / 256, filter_height);
    add<<<blocks, 256>>>(input, weights, output, outputs, height, width, in_channels, filter_width, out_channels,
                         stride, output_height, output_width);
    finish<<<(outputs + 255) / 256, 256>>>(bias, output, outputs, out_channels);
    cudaDeviceSynchronize();
}
