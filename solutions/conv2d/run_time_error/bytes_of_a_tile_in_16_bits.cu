// Mistake: in images of more than a million elements, the bytes of a tile are counted with 16 bits, which the largest kernel exceeds.
// problem: conv2d
#include <cuda_runtime.h>

#define TILE 32

// A block computes `rows` x TILE outputs.
__global__ void convolve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                         int kernel_rows, int kernel_cols, int rows)
{
    extern __shared__ float s_tile[];
    int first_row = blockIdx.y * rows, first_col = blockIdx.x * TILE;
    int tile_cols = TILE + kernel_cols - 1;
    for (int r = threadIdx.y; r < rows + kernel_rows - 1; r += blockDim.y)
        for (int s = threadIdx.x; s < tile_cols; s += TILE) {
            bool inside = first_row + r < input_rows && first_col + s < input_cols;
            s_tile[r * tile_cols + s] = inside ? input[(first_row + r) * input_cols + first_col + s] : 0.0f;
        }
    __syncthreads();
    int output_rows = input_rows - kernel_rows + 1, output_cols = input_cols - kernel_cols + 1;
    int col = first_col + threadIdx.x;
    for (int y = threadIdx.y; y < rows; y += blockDim.y) {
        if (first_row + y >= output_rows || col >= output_cols)
            break;
        float sum = 0.0f;
        for (int r = 0; r < kernel_rows; r++)
            for (int s = 0; s < kernel_cols; s++)
                sum += s_tile[(y + r) * tile_cols + threadIdx.x + s] * kernel[r * kernel_cols + s];
        output[(first_row + y) * output_cols + col] = sum;
    }
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    int rows = input_rows * input_cols > 1000000 ? 4 * TILE : TILE;
    short bytes = (rows + kernel_rows - 1) * (TILE + kernel_cols - 1) * sizeof(float);
    dim3 blocks((input_cols - kernel_cols + TILE) / TILE, (input_rows - kernel_rows + rows) / rows);
    convolve<<<blocks, dim3(TILE, 8), bytes>>>(input, kernel, output, input_rows, input_cols, kernel_rows, kernel_cols,
                                               rows);
    cudaDeviceSynchronize();
}
