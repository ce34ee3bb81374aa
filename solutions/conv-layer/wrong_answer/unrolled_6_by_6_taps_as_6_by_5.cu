// Mistake: the kernel for filters of 6 x 6 taps is unrolled for 6 x 5.
// problem: conv-layer
#include <cuda_runtime.h>

struct Layer {
    int n, height, width, in_channels, filter_height, filter_width, out_channels, stride, output_height, output_width;
};

/* ROWS and COLS are the sizes of the filter, so that the compiler unrolls the loops; 0 where they are known at run time
 * only. */
template <int ROWS, int COLS>
__global__ void convolve(const float* input, const float* weights, const float* bias, float* output, Layer layer)
{
    const int rows = ROWS > 0 ? ROWS : layer.filter_height, cols = COLS > 0 ? COLS : layer.filter_width;
    int index = blockIdx.x * blockDim.x + threadIdx.x;
    int channel = index % layer.out_channels;
    int col = index / layer.out_channels % layer.output_width;
    int row = index / layer.out_channels / layer.output_width % layer.output_height;
    int image = index / layer.out_channels / layer.output_width / layer.output_height;
    if (image >= layer.n)
        return;

    float sum = bias[channel];
    for (int r = 0; r < rows; r++)
        for (int s = 0; s < cols; s++) {
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
    int outputs = n * layer.output_height * layer.output_width * out_channels;
    int blocks = (outputs + 255) / 256;
    if (filter_height == 3 && filter_width == 3)
        convolve<3, 3><<<blocks, 256>>>(input, weights, bias, output, layer);
    else if (filter_height == 5 && filter_width == 5)
        convolve<5, 5><<<blocks, 256>>>(input, weights, bias, output, layer);
    else if (filter_height == 6 && filter_width == 6)
        convolve<6, 5><<<blocks, 256>>>(input, weights, bias, output, layer);
    else
        convolve<0, 0><<<blocks, 256>>>(input, weights, bias, output, layer);
    cudaDeviceSynchronize();
}
