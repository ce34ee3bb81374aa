// A launch for each image of the batch; a thread for each output, with its channel fastest.
// problem: conv-layer
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* weights, const float* bias, float* output, int width,
                         int in_channels, int filter_height, int filter_width, int out_channels, int stride,
                         int output_width, int outputs)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= outputs)
        return;
    int k = i % out_channels, x = i / out_channels % output_width, y = i / out_channels / output_width;
    float sum = bias[k];
    for (int r = 0; r < filter_height; r++)
        for (int s = 0; s < filter_width; s++) {
            const float* pixel = input + ((y * stride + r) * width + x * stride + s) * in_channels;
            const float* taps = weights + (r * filter_width + s) * in_channels * out_channels + k;
            for (int c = 0; c < in_channels; c++)
                sum += pixel[c] * taps[c * out_channels];
        }
    output[i] = fmaxf(sum, 0.0f);
}

extern "C" void solve(const float* input, const float* weights, const float* bias, float* output, int n, int height,
                      int width, int in_channels, int filter_height, int filter_width, int out_channels, int stride)
{
    int output_height = (height - filter_height) / stride + 1, output_width = (width - filter_width) / stride + 1;
    int outputs = output_height * output_width * out_channels;
    for (int m = 0; m < n; m++)
        convolve<<<(outputs + 255) / 256, 256>>>(input + (size_t)m * height * width * in_channels, weights, bias,
                                                 output + (size_t)m * outputs, width, in_channels, filter_height,
                                                 filter_width, out_channels, stride, output_width, outputs);
    cudaDeviceSynchronize();
}
