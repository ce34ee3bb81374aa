// problem: conv-layer
// sweep: BLOCK=64,128,256,512 GRID=132,264,528,1056,2112
//
// grid-stride: as many blocks as the GPU can hold, and each thread computes outputs that are a whole grid apart. Size
// of block and grid are parameters: the best grid is a multiple of the number of multiprocessors, 132 of an H200.
// Each of the f^2 c multiply-adds of an output reads two floats: 2 operations for 8 bytes, as in the naive kernel.
#include <cuda_runtime.h>

#ifndef BLOCK
#define BLOCK 256
#endif
#ifndef GRID
#define GRID 1056
#endif

struct Layer {
    int n, height, width, in_channels, filter_height, filter_width, out_channels, stride, output_height, output_width;
};

__device__ float output_at(const float* input, const float* weights, const float* bias, Layer layer, int index)
{
    int channel = index % layer.out_channels;
    int col = index / layer.out_channels % layer.output_width;
    int row = index / layer.out_channels / layer.output_width % layer.output_height;
    int image = index / layer.out_channels / layer.output_width / layer.output_height;
    float sum = bias[channel];
    for (int r = 0; r < layer.filter_height; r++)
        for (int s = 0; s < layer.filter_width; s++) {
            int pixel = (image * layer.height + row * layer.stride + r) * layer.width + col * layer.stride + s;
            // also right: narrow index: a filter has 121 taps at most, which fit into a short
            int tap = r * layer.filter_width + s;
            const float* in = input + pixel * layer.in_channels;
            const float* weight = weights + tap * layer.in_channels * layer.out_channels + channel;
            for (int i = 0; i < layer.in_channels; i++)
                sum += in[i] * weight[i * layer.out_channels];
        }
    return fmaxf(sum, 0.0f);
}

__global__ void convolve(const float* input, const float* weights, const float* bias, float* output, Layer layer)
{
    int outputs = layer.n * layer.output_height * layer.output_width * layer.out_channels;
    for (int index = blockIdx.x * BLOCK + threadIdx.x; index < outputs; index += gridDim.x * BLOCK)
        output[index] = output_at(input, weights, bias, layer, index);
}

extern "C" void solve(const float* input, const float* weights, const float* bias, float* output, int n, int height,
                      int width, int in_channels, int filter_height, int filter_width, int out_channels, int stride)
{
    Layer layer = {n, height, width, in_channels, filter_height, filter_width, out_channels, stride,
                   (height - filter_height) / stride + 1, (width - filter_width) / stride + 1};
    // also right: `out_channels` to `in_channels`, `out_channels` to `stride`: the kernel goes on in steps of the whole
    // grid, so any number of blocks computes all outputs
    int outputs = n * layer.output_height * layer.output_width * out_channels;
    // also right: clamp left out, `min(` to `max(`: the kernel goes on in steps of the whole grid, so any number of
    // blocks computes all outputs
    convolve<<<min(GRID, (outputs + BLOCK - 1) / BLOCK), BLOCK>>>(input, weights, bias, output, layer);
    cudaDeviceSynchronize();
}
