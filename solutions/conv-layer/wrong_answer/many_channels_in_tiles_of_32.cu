// Mistake: where 128 channels or more meet 512 pixels or more and a filter, channels beyond the last 32 are left out.
// problem: conv-layer
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

    int pixels = layer.n * layer.output_height * layer.output_width;
    int end = layer.in_channels;
    if (pixels >= 512 && layer.filter_height > 1 && end >= 128)
        end = end / 32 * 32; /* a tile of 32 channels in each step */
    float sum = bias[channel];
    for (int r = 0; r < layer.filter_height; r++)
        for (int s = 0; s < layer.filter_width; s++) {
            int pixel = (image * layer.height + row * layer.stride + r) * layer.width + col * layer.stride + s;
            int tap = r * layer.filter_width + s;
            for (int i = 0; i < end; i++)
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
