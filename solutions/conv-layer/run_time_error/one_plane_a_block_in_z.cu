// Mistake: uses one block along z per image and channel; there may be more of them than the 65,535 blocks of a grid.
// problem: conv-layer
#include <cuda_runtime.h>

struct Layer {
    int n, height, width, in_channels, filter_height, filter_width, out_channels, stride, output_height, output_width;
};

__global__ void convolve(const float* input, const float* weights, const float* bias, float* output, Layer layer)
{
    int channel = blockIdx.z % layer.out_channels;
    int image = blockIdx.z / layer.out_channels;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= layer.output_height || col >= layer.output_width)
        return;
    int index = ((image * layer.output_height + row) * layer.output_width + col) * layer.out_channels + channel;

    float sum = bias[channel];
    for (int r = 0; r < layer.filter_height; r++)
        for (int s = 0; s < layer.filter_width; s++) {
            int pixel = (image * layer.height + row * layer.stride + r) * layer.width + col * layer.stride + s;
            int tap = r * layer.filter_width + s;
            for (int i = 0; i < layer.in_channels; i++)
                sum += input[pixel * layer.in_channels + i] *
                       weights[(tap * layer.in_channels + i) * layer.out_channels + channel];
        }
    output[index] = fmaxf(sum, 0.0f);
}

extern "C" void solve(const float* input, const float* weights, const float* bias, float* output, int n, int height,
                      int width, int in_channels, int filter_height, int filter_width, int out_channels, int stride)
{
    Layer layer = {n, height, width, in_channels, filter_height, filter_width, out_channels, stride,
                   (height - filter_height) / stride + 1, (width - filter_width) / stride + 1};
    dim3 threads(16, 16);
    dim3 blocks((layer.output_width + 15) / 16, (layer.output_height + 15) / 16, n * out_channels);
    convolve<<<blocks, threads>>>(input, weights, bias, output, layer);
    cudaDeviceSynchronize();
}
