// Mistake: copies the data to the host, computes there and copies the result back: no kernel writes the output.
// problem: depthwise-conv1d
#include <cuda_runtime.h>
#include <vector>

extern "C" void solve(const float* x, const float* weight, const float* bias, float* output, int B, int L, int D, int K)
{
    int count = B * L * D;
    std::vector<float> h_x(count), h_weight(D * K), h_bias(D), h_output(count);
    cudaMemcpy(h_x.data(), x, count * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(h_weight.data(), weight, D * K * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(h_bias.data(), bias, D * sizeof(float), cudaMemcpyDeviceToHost);
    for (int i = 0; i < count; i++) {
        int d = i % D;
        int l = i / D % L;
        h_output[i] = h_bias[d];
        for (int k = 0; k < K && k <= l; k++)
            h_output[i] += h_x[i - k * D] * h_weight[d * K + k];
    }
    cudaMemcpy(output, h_output.data(), count * sizeof(float), cudaMemcpyHostToDevice);
}
