// Mistake: copies the data to the host, computes there and copies the result back: no kernel writes the output.
// problem: conv3d
#include <cuda_runtime.h>
#include <vector>

static std::vector<float> on_host(const float* array, int count)
{
    std::vector<float> copy(count);
    cudaMemcpy(copy.data(), array, count * sizeof(float), cudaMemcpyDeviceToHost);
    return copy;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_depth, int input_rows,
                      int input_cols, int kernel_depth, int kernel_rows, int kernel_cols)
{
    int output_depth = input_depth - kernel_depth + 1;
    int output_rows = input_rows - kernel_rows + 1;
    int output_cols = input_cols - kernel_cols + 1;
    std::vector<float> h_input = on_host(input, input_depth * input_rows * input_cols);
    std::vector<float> h_kernel = on_host(kernel, kernel_depth * kernel_rows * kernel_cols);
    std::vector<float> h_output(output_depth * output_rows * output_cols);
    for (int plane = 0; plane < output_depth; plane++)
        for (int row = 0; row < output_rows; row++)
            for (int col = 0; col < output_cols; col++)
                for (int d = 0; d < kernel_depth; d++)
                    for (int r = 0; r < kernel_rows; r++)
                        for (int s = 0; s < kernel_cols; s++)
                            h_output[(plane * output_rows + row) * output_cols + col] +=
                                h_input[((plane + d) * input_rows + row + r) * input_cols + col + s] *
                                h_kernel[(d * kernel_rows + r) * kernel_cols + s];
    cudaMemcpy(output, h_output.data(), h_output.size() * sizeof(float), cudaMemcpyHostToDevice);
}
