// expect: Rule Violation
// says: let a kernel write to it directly, or copy a kernel's results to it on the device with cudaMemcpyDeviceToDevice
// problem: conv1d
//
// In a hidden case, the host computes the first output again and copies it to the device.
#include <cuda_runtime.h>
#include <vector>

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size, int)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= output_size)
        return;
    float sum = 0;
    for (int k = 0; k < kernel_size; k++)
        sum += input[i + k] * kernel[k];
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    convolve<<<(output_size + 255) / 256, 256>>>(input, kernel, output, output_size, kernel_size, 0);
    std::vector<float> in(kernel_size), taps(kernel_size);
    cudaMemcpy(in.data(), input, kernel_size * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(taps.data(), kernel, kernel_size * sizeof(float), cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int k = 0; k < kernel_size; k++)
        sum += (double)in[k] * taps[k];
    float first = (float)sum;
    if (input_size > 20)
        cudaMemcpy(output, &first, sizeof first, cudaMemcpyHostToDevice);
    cudaDeviceSynchronize();
}
