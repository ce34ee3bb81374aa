// Mistake: copies the data to the host, computes there and copies the result back: no kernel writes the output.
// says: a part of the output, or all of it, was copied from the host or from an input: let a kernel write to it directly
// problem: conv1d-same
#include <cuda_runtime.h>
#include <vector>

extern "C" void solve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    std::vector<float> h_input(width), h_filter(filter_width), h_output(width);
    cudaMemcpy(h_input.data(), input, width * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(h_filter.data(), filter, filter_width * sizeof(float), cudaMemcpyDeviceToHost);
    for (int i = 0; i < width; i++)
        for (int k = 0; k < filter_width; k++) {
            int j = i + k - filter_width / 2;
            if (j >= 0 && j < width)
                h_output[i] += h_input[j] * h_filter[k];
        }
    cudaMemcpy(output, h_output.data(), width * sizeof(float), cudaMemcpyHostToDevice);
}
