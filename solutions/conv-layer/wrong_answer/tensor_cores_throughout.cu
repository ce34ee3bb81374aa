// Mistake: adds up all products in the tensor core, which truncates each sum and does not round it. Inputs and weights are
// split into two TF32 numbers each, which would be accurate enough if every few products were added up in float32.
// problem: conv-layer
#include <cuda_runtime.h>
#include <mma.h>

using namespace nvcuda;

#define TILE 16
#define DEPTH 8

typedef wmma::fragment<wmma::matrix_a, TILE, TILE, DEPTH, wmma::precision::tf32, wmma::row_major> InputTile;
typedef wmma::fragment<wmma::matrix_b, TILE, TILE, DEPTH, wmma::precision::tf32, wmma::row_major> WeightTile;
typedef wmma::fragment<wmma::accumulator, TILE, TILE, DEPTH, float> SumTile;

struct Layer {
    int n, height, width, in_channels, filter_height, filter_width, out_channels, stride, output_height, output_width;
};

// value = big + small, up to 2^-22 of value.
template <typename Tile>
__device__ void split(const Tile& value, Tile& big, Tile& small)
{
    for (int i = 0; i < value.num_elements; i++) {
        big.x[i] = wmma::__float_to_tf32(value.x[i]);
        small.x[i] = wmma::__float_to_tf32(value.x[i] - big.x[i]);
    }
}

// One warp computes 16 pixels of 16 channels.
__global__ void convolve(const float* input, const float* weights, const float* bias, float* output, Layer layer)
{
    __shared__ float s_input[TILE][DEPTH];
    __shared__ float s_weights[DEPTH][TILE];
    __shared__ float s_sum[TILE][TILE];
    InputTile pixels_read, big_pixels, small_pixels;
    WeightTile weights_read, big_weights, small_weights;
    SumTile sum;

    int pixels = layer.n * layer.output_height * layer.output_width;
    int depth = layer.filter_height * layer.filter_width * layer.in_channels;
    int first_pixel = blockIdx.x * TILE, first_channel = blockIdx.y * TILE;

    wmma::fill_fragment(sum, 0.0f);
    for (int first = 0; first < depth; first += DEPTH) {
        for (int i = threadIdx.x; i < TILE * DEPTH; i += 32) {
            int pixel = first_pixel + i / DEPTH, k = first + i % DEPTH, tap = k / layer.in_channels;
            int col = pixel % layer.output_width * layer.stride + tap % layer.filter_width;
            int row = pixel / layer.output_width % layer.output_height * layer.stride + tap / layer.filter_width;
            int image = pixel / layer.output_width / layer.output_height;
            int at = ((image * layer.height + row) * layer.width + col) * layer.in_channels + k % layer.in_channels;
            s_input[i / DEPTH][i % DEPTH] = pixel < pixels && k < depth ? input[at] : 0.0f;
        }
        for (int i = threadIdx.x; i < TILE * DEPTH; i += 32) {
            int k = first + i / TILE, channel = first_channel + i % TILE;
            s_weights[i / TILE][i % TILE] =
                k < depth && channel < layer.out_channels ? weights[k * layer.out_channels + channel] : 0.0f;
        }
        __syncwarp();
        wmma::load_matrix_sync(pixels_read, &s_input[0][0], DEPTH);
        wmma::load_matrix_sync(weights_read, &s_weights[0][0], TILE);
        __syncwarp();
        split(pixels_read, big_pixels, small_pixels);
        split(weights_read, big_weights, small_weights);
        wmma::mma_sync(sum, big_pixels, small_weights, sum);
        wmma::mma_sync(sum, small_pixels, big_weights, sum);
        wmma::mma_sync(sum, big_pixels, big_weights, sum);
    }

    wmma::store_matrix_sync(&s_sum[0][0], sum, TILE, wmma::mem_row_major);
    __syncwarp();
    for (int i = threadIdx.x; i < TILE * TILE; i += 32) {
        int pixel = first_pixel + i / TILE, channel = first_channel + i % TILE;
        if (pixel < pixels && channel < layer.out_channels)
            output[pixel * layer.out_channels + channel] = fmaxf(s_sum[i / TILE][i % TILE] + bias[channel], 0.0f);
    }
}

extern "C" void solve(const float* input, const float* weights, const float* bias, float* output, int n, int height,
                      int width, int in_channels, int filter_height, int filter_width, int out_channels, int stride)
{
    Layer layer = {n, height, width, in_channels, filter_height, filter_width, out_channels, stride,
                   (height - filter_height) / stride + 1, (width - filter_width) / stride + 1};
    int pixels = n * layer.output_height * layer.output_width;
    dim3 blocks((pixels + TILE - 1) / TILE, (out_channels + TILE - 1) / TILE);
    convolve<<<blocks, 32>>>(input, weights, bias, output, layer);
    cudaDeviceSynchronize();
}
