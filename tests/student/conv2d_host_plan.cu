// expect: Accepted
// problem: conv2d
// Copies the filter to the host, lists its nonzero taps there, and copies their offsets and weights to the device.
#include <cuda_runtime.h>
#include <memory>
#include <utility>
#include <vector>

struct Tap {
    int offset;
    float weight;
};

__global__ void conv_taps(const float* input, const Tap* taps, int tap_count, float* output, int input_cols,
                          int output_rows, int output_cols)
{
    int index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index >= output_rows * output_cols)
        return;
    int row = index / output_cols, col = index % output_cols;
    const float* corner = input + row * input_cols + col;
    float sum = 0.0f;
    for (int t = 0; t < tap_count; t++)
        sum += corner[taps[t].offset] * taps[t].weight;
    output[index] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    std::vector<float> weights(kernel_rows * kernel_cols);
    cudaMemcpy(weights.data(), kernel, weights.size() * sizeof(float), cudaMemcpyDeviceToHost);

    std::vector<Tap> taps;
    for (int r = 0; r < kernel_rows; r++)
        for (int s = 0; s < kernel_cols; s++)
            if (float w = weights[r * kernel_cols + s])
                taps.push_back({r * input_cols + s, w});

    Tap* raw = nullptr;
    cudaMalloc(&raw, (taps.size() + 1) * sizeof(Tap));
    std::unique_ptr<Tap, void (*)(Tap*)> d_taps(raw, [](Tap* p) { cudaFree(p); });
    cudaMemcpyAsync(d_taps.get(), taps.data(), taps.size() * sizeof(Tap), cudaMemcpyHostToDevice);

    int output_rows = input_rows - kernel_rows + 1, output_cols = input_cols - kernel_cols + 1;
    int count = output_rows * output_cols;
    conv_taps<<<(count + 255) / 256, 256>>>(input, d_taps.get(), (int)taps.size(), output, input_cols, output_rows,
                                            output_cols);
    cudaDeviceSynchronize();
}
