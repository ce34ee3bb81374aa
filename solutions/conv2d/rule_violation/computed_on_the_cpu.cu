// Mistake: copies the data to the host, computes there and copies the result back: no kernel writes the output.
// problem: conv2d
#include <cuda_runtime.h>
#include <vector>

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    int output_rows = input_rows - kernel_rows + 1;
    int output_cols = input_cols - kernel_cols + 1;
    std::vector<float> h_input(input_rows * input_cols), h_kernel(kernel_rows * kernel_cols);
    std::vector<float> h_output(output_rows * output_cols);
    cudaMemcpy(h_input.data(), input, h_input.size() * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(h_kernel.data(), kernel, h_kernel.size() * sizeof(float), cudaMemcpyDeviceToHost);
    for (int row = 0; row < output_rows; row++)
        for (int col = 0; col < output_cols; col++)
            for (int r = 0; r < kernel_rows; r++)
                for (int s = 0; s < kernel_cols; s++)
                    h_output[row * output_cols + col] +=
                        h_input[(row + r) * input_cols + col + s] * h_kernel[r * kernel_cols + s];
    cudaMemcpy(output, h_output.data(), h_output.size() * sizeof(float), cudaMemcpyHostToDevice);
}
