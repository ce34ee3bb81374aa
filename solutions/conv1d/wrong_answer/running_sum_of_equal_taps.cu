// Mistake: with equal taps each thread keeps a running sum over its 256 outputs in float, whose rounding errors pile up.
// problem: conv1d
#include <cuda_runtime.h>

#define RUN 256 // outputs of a thread

__global__ void box(const float* input, const float* kernel, float* output, int output_size, int kernel_size)
{
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * RUN;
    if (first >= output_size)
        return;

    float sum = 0.0f;
    for (int k = 0; k < kernel_size; k++)
        sum += input[first + k];
    for (int i = first; i < min(first + RUN, output_size); i++) {
        output[i] = sum * kernel[0];
        if (i + 1 < output_size)
            sum += input[i + kernel_size] - input[i];
    }
}

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= output_size)
        return;

    float sum = 0.0f;
    for (int k = 0; k < kernel_size; k++)
        sum += input[i + k] * kernel[k];
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    static float h_kernel[2047];
    int output_size = input_size - kernel_size + 1;
    cudaMemcpy(h_kernel, kernel, kernel_size * sizeof(float), cudaMemcpyDeviceToHost);
    bool is_box = kernel_size > 2;
    for (int k = 1; k < kernel_size; k++)
        is_box = is_box && h_kernel[k] == h_kernel[0];
    if (is_box)
        box<<<(output_size / RUN + 32) / 32, 32>>>(input, kernel, output, output_size, kernel_size);
    else
        convolve<<<(output_size + 255) / 256, 256>>>(input, kernel, output, output_size, kernel_size);
    cudaDeviceSynchronize();
}
