// Tensor cores by wmma: each float is split into two TF32 numbers, and three of their four products are added up.
// problem: conv-layer
#include <cuda_runtime.h>
#include <mma.h>

using namespace nvcuda;

#define PIXELS 64
#define SIDE 32 // channels of a step, and of a tile of outputs
#define PITCH 36

typedef wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> A;
typedef wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> B;
typedef wmma::fragment<wmma::accumulator, 16, 16, 8, float> Sum;

__global__ void convolve(const float* input, const float* weights, const float* bias, float* output, int pixels,
                         int height, int width, int in_channels, int filter_height, int filter_width, int out_channels,
                         int stride, int output_height, int output_width)
{
    __shared__ __align__(32) float a[2][PIXELS][PITCH], b[2][SIDE][PITCH]; // high and low parts
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    Sum total[2];
    wmma::fill_fragment(total[0], 0.0f);
    wmma::fill_fragment(total[1], 0.0f);
    for (int tap = 0; tap < filter_height * filter_width; tap++)
        for (int first = 0; first < in_channels; first += SIDE) {
            __syncthreads();
            int c = first + lane;
            for (int p = warp; p < PIXELS; p += 4) {
                int i = blockIdx.x * PIXELS + p;
                int x = i % output_width, y = i / output_width % output_height, m = i / output_width / output_height;
                int row = y * stride + tap / filter_width, col = x * stride + tap % filter_width;
                float value = i < pixels && c < in_channels
                                  ? input[((m * height + row) * width + col) * in_channels + c]
                                  : 0.0f;
                a[0][p][lane] = wmma::__float_to_tf32(value);
                a[1][p][lane] = wmma::__float_to_tf32(value - a[0][p][lane]);
            }
            int k = blockIdx.y * SIDE + lane;
            for (int j = warp; j < SIDE; j += 4) {
                float value = first + j < in_channels && k < out_channels
                                  ? weights[(tap * in_channels + first + j) * out_channels + k]
                                  : 0.0f;
                b[0][j][lane] = wmma::__float_to_tf32(value);
                b[1][j][lane] = wmma::__float_to_tf32(value - b[0][j][lane]);
            }
            __syncthreads();
            // A sum of its own for each step: tensor cores cut sums off, and ordinary additions round.
            Sum sum[2];
            wmma::fill_fragment(sum[0], 0.0f);
            wmma::fill_fragment(sum[1], 0.0f);
            for (int step = 0; step < SIDE; step += 8)
                for (int half = 0; half < 2; half++) {
                    A high, low;
                    B high_b, low_b;
                    wmma::load_matrix_sync(high, &a[0][warp * 16][step], PITCH);
                    wmma::load_matrix_sync(low, &a[1][warp * 16][step], PITCH);
                    wmma::load_matrix_sync(high_b, &b[0][step][half * 16], PITCH);
                    wmma::load_matrix_sync(low_b, &b[1][step][half * 16], PITCH);
                    wmma::mma_sync(sum[half], low, high_b, sum[half]);
                    wmma::mma_sync(sum[half], high, low_b, sum[half]);
                    wmma::mma_sync(sum[half], high, high_b, sum[half]);
                }
            for (int half = 0; half < 2; half++)
                for (int e = 0; e < sum[half].num_elements; e++)
                    total[half].x[e] += sum[half].x[e];
        }
    __syncthreads();
    for (int half = 0; half < 2; half++)
        wmma::store_matrix_sync(&a[0][warp * 16][half * 16], total[half], PITCH, wmma::mem_row_major);
    __syncthreads();
    int k = blockIdx.y * SIDE + lane;
    for (int p = warp; p < PIXELS; p += 4)
        if (blockIdx.x * PIXELS + p < pixels && k < out_channels)
            output[(blockIdx.x * PIXELS + p) * out_channels + k] = fmaxf(a[0][p][lane] + bias[k], 0.0f);
}

extern "C" void solve(const float* input, const float* weights, const float* bias, float* output, int n, int height,
                      int width, int in_channels, int filter_height, int filter_width, int out_channels, int stride)
{
    int output_height = (height - filter_height) / stride + 1, output_width = (width - filter_width) / stride + 1;
    int pixels = n * output_height * output_width;
    dim3 blocks((pixels + PIXELS - 1) / PIXELS, (out_channels + SIDE - 1) / SIDE);
    convolve<<<blocks, 128>>>(input, weights, bias, output, pixels, height, width, in_channels, filter_height,
                              filter_width, out_channels, stride, output_height, output_width);
}
