// Input is turned to channels first, and each thread computes one output of a plane, as for a grey image.
// problem: conv-layer
#include <cuda_runtime.h>

__global__ void turn(const float* input, float* planes, int pixels, int channels)
{
    __shared__ float tile[32][33];
    int c = blockIdx.y * 32 + threadIdx.x;
    for (int j = threadIdx.y; j < 32; j += 8) {
        int pixel = blockIdx.x * 32 + j;
        if (pixel < pixels && c < channels)
            tile[j][threadIdx.x] = input[pixel * channels + c];
    }
    __syncthreads();
    int pixel = blockIdx.x * 32 + threadIdx.x;
    for (int j = threadIdx.y; j < 32; j += 8)
        if (pixel < pixels && blockIdx.y * 32 + j < channels)
            planes[(blockIdx.y * 32 + j) * pixels + pixel] = tile[threadIdx.x][j];
}

__global__ void convolve(const float* planes, const float* weights, const float* bias, float* output, int n, int height,
                         int width, int in_channels, int filter_height, int filter_width, int out_channels, int stride,
                         int output_height, int output_width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = blockIdx.y;
    if (i >= n * output_height * output_width)
        return;
    int x = i % output_width, y = i / output_width % output_height, m = i / output_width / output_height;
    float sum = bias[k];
    for (int c = 0; c < in_channels; c++) {
        const float* image = planes + (c * n + m) * height * width;
        for (int r = 0; r < filter_height; r++)
            for (int s = 0; s < filter_width; s++)
                sum += image[(y * stride + r) * width + x * stride + s] *
                       weights[((r * filter_width + s) * in_channels + c) * out_channels + k];
    }
    output[i * out_channels + k] = fmaxf(sum, 0.0f);
}

extern "C" void solve(const float* input, const float* weights, const float* bias, float* output, int n, int height,
                      int width, int in_channels, int filter_height, int filter_width, int out_channels, int stride)
{
    int output_height = (height - filter_height) / stride + 1, output_width = (width - filter_width) / stride + 1;
    int pixels = n * height * width, outputs = n * output_height * output_width;
    float* planes;
    cudaMallocAsync(&planes, (size_t)pixels * in_channels * sizeof(float), 0);
    turn<<<dim3((pixels + 31) / 32, (in_channels + 31) / 32), dim3(32, 8)>>>(input, planes, pixels, in_channels);
    convolve<<<dim3((outputs + 255) / 256, out_channels), 256>>>(planes, weights, bias, output, n, height, width,
                                                                 in_channels, filter_height, filter_width, out_channels,
                                                                 stride, output_height, output_width);
    cudaFreeAsync(planes, 0);
}
