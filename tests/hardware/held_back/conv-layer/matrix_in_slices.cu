// A kernel writes the matrix of inputs ("im2col") of some pixels to a buffer, another multiplies tiles of 16 x 16.
// problem: conv-layer
#include <cuda_runtime.h>

#define BUFFER (1 << 25)
#define SIDE 16

__device__ float matrix[BUFFER];

__global__ void unroll(const float* input, int first, int pixels, int height, int width, int in_channels,
                       int filter_height, int filter_width, int stride, int output_height, int output_width)
{
    int depth = filter_height * filter_width * in_channels;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < pixels * depth; i += gridDim.x * blockDim.x) {
        int pixel = first + i / depth, tap = i % depth;
        int x = pixel % output_width, y = pixel / output_width % output_height,
            m = pixel / output_width / output_height;
        int c = tap % in_channels, s = tap / in_channels % filter_width, r = tap / in_channels / filter_width;
        matrix[i] = input[((m * height + y * stride + r) * width + x * stride + s) * in_channels + c];
    }
}

__global__ void multiply(const float* weights, const float* bias, float* output, int pixels, int depth,
                         int out_channels)
{
    __shared__ float a[SIDE][SIDE], b[SIDE][SIDE];
    int k = blockIdx.x * SIDE + threadIdx.x, pixel = blockIdx.y * SIDE + threadIdx.y;
    float sum = 0.0f;
    for (int first = 0; first < depth; first += SIDE) {
        int j = first + threadIdx.x, tap = first + threadIdx.y;
        a[threadIdx.y][threadIdx.x] = pixel < pixels && j < depth ? matrix[pixel * depth + j] : 0.0f;
        b[threadIdx.y][threadIdx.x] = tap < depth && k < out_channels ? weights[tap * out_channels + k] : 0.0f;
        __syncthreads();
        for (int t = 0; t < SIDE; t++)
            sum += a[threadIdx.y][t] * b[t][threadIdx.x];
        __syncthreads();
    }
    if (pixel < pixels && k < out_channels)
        output[pixel * out_channels + k] = fmaxf(sum + bias[k], 0.0f);
}

extern "C" void solve(const float* input, const float* weights, const float* bias, float* output, int n, int height,
                      int width, int in_channels, int filter_height, int filter_width, int out_channels, int stride)
{
    int output_height = (height - filter_height) / stride + 1, output_width = (width - filter_width) / stride + 1;
    int pixels = n * output_height * output_width, depth = filter_height * filter_width * in_channels;
    int most = BUFFER / depth < 65535 * SIDE ? BUFFER / depth : 65535 * SIDE;
    for (int first = 0; first < pixels; first += most) {
        int count = pixels - first < most ? pixels - first : most;
        unroll<<<132 * 8, 256>>>(input, first, count, height, width, in_channels, filter_height, filter_width, stride,
                                 output_height, output_width);
        dim3 blocks((out_channels + SIDE - 1) / SIDE, (count + SIDE - 1) / SIDE);
        multiply<<<blocks, dim3(SIDE, SIDE)>>>(weights, bias, output + (size_t)first * out_channels, count, depth,
                                               out_channels);
    }
    cudaDeviceSynchronize();
}
