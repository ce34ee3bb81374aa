// problem: conv-layer
//
// implicit matrix product in registers: a block multiplies tiles of 64 pixels and 32 channels, a thread 4 pixels and 4
// channels of them: 8 loads from shared memory, two of them wide, for 16 multiply-adds.
// Intensity with P = 64 pixels, K = 32 channels: 2 P K / (4 (P + K)) = 10.7 operations a byte of global memory, whatever the
// filter is; of shared memory 2 * 16 / 32 = 1.
#include <cuda_runtime.h>

#define PIXELS 64
#define CHANNELS 32
#define DEPTH 16
#define EACH 4 // pixels, and channels, of a thread
#define THREADS (PIXELS * CHANNELS / EACH / EACH)

struct Layer {
    int n, height, width, in_channels, filter_height, filter_width, out_channels, stride, output_height, output_width;
};

__global__ void convolve(const float* input, const float* weights, const float* bias, float* output, Layer layer)
{
    __shared__ __align__(16) float s_input[DEPTH][PIXELS + EACH]; // the pad keeps stores of one column apart
    __shared__ __align__(16) float s_weights[DEPTH][CHANNELS];

    int thread = threadIdx.x;
    int pixels = layer.n * layer.output_height * layer.output_width;
    int depth = layer.filter_height * layer.filter_width * layer.in_channels;
    int first_pixel = blockIdx.x * PIXELS, first_channel = blockIdx.y * CHANNELS;
    int my_pixel = thread / (CHANNELS / EACH) * EACH, my_channel = thread % (CHANNELS / EACH) * EACH;

    float sum[EACH][EACH] = {};
    for (int first = 0; first < depth; first += DEPTH) {
        int k = first + thread % DEPTH; // this thread loads one column of the input's tile
        int tap = k / layer.in_channels;
        int under = tap / layer.filter_width * layer.width + tap % layer.filter_width;
        for (int p = thread / DEPTH; p < PIXELS; p += THREADS / DEPTH) {
            int pixel = first_pixel + p;
            int col = pixel % layer.output_width * layer.stride;
            int row = pixel / layer.output_width % layer.output_height * layer.stride;
            int image = pixel / layer.output_width / layer.output_height;
            int corner = (image * layer.height + row) * layer.width + col;
            s_input[thread % DEPTH][p] =
                pixel < pixels && k < depth ? input[(corner + under) * layer.in_channels + k % layer.in_channels] : 0.0f;
        }
        for (int j = thread; j < DEPTH * CHANNELS; j += THREADS) {
            int row = first + j / CHANNELS, channel = first_channel + j % CHANNELS;
            s_weights[j / CHANNELS][j % CHANNELS] =
                row < depth && channel < layer.out_channels ? weights[row * layer.out_channels + channel] : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int j = 0; j < DEPTH; j++) {
            float4 in = *(const float4*)&s_input[j][my_pixel];
            float4 weight = *(const float4*)&s_weights[j][my_channel];
            float a[EACH] = {in.x, in.y, in.z, in.w}, b[EACH] = {weight.x, weight.y, weight.z, weight.w};
#pragma unroll
            for (int p = 0; p < EACH; p++)
#pragma unroll
                for (int c = 0; c < EACH; c++)
                    sum[p][c] += a[p] * b[c];
        }
        __syncthreads();
    }

#pragma unroll
    for (int p = 0; p < EACH; p++)
#pragma unroll
        for (int c = 0; c < EACH; c++) {
            int pixel = first_pixel + my_pixel + p, channel = first_channel + my_channel + c;
            if (pixel < pixels && channel < layer.out_channels)
                output[pixel * layer.out_channels + channel] = fmaxf(sum[p][c] + bias[channel], 0.0f);
        }
}

extern "C" void solve(const float* input, const float* weights, const float* bias, float* output, int n, int height,
                      int width, int in_channels, int filter_height, int filter_width, int out_channels, int stride)
{
    Layer layer = {n, height, width, in_channels, filter_height, filter_width, out_channels, stride,
                   (height - filter_height) / stride + 1, (width - filter_width) / stride + 1};
    int pixels = n * layer.output_height * layer.output_width;
    dim3 blocks((pixels + PIXELS - 1) / PIXELS, (out_channels + CHANNELS - 1) / CHANNELS);
    convolve<<<blocks, THREADS>>>(input, weights, bias, output, layer);
    cudaDeviceSynchronize();
}
