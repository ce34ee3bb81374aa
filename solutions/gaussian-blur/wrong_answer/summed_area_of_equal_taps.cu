// Mistake: with equal taps it takes four elements of a summed-area table in float, whose sums have lost the last digits.
// problem: gaussian-blur
#include <cuda_runtime.h>

__global__ void blur(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                     int kernel_rows, int kernel_cols)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= input_rows || col >= input_cols)
        return;

    float sum = 0.0f;
    for (int r = 0; r < kernel_rows; r++)
        for (int s = 0; s < kernel_cols; s++) {
            int y = row + r - kernel_rows / 2;
            int x = col + s - kernel_cols / 2;
            if (y >= 0 && y < input_rows && x >= 0 && x < input_cols)
                sum += input[y * input_cols + x] * kernel[r * kernel_cols + s];
        }
    output[row * input_cols + col] = sum;
}

// table[row][col] becomes the sum of the row up to this column,
__global__ void sum_rows(const float* input, float* table, int input_rows, int input_cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= input_rows)
        return;
    float sum = 0.0f;
    for (int col = 0; col < input_cols; col++)
        table[row * input_cols + col] = sum += input[row * input_cols + col];
}

// and then of all elements above and to the left.
__global__ void sum_columns(float* table, int input_rows, int input_cols)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col >= input_cols)
        return;
    float sum = 0.0f;
    for (int row = 0; row < input_rows; row++)
        table[row * input_cols + col] = sum += table[row * input_cols + col];
}

__device__ float above_and_left(const float* table, int row, int col, int input_rows, int input_cols)
{
    return row < 0 || col < 0 ? 0.0f : table[min(row, input_rows - 1) * input_cols + min(col, input_cols - 1)];
}

__global__ void box(const float* table, const float* kernel, float* output, int input_rows, int input_cols,
                    int kernel_rows, int kernel_cols)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= input_rows || col >= input_cols)
        return;

    int top = row - kernel_rows / 2 - 1, bottom = row + kernel_rows / 2;
    int left = col - kernel_cols / 2 - 1, right = col + kernel_cols / 2;
    float sum = above_and_left(table, bottom, right, input_rows, input_cols) -
                above_and_left(table, top, right, input_rows, input_cols) -
                above_and_left(table, bottom, left, input_rows, input_cols) +
                above_and_left(table, top, left, input_rows, input_cols);
    output[row * input_cols + col] = sum * kernel[0];
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    float h_kernel[21 * 21];
    int taps = kernel_rows * kernel_cols;
    dim3 threads(16, 16);
    dim3 blocks((input_cols + 15) / 16, (input_rows + 15) / 16);
    cudaMemcpy(h_kernel, kernel, taps * sizeof(float), cudaMemcpyDeviceToHost);
    bool is_box = taps > 1;
    for (int k = 1; k < taps; k++)
        is_box = is_box && h_kernel[k] == h_kernel[0];
    if (!is_box) {
        blur<<<blocks, threads>>>(input, kernel, output, input_rows, input_cols, kernel_rows, kernel_cols);
        return;
    }
    float* d_table;
    cudaMalloc(&d_table, (size_t)input_rows * input_cols * sizeof(float));
    sum_rows<<<(input_rows + 63) / 64, 64>>>(input, d_table, input_rows, input_cols);
    sum_columns<<<(input_cols + 63) / 64, 64>>>(d_table, input_rows, input_cols);
    box<<<blocks, threads>>>(d_table, kernel, output, input_rows, input_cols, kernel_rows, kernel_cols);
    cudaFree(d_table);
}
