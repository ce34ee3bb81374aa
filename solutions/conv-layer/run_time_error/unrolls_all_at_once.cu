// Mistake: unrolls all of the input at once, although the matrix holds 16,777,216 elements.
// problem: conv-layer
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
    for (int index = blockIdx.x * blockDim.x + threadIdx.x; index < rows * depth; index += gridDim.x * blockDim.x) {
        int pixel = first + index / depth, k = index % depth;
        int col = pixel % layer.output_width * layer.stride + k / layer.in_channels % layer.filter_width;
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
    int channel = blockIdx.y * TILE + x;
    float sum = 0.0f;
    for (int first = 0; first < depth; first += TILE) {
        s_matrix[y][x] = row < rows && first + x < depth ? d_matrix[row * depth + first + x] : 0.0f;
        s_weights[y][x] =
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
    Layer layer = {n, height, width, in_channels, filter_height, filter_width, out_channels, stride,
                   (height - filter_height) / stride + 1, (width - filter_width) / stride + 1};
    int depth = filter_height * filter_width * in_channels;
    int pixels = n * layer.output_height * layer.output_width;
    int piece = pixels;
    for (int first = 0; first < pixels; first += piece) {
        int rows = min(piece, pixels - first);
        dim3 threads(TILE, TILE);
        dim3 blocks((rows + TILE - 1) / TILE, (out_channels + TILE - 1) / TILE);
        unroll<<<min((rows * depth + 255) / 256, 65536), 256>>>(input, layer, first, rows);
        multiply<<<blocks, threads>>>(weights, bias, output + first * out_channels, rows, depth, out_channels);
    }
    cudaDeviceSynchronize();
}
