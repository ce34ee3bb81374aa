// Mistake: the buffer that holds the weights of 32 channels in and out at a time is one weight too short for half a million.
// on cuda: Accepted, Run-Time Error
// problem: conv-layer
#include <cuda_runtime.h>

#define GROUP 32
#define MOST_WEIGHTS (1 << 19) // with channels rounded up

__device__ float d_weights[MOST_WEIGHTS - 1]; // [tap][channel in][channel out], zeros where no channel is

struct Layer {
    int n, height, width, in_channels, filter_height, filter_width, out_channels, stride, output_height, output_width;
};

__global__ void pad(const float* weights, Layer layer, int in, int out, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, channel = i % out, c = i / out % in, tap = i / out / in;
    if (i >= count)
        return;
    bool exists = c < layer.in_channels && channel < layer.out_channels;
    d_weights[i] = exists ? weights[(tap * layer.in_channels + c) * layer.out_channels + channel] : 0.0f;
}

__global__ void convolve(const float* input, const float* weights, const float* bias, float* output, Layer layer,
                         int in, int out)
{
    int index = blockIdx.x * blockDim.x + threadIdx.x, channel = index % layer.out_channels;
    int col = index / layer.out_channels % layer.output_width;
    int row = index / layer.out_channels / layer.output_width % layer.output_height;
    int image = index / layer.out_channels / layer.output_width / layer.output_height;
    if (image >= layer.n)
        return;
    const float* from = weights ? weights : d_weights;
    float sum = bias[channel];
    for (int r = 0; r < layer.filter_height; r++)
        for (int s = 0; s < layer.filter_width; s++) {
            int pixel = (image * layer.height + row * layer.stride + r) * layer.width + col * layer.stride + s;
            const float* weight = from + (r * layer.filter_width + s) * in * out + channel;
            for (int c = 0; c < layer.in_channels; c++)
                sum += input[pixel * layer.in_channels + c] * weight[c * out];
        }
    output[index] = fmaxf(sum, 0.0f);
}

extern "C" void solve(const float* input, const float* weights, const float* bias, float* output, int n, int height,
                      int width, int in_channels, int filter_height, int filter_width, int out_channels, int stride)
{
    Layer layer = {n, height, width, in_channels, filter_height, filter_width, out_channels, stride,
                   (height - filter_height) / stride + 1, (width - filter_width) / stride + 1};
    int in = (in_channels + GROUP - 1) / GROUP * GROUP, out = (out_channels + GROUP - 1) / GROUP * GROUP;
    int count = filter_height * filter_width * in * out;
    if (count <= MOST_WEIGHTS) {
        pad<<<(count + 255) / 256, 256>>>(weights, layer, in, out, count);
        weights = nullptr;
    } else {
        in = in_channels;
        out = out_channels;
    }
    int outputs = n * layer.output_height * layer.output_width * out_channels;
    convolve<<<(outputs + 255) / 256, 256>>>(input, weights, bias, output, layer, in, out);
    cudaDeviceSynchronize();
}
