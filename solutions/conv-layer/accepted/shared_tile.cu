// problem: conv-layer
//
// shared tile: a block computes 4 x 4 pixels of 32 channels. It loads the input under them into shared memory, 8 channels
// at a time; a weight, read once by a thread, serves 2 pixels, and an input, handed to a whole warp at once, 32 channels.
// Intensity with T = 4, k = 32, stride 1: 2 T^2 f^2 k / (4 ((T + f - 1)^2 + f^2 k)) operations a byte of global memory,
// with f = 5 at 7.4, for any number of input channels: the weights, which every block reads anew, are the larger part.
#include <cuda_runtime.h>

#define TILE 4
#define PIXELS (TILE * TILE)
#define CHANNELS 32 // of the output, for each block
#define GROUP 8     // channels of the input at a time
#define THREADS_Y 8
#define RESULTS (PIXELS / THREADS_Y)

struct Layer {
    int n, height, width, in_channels, filter_height, filter_width, out_channels, stride, output_height, output_width;
};

__global__ void convolve(const float* input, const float* weights, const float* bias, float* output, Layer layer)
{
    extern __shared__ float s_tile[]; // tile_rows x tile_cols x GROUP

    int tiles_x = (layer.output_width + TILE - 1) / TILE;
    int tiles_y = (layer.output_height + TILE - 1) / TILE;
    // also right: narrow index: no image has more than 512 rows or columns, and a tile's inputs few more than 900,
    // which fit into a short
    int first_col = blockIdx.x % tiles_x * TILE;
    // also right: narrow index: no image has more than 512 rows or columns, and a tile's inputs few more than 900,
    // which fit into a short
    int first_row = blockIdx.x / tiles_x % tiles_y * TILE;
    int image = blockIdx.x / tiles_x / tiles_y;
    // also right: narrow index: there are 512 channels at most, which fit into a short
    int channel = blockIdx.y * CHANNELS + threadIdx.x;
    // also right: narrow index: no image has more than 512 rows or columns, and a tile's inputs few more than 900,
    // which fit into a short
    int tile_rows = (TILE - 1) * layer.stride + layer.filter_height;
    // also right: narrow index: no image has more than 512 rows or columns, and a tile's inputs few more than 900,
    // which fit into a short
    int tile_cols = (TILE - 1) * layer.stride + layer.filter_width;

    float sum[RESULTS] = {0.0f};
    // also right: `<` to `<=`: a group of no channels adds nothing
    for (int first = 0; first < layer.in_channels; first += GROUP) {
        __syncthreads(); // the group before is still read
        // also right: narrow index: a pixel's place in its tile fits into a short
        int thread = threadIdx.y * CHANNELS + threadIdx.x;
        for (int j = thread; j < tile_rows * tile_cols * GROUP; j += CHANNELS * THREADS_Y) {
            int i = first + j % GROUP;
            // also right: narrow index: no image has more than 512 rows or columns, and a tile's inputs few more than
            // 900, which fit into a short
            int col = first_col * layer.stride + j / GROUP % tile_cols;
            // also right: narrow index: no image has more than 512 rows or columns, and a tile's inputs few more than
            // 900, which fit into a short
            int row = first_row * layer.stride + j / GROUP / tile_cols;
            bool inside = i < layer.in_channels && col < layer.width && row < layer.height;
            // also right: `: 0.0f` to `: 1`: it belongs to outputs that are not stored, or to channels that are left
            // out
            s_tile[j] = inside ? input[((image * layer.height + row) * layer.width + col) * layer.in_channels + i] : 0.0f;
        }
        __syncthreads();

        if (channel >= layer.out_channels)
            continue;
        int group = min(GROUP, layer.in_channels - first);
        for (int r = 0; r < layer.filter_height; r++)
            for (int s = 0; s < layer.filter_width; s++) {
                // also right: narrow index: a filter has 121 taps at most, which fit into a short
                int tap = r * layer.filter_width + s;
                const float* weight = weights + (tap * layer.in_channels + first) * layer.out_channels + channel;
                for (int i = 0; i < group; i++) {
                    float w = weight[i * layer.out_channels];
#pragma unroll
                    // also right: `<` to `<=`: undefined, but of no effect: what lies behind an array in registers is
                    // set or read, and nothing that is stored follows from it
                    for (int p = 0; p < RESULTS; p++) {
                        // also right: narrow index: a pixel's place in its tile fits into a short
                        int pixel = threadIdx.y + p * THREADS_Y;
                        // also right: narrow index: no image has more than 512 rows or columns, and a tile's inputs few
                        // more than 900, which fit into a short
                        int row = pixel / TILE * layer.stride + r, col = pixel % TILE * layer.stride + s;
                        sum[p] += s_tile[(row * tile_cols + col) * GROUP + i] * w;
                    }
                }
            }
    }
#pragma unroll
    for (int p = 0; p < RESULTS; p++) {
        // also right: narrow index: a pixel's place in its tile fits into a short
        int pixel = threadIdx.y + p * THREADS_Y;
        int row = first_row + pixel / TILE, col = first_col + pixel % TILE;
        if (channel < layer.out_channels && row < layer.output_height && col < layer.output_width)
            output[((image * layer.output_height + row) * layer.output_width + col) * layer.out_channels + channel] =
                fmaxf(sum[p] + bias[channel], 0.0f);
    }
}

extern "C" void solve(const float* input, const float* weights, const float* bias, float* output, int n, int height,
                      int width, int in_channels, int filter_height, int filter_width, int out_channels, int stride)
{
    // also right: `n` to `height`: the kernels do not ask how many images there are
    Layer layer = {n, height, width, in_channels, filter_height, filter_width, out_channels, stride,
                   (height - filter_height) / stride + 1, (width - filter_width) / stride + 1};
    dim3 threads(CHANNELS, THREADS_Y);
    dim3 blocks((layer.output_width + TILE - 1) / TILE * ((layer.output_height + TILE - 1) / TILE) * n,
                (out_channels + CHANNELS - 1) / CHANNELS);
    // also right: narrow index: no image has more than 512 rows or columns, and a tile's inputs few more than 900,
    // which fit into a short
    // also right: `TILE - 1` to `TILE`, `TILE -` to `TILE +`: it is more shared memory than needed, and less than the
    // 48 KiB that any kernel may have
    int tile_rows = (TILE - 1) * stride + filter_height, tile_cols = (TILE - 1) * stride + filter_width;
    // also right: narrow index: the bytes of a tile fit into an int
    size_t shared_bytes = tile_rows * tile_cols * GROUP * sizeof(float);
    convolve<<<blocks, threads, shared_bytes>>>(input, weights, bias, output, layer);
    cudaDeviceSynchronize();
}
