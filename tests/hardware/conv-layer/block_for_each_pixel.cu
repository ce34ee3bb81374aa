// A block of whole warps for each pixel: its threads are output channels, and a row of inputs lies in shared memory.
// problem: conv-layer
#include <cuda_runtime.h>

#define PART 1024

__global__ void convolve(const float* input, const float* weights, const float* bias, float* output, int height,
                         int width, int in_channels, int filter_height, int filter_width, int out_channels, int stride,
                         int output_height, int output_width)
{
    __shared__ float part[PART];
    int x = blockIdx.x % output_width, y = blockIdx.x / output_width % output_height;
    int m = blockIdx.x / output_width / output_height;
    int k = threadIdx.x;
    float sum = k < out_channels ? bias[k] : 0.0f;
    int row = filter_width * in_channels; // the inputs of a row of the filter are neighbours in memory
    for (int r = 0; r < filter_height; r++)
        for (int first = 0; first < row; first += PART) {
            int count = min(PART, row - first);
            const float* from = input + ((m * height + y * stride + r) * width + x * stride) * in_channels + first;
            __syncthreads();
            for (int j = threadIdx.x; j < count; j += blockDim.x)
                part[j] = from[j];
            __syncthreads();
            if (k < out_channels)
                for (int j = 0; j < count; j++)
                    sum += part[j] * weights[(r * row + first + j) * out_channels + k];
        }
    if (k < out_channels)
        output[blockIdx.x * out_channels + k] = fmaxf(sum, 0.0f);
}

extern "C" void solve(const float* input, const float* weights, const float* bias, float* output, int n, int height,
                      int width, int in_channels, int filter_height, int filter_width, int out_channels, int stride)
{
    int output_height = (height - filter_height) / stride + 1, output_width = (width - filter_width) / stride + 1;
    convolve<<<n * output_height * output_width, (out_channels + 31) / 32 * 32>>>(
        input, weights, bias, output, height, width, in_channels, filter_height, filter_width, out_channels, stride,
        output_height, output_width);
}
