// expect: Accepted
// problem: conv-layer
// advice: vector_loads
// sketch: // rows a multiple of 4 elements long
// sketch: // and likewise for the other outputs and taps, 4 at a time
// A thread has 4 pixels of one channel, whose inputs it loads from shared memory one by one, though they lie side by side.
#include <cuda_runtime.h>

#define THREADS 512
#define PIXELS 4 // of a thread
#define CHANNELS 32
#define DEPTH 16 // of a tile: rows of the weights
#define TILE (THREADS / CHANNELS * PIXELS)

struct Layer {
    int n, height, width, in_channels, filter_height, filter_width, out_channels, stride, output_height, output_width;
};

__global__ void convolve(const float* input, const float* weights, const float* bias, float* output, Layer layer)
{
    __shared__ float s_input[DEPTH][TILE + 1]; // one more, so that a column's elements lie in different banks
    __shared__ float s_weights[DEPTH][CHANNELS];
    __shared__ int s_corner[TILE]; // of the input, under the first tap of each pixel of the tile; -1: none

    int pixels = layer.n * layer.output_height * layer.output_width;
    int depth = layer.filter_height * layer.filter_width * layer.in_channels;
    int first_pixel = blockIdx.x * TILE, first_channel = blockIdx.y * CHANNELS;
    int my_pixel = threadIdx.x / CHANNELS * PIXELS, my_channel = threadIdx.x % CHANNELS;

    for (int p = threadIdx.x; p < TILE; p += THREADS) {
        int pixel = first_pixel + p;
        int col = pixel % layer.output_width * layer.stride;
        int row = pixel / layer.output_width % layer.output_height * layer.stride;
        int image = pixel / layer.output_width / layer.output_height;
        s_corner[p] = pixel < pixels ? (image * layer.height + row) * layer.width + col : -1;
    }
    __syncthreads();

    float sum[PIXELS] = {};
    for (int first = 0; first < depth; first += DEPTH) {
        int k = first + threadIdx.x % DEPTH; // this thread loads one column of the input's tile
        int tap = k / layer.in_channels;
        int under = tap / layer.filter_width * layer.width + tap % layer.filter_width;
        for (int p = threadIdx.x / DEPTH; p < TILE; p += THREADS / DEPTH) {
            bool inside = s_corner[p] >= 0 && k < depth;
            s_input[threadIdx.x % DEPTH][p] =
                inside ? input[(s_corner[p] + under) * layer.in_channels + k % layer.in_channels] : 0.0f;
        }
        int row = first + threadIdx.x / CHANNELS, channel = first_channel + my_channel;
        s_weights[threadIdx.x / CHANNELS][my_channel] =
            row < depth && channel < layer.out_channels ? weights[row * layer.out_channels + channel] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int j = 0; j < DEPTH; j++) {
            float weight = s_weights[j][my_channel];
#pragma unroll
            for (int p = 0; p < PIXELS; p++)
                sum[p] += s_input[j][my_pixel + p] * weight; // here
        }
        __syncthreads();
    }

#pragma unroll
    for (int p = 0; p < PIXELS; p++) {
        int pixel = first_pixel + my_pixel + p, channel = first_channel + my_channel;
        if (pixel < pixels && channel < layer.out_channels)
            output[pixel * layer.out_channels + channel] = fmaxf(sum[p] + bias[channel], 0.0f);
    }
}

extern "C" void solve(const float* input, const float* weights, const float* bias, float* output, int n, int height,
                      int width, int in_channels, int filter_height, int filter_width, int out_channels, int stride)
{
    Layer layer = {n, height, width, in_channels, filter_height, filter_width, out_channels, stride,
                   (height - filter_height) / stride + 1, (width - filter_width) / stride + 1};
    int pixels = n * layer.output_height * layer.output_width;
    dim3 blocks((pixels + TILE - 1) / TILE, (out_channels + CHANNELS - 1) / CHANNELS);
    convolve<<<blocks, THREADS>>>(input, weights, bias, output, layer);
    cudaDeviceSynchronize();
}
