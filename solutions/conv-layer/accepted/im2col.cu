// problem: conv-layer
//
// im2col: the input is unrolled into a matrix that has a row for each pixel of the output, with all f^2 c inputs under it
// (a Toeplitz matrix but for the channels); times the weights, which are a matrix already, that is the output. The product
// is the simplest with tiles. Large layers are unrolled in pieces.
// Intensity of the product with tiles of T = 16: 2 T^2 / (4 * 2 T) = 4 operations per byte; but the matrix is f^2 times
// as large as the input, and is written and read through global memory.
#include <cuda_runtime.h>

#define TILE 16
#define MATRIX (1 << 24) // floats, 64 MiB: of the deepest filter still 270 rows

__device__ float d_matrix[MATRIX];

struct Layer {
    int n, height, width, in_channels, filter_height, filter_width, out_channels, stride, output_height, output_width;
};

// d_matrix[pixel - first][k] = the input under tap and channel k of the pixel
__global__ void unroll(const float* input, Layer layer, int first, int rows)
{
    int depth = layer.filter_height * layer.filter_width * layer.in_channels;
    // also right: `+=` to `=`: the grid has a thread for each element of a piece
    for (int index = blockIdx.x * blockDim.x + threadIdx.x; index < rows * depth; index += gridDim.x * blockDim.x) {
        int pixel = first + index / depth, k = index % depth;
        // also right: narrow index: no image is wider than 512, which fits into a short
        int col = pixel % layer.output_width * layer.stride + k / layer.in_channels % layer.filter_width;
        // also right: narrow index: no image has more than 512 rows or columns, and a tile's inputs few more than 900,
        // which fit into a short
        int row = pixel / layer.output_width % layer.output_height * layer.stride +
                  k / layer.in_channels / layer.filter_width;
        int image = pixel / layer.output_width / layer.output_height;
        d_matrix[index] =
            input[((image * layer.height + row) * layer.width + col) * layer.in_channels + k % layer.in_channels];
    }
}

__global__ void multiply(const float* weights, const float* bias, float* output, int rows, int depth, int channels)
{
    __shared__ float s_matrix[TILE][TILE];
    __shared__ float s_weights[TILE][TILE];

    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.x * TILE + y;
    // also right: narrow index: there are 512 channels at most, which fit into a short
    int channel = blockIdx.y * TILE + x;
    float sum = 0.0f;
    // also right: `<` to `<=`: a step too many adds products of zeros
    for (int first = 0; first < depth; first += TILE) {
        // also right: `row < rows && first + x < depth` to `row < rows`: what is read beyond a row is multiplied by a
        // weight of 0, and is finite
        // also right: `row < rows && first + x < depth` to `first + x < depth`: what is read beyond the last row
        // belongs to outputs that are not written; it lies in the matrix, which begins with zeros
        // also right: `: 0.0f` to `: 1`: it stands for a pixel whose output is not written, or is multiplied by a
        // weight of 0
        s_matrix[y][x] = row < rows && first + x < depth ? d_matrix[row * depth + first + x] : 0.0f;
        s_weights[y][x] =
            // also right: `: 0.0f` to `: 1`: weights under channels that do not exist meet inputs of zero, or belong to
            // outputs that are not stored
            first + y < depth && channel < channels ? weights[(first + y) * channels + channel] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; k++)
            sum += s_matrix[y][k] * s_weights[k][x];
        __syncthreads();
    }
    if (row < rows && channel < channels)
        output[row * channels + channel] = fmaxf(sum + bias[channel], 0.0f);
}

extern "C" void solve(const float* input, const float* weights, const float* bias, float* output, int n, int height,
                      int width, int in_channels, int filter_height, int filter_width, int out_channels, int stride)
{
    // also right: `n` to `height`: the kernels do not ask how many images there are
    // also right: `out_channels` to `in_channels`, `out_channels` to `stride`: the kernel that unrolls does not ask how
    // many channels come out
    Layer layer = {n, height, width, in_channels, filter_height, filter_width, out_channels, stride,
                   (height - filter_height) / stride + 1, (width - filter_width) / stride + 1};
    int depth = filter_height * filter_width * in_channels;
    int pixels = n * layer.output_height * layer.output_width;
    // also right: `min(pixels, MATRIX / depth)` to `(MATRIX / depth)`: the rows of a piece end with the last pixel
    int piece = min(pixels, MATRIX / depth);
    // also right: `<` to `<=`: a piece without pixels: two launches of no blocks, which fail and leave the output as it
    // is; the report warns of it
    for (int first = 0; first < pixels; first += piece) {
        int rows = min(piece, pixels - first);
        dim3 threads(TILE, TILE);
        dim3 blocks((rows + TILE - 1) / TILE, (out_channels + TILE - 1) / TILE);
        // also right: clamp left out, `min(` to `max(`: the kernel goes on in steps of the whole grid, so any number of
        // blocks computes all outputs
        unroll<<<min((rows * depth + 255) / 256, 65536), 256>>>(input, layer, first, rows);
        multiply<<<blocks, threads>>>(weights, bias, output + first * out_channels, rows, depth, out_channels);
    }
    cudaDeviceSynchronize();
}
