// problem: conv-layer
//
// implicit matrix product: the product of im2col, whose matrix is never written: each block works out where the elements of
// its tiles stand in the input, and loads them from there.
// Intensity with tiles of T = 16: 2 T^2 / (4 * 2 T) = 4 operations per byte, for every filter; what is loaded f^2 times
// comes out of the caches.
#include <cuda_runtime.h>

#define TILE 16

struct Layer {
    int n, height, width, in_channels, filter_height, filter_width, out_channels, stride, output_height, output_width;
};

__global__ void convolve(const float* input, const float* weights, const float* bias, float* output, Layer layer)
{
    __shared__ float s_input[TILE][TILE];
    __shared__ float s_weights[TILE][TILE];

    int x = threadIdx.x, y = threadIdx.y;
    int pixels = layer.n * layer.output_height * layer.output_width;
    int depth = layer.filter_height * layer.filter_width * layer.in_channels;
    int pixel = blockIdx.x * TILE + y;
    // also right: narrow index: there are 512 channels at most, which fit into a short
    int channel = blockIdx.y * TILE + x;
    // also right: narrow index: no image has more than 512 rows or columns, and a tile's inputs few more than 900,
    // which fit into a short
    int col = pixel % layer.output_width * layer.stride;
    // also right: narrow index: no image has more than 512 rows or columns, and a tile's inputs few more than 900,
    // which fit into a short
    int row = pixel / layer.output_width % layer.output_height * layer.stride;
    int image = pixel / layer.output_width / layer.output_height;
    int corner = (image * layer.height + row) * layer.width + col; // the pixel under the first tap

    float sum = 0.0f;
    // also right: `<` to `<=`: a step too many adds products of zeros
    for (int first = 0; first < depth; first += TILE) {
        int k = first + x, tap = k / layer.in_channels;
        int under = corner + tap / layer.filter_width * layer.width + tap % layer.filter_width;
        // also right: `: 0.0f` to `: 1`: it stands for a pixel whose output is not written, or is multiplied by a
        // weight of 0
        s_input[y][x] = pixel < pixels && k < depth ? input[under * layer.in_channels + k % layer.in_channels] : 0.0f;
        s_weights[y][x] = first + y < depth && channel < layer.out_channels
                              // also right: `: 0.0f` to `: 1`: weights under channels that do not exist meet inputs of
                              // zero, or belong to outputs that are not stored
                              ? weights[(first + y) * layer.out_channels + channel] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int j = 0; j < TILE; j++)
            sum += s_input[y][j] * s_weights[j][x];
        __syncthreads();
    }
    if (pixel < pixels && channel < layer.out_channels)
        output[pixel * layer.out_channels + channel] = fmaxf(sum + bias[channel], 0.0f);
}

extern "C" void solve(const float* input, const float* weights, const float* bias, float* output, int n, int height,
                      int width, int in_channels, int filter_height, int filter_width, int out_channels, int stride)
{
    Layer layer = {n, height, width, in_channels, filter_height, filter_width, out_channels, stride,
                   (height - filter_height) / stride + 1, (width - filter_width) / stride + 1};
    int pixels = n * layer.output_height * layer.output_width;
    dim3 threads(TILE, TILE);
    dim3 blocks((pixels + TILE - 1) / TILE, (out_channels + TILE - 1) / TILE);
    convolve<<<blocks, threads>>>(input, weights, bias, output, layer);
    cudaDeviceSynchronize();
}
