// Mistake: copies the data to the host, computes there and copies the result back: no kernel writes the output.
// problem: conv2d-separable
#include <cuda_runtime.h>
#include <vector>

static std::vector<float> on_host(const float* array, int count)
{
    std::vector<float> copy(count);
    cudaMemcpy(copy.data(), array, count * sizeof(float), cudaMemcpyDeviceToHost);
    return copy;
}

extern "C" void solve(const float* input, const float* row_filter, const float* column_filter, float* output,
                      int width, int height, int radius)
{
    std::vector<float> h_input = on_host(input, width * height), h_output(width * height);
    std::vector<float> h_row = on_host(row_filter, 2 * radius + 1), h_column = on_host(column_filter, 2 * radius + 1);
    for (int row = 0; row < height; row++)
        for (int col = 0; col < width; col++)
            for (int r = -radius; r <= radius; r++)
                for (int s = -radius; s <= radius; s++)
                    if (row + r >= 0 && row + r < height && col + s >= 0 && col + s < width)
                        h_output[row * width + col] +=
                            h_input[(row + r) * width + col + s] * h_column[radius + r] * h_row[radius + s];
    cudaMemcpy(output, h_output.data(), h_output.size() * sizeof(float), cudaMemcpyHostToDevice);
}
