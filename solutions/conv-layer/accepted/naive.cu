// problem: conv-layer
//
// naive: one thread per output. Neighbouring threads compute neighbouring channels: they read the same input, which is
// one transaction for the warp, and neighbouring weights, which are coalesced.
// Each of the f^2 c multiply-adds of an output reads two floats: 2 operations for 8 bytes, for all sizes.
#include <cuda_runtime.h>

struct Layer {
    int n, height, width, in_channels, filter_height, filter_width, out_channels, stride, output_height, output_width;
};

__global__ void convolve(const float* input, const float* weights, const float* bias, float* output, Layer layer)
{
    int index = blockIdx.x * blockDim.x + threadIdx.x;
    int channel = index % layer.out_channels;
    int col = index / layer.out_channels % layer.output_width;
    int row = index / layer.out_channels / layer.output_width % layer.output_height;
    int image = index / layer.out_channels / layer.output_width / layer.output_height;
    if (image >= layer.n)
        return;

    float sum = bias[channel];
    for (int r = 0; r < layer.filter_height; r++)
        for (int s = 0; s < layer.filter_width; s++) {
            int pixel = (image * layer.height + row * layer.stride + r) * layer.width + col * layer.stride + s;
            // also right: narrow index: a filter has 121 taps at most, which fit into a short
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
    int outputs = n * layer.output_height * layer.output_width * out_channels;
    convolve<<<(outputs + 255) / 256, 256>>>(input, weights, bias, output, layer);
    cudaDeviceSynchronize();
}
