// problem: conv-layer
//
// implicit matrix product in registers: a block multiplies tiles of 64 pixels and 32 channels, a thread 4 pixels and 4
// channels of them: two wide loads from shared memory for 16 multiply-adds. Layers that are too small to give every
// multiprocessor such a block get tiles of 16 pixels.
// Intensity with P = 64 pixels, K = 32 channels: 2 P K / (4 (P + K)) = 10.7 operations per byte of global memory, for
// every filter; of shared memory 2 * 16 / 32 = 1.
#include <cuda_runtime.h>

#define THREADS 128
#define CHANNELS 32
#define DEPTH 16
#define EACH 4                                 // channels of a thread
#define THREADS_DOWN (THREADS * EACH / CHANNELS) // below one another, with the same channels
#define ENOUGH_BLOCKS 264                      // two for each multiprocessor of an H200

template <int COUNT> struct __align__(4 * COUNT) Floats {
    float at[COUNT];
};

struct Layer {
    int n, height, width, in_channels, filter_height, filter_width, out_channels, stride, output_height, output_width;
};

template <int EACH_PIXELS> // of a thread
__global__ void convolve(const float* input, const float* weights, const float* bias, float* output, Layer layer)
{
    const int PIXELS = THREADS_DOWN * EACH_PIXELS;
    __shared__ __align__(16) float s_input[DEPTH][PIXELS + EACH_PIXELS]; // the pad keeps stores of one column apart
    __shared__ __align__(16) float s_weights[DEPTH][CHANNELS];
    __shared__ int s_corner[PIXELS]; // of the input, under the first tap of each pixel of the tile; -1: none

    int thread = threadIdx.x;
    int pixels = layer.n * layer.output_height * layer.output_width;
    int depth = layer.filter_height * layer.filter_width * layer.in_channels;
    int first_pixel = blockIdx.x * PIXELS, first_channel = blockIdx.y * CHANNELS;
    // also right: narrow index: a pixel's place in its tile fits into a short
    int my_pixel = thread / (CHANNELS / EACH) * EACH_PIXELS, my_channel = thread % (CHANNELS / EACH) * EACH;

    // also right: `+=` to `=`: a tile has no more pixels than a block has threads, so that a thread takes one at most
    for (int p = thread; p < PIXELS; p += THREADS) {
        int pixel = first_pixel + p;
        // also right: narrow index: no image has more than 512 rows or columns, and a tile's inputs few more than 900,
        // which fit into a short
        int col = pixel % layer.output_width * layer.stride;
        // also right: narrow index: no image has more than 512 rows or columns, and a tile's inputs few more than 900,
        // which fit into a short
        int row = pixel / layer.output_width % layer.output_height * layer.stride;
        int image = pixel / layer.output_width / layer.output_height;
        s_corner[p] = pixel < pixels ? (image * layer.height + row) * layer.width + col : -1;
    }
    __syncthreads();

    float sum[EACH_PIXELS][EACH] = {};
    // also right: `<` to `<=`: a step too many adds products of zeros
    for (int first = 0; first < depth; first += DEPTH) {
        int k = first + thread % DEPTH; // this thread loads one column of the input's tile
        int tap = k / layer.in_channels;
        // also right: narrow index: the inputs under taps, up to those that fill the last step, lie within 16 rows of
        // 512 pixels
        int under = tap / layer.filter_width * layer.width + tap % layer.filter_width;
        for (int p = thread / DEPTH; p < PIXELS; p += THREADS / DEPTH) {
            bool inside = s_corner[p] >= 0 && k < depth;
            s_input[thread % DEPTH][p] =
                // also right: `: 0.0f` to `: 1`: it stands for a pixel whose output is not written, or is multiplied by
                // a weight of 0
                inside ? input[(s_corner[p] + under) * layer.in_channels + k % layer.in_channels] : 0.0f;
        }
        for (int j = thread; j < DEPTH * CHANNELS; j += THREADS) {
            int row = first + j / CHANNELS, channel = first_channel + j % CHANNELS;
            s_weights[j / CHANNELS][j % CHANNELS] =
                // also right: `: 0.0f` to `: 1`: weights under channels that do not exist meet inputs of zero, or
                // belong to outputs that are not stored
                row < depth && channel < layer.out_channels ? weights[row * layer.out_channels + channel] : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int j = 0; j < DEPTH; j++) {
            Floats<EACH_PIXELS> in = *(const Floats<EACH_PIXELS>*)&s_input[j][my_pixel];
            Floats<EACH> weight = *(const Floats<EACH>*)&s_weights[j][my_channel];
#pragma unroll
            for (int p = 0; p < EACH_PIXELS; p++)
#pragma unroll
                for (int c = 0; c < EACH; c++)
                    sum[p][c] += in.at[p] * weight.at[c];
        }
        __syncthreads();
    }

#pragma unroll
    for (int p = 0; p < EACH_PIXELS; p++)
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
    int groups = (out_channels + CHANNELS - 1) / CHANNELS;
    int large = (pixels + 4 * THREADS_DOWN - 1) / (4 * THREADS_DOWN), small = (pixels + THREADS_DOWN - 1) / THREADS_DOWN;
    // also right: guard left out, off by one: both kernels serve layers of that size
    if (large * groups >= ENOUGH_BLOCKS)
        convolve<4><<<dim3(large, groups), THREADS>>>(input, weights, bias, output, layer);
    else
        convolve<1><<<dim3(small, groups), THREADS>>>(input, weights, bias, output, layer);
    cudaDeviceSynchronize();
}
