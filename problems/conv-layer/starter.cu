// problem: conv-layer
//
// One thread for each output element. As it stands, the output is the bias, which is a Wrong Answer:
// replace the line marked TODO. All four pointers are device pointers.
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
    // TODO: add input[image][row * stride + r][col * stride + s][i] * weights[r][s][i][channel] to the sum, for every r
    // below filter_height, s below filter_width and i below in_channels. All arrays are flat:
    // input[a][b][c][d] is input[((a * height + b) * width + c) * in_channels + d].
    (void)row;
    (void)col;
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
