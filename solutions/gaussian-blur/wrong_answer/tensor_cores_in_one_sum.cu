// Mistake: three products in TF32 are as exact as one in float, but all of them go into one sum of the tensor cores, which
// cut off its last digits at each step. Where all terms are positive, these losses add up.
// problem: gaussian-blur
#include <cuda_runtime.h>
#include <mma.h>

using namespace nvcuda;

#define OUTPUTS 16 // neighbours in a row: a warp computes them as the product of a matrix and a column
#define STEP 8     // taps at a time

typedef wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> Elements;
typedef wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> Taps;

// A float is the sum of two numbers with 11 bits each, but for its last two bits.
__device__ void split(float value, float* large, float* small)
{
    *large = wmma::__float_to_tf32(value);
    *small = wmma::__float_to_tf32(value - *large);
}

__global__ void blur(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                     int kernel_rows, int kernel_cols)
{
    __shared__ float s_elements[2][OUTPUTS * STEP], s_taps[2][STEP * 16], s_sums[OUTPUTS * 16];
    int row = blockIdx.y, col = blockIdx.x * OUTPUTS, taps = kernel_rows * kernel_cols;
    Elements large, small;
    Taps large_taps, small_taps;
    wmma::fragment<wmma::accumulator, 16, 16, 8, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    for (int first = 0; first < taps; first += STEP) {
        for (int i = threadIdx.x; i < OUTPUTS * STEP; i += 32) {
            int tap = first + i % STEP;
            int y = row + tap / kernel_cols - kernel_rows / 2;
            int x = col + i / STEP + tap % kernel_cols - kernel_cols / 2;
            bool inside = tap < taps && y >= 0 && y < input_rows && x >= 0 && x < input_cols;
            split(inside ? input[y * input_cols + x] : 0.0f, &s_elements[0][i], &s_elements[1][i]);
            tap = first + i / 16; // the first of 16 columns holds the taps
            split(i % 16 == 0 && tap < taps ? kernel[tap] : 0.0f, &s_taps[0][i], &s_taps[1][i]);
        }
        __syncwarp();
        wmma::load_matrix_sync(large, s_elements[0], STEP);
        wmma::load_matrix_sync(small, s_elements[1], STEP);
        wmma::load_matrix_sync(large_taps, s_taps[0], 16);
        wmma::load_matrix_sync(small_taps, s_taps[1], 16);
        wmma::mma_sync(sum, small, large_taps, sum);
        wmma::mma_sync(sum, large, small_taps, sum);
        wmma::mma_sync(sum, large, large_taps, sum);
        __syncwarp();
    }
    wmma::store_matrix_sync(s_sums, sum, 16, wmma::mem_row_major);
    __syncwarp();
    if (threadIdx.x < OUTPUTS && col + threadIdx.x < input_cols)
        output[row * input_cols + col + threadIdx.x] = s_sums[threadIdx.x * 16];
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    dim3 blocks((input_cols + OUTPUTS - 1) / OUTPUTS, input_rows);
    blur<<<blocks, 32>>>(input, kernel, output, input_rows, input_cols, kernel_rows, kernel_cols);
    cudaDeviceSynchronize();
}
