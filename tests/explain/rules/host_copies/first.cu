// expect: Accepted
// problem: conv1d
// advice: host_copies
// case: 3
// The input is copied to the host and back, though it is in device memory already.
#include <cuda_runtime.h>
#include <vector>

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
    int output_size = input_size - kernel_size + 1;
    std::vector<float> h_input(input_size);
    float* d_input;
    cudaMalloc(&d_input, input_size * sizeof(float));
    cudaMemcpy(h_input.data(), input, input_size * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(d_input, h_input.data(), input_size * sizeof(float), cudaMemcpyHostToDevice);
    convolve<<<(output_size + 255) / 256, 256>>>(d_input, kernel, output, output_size, kernel_size);
    cudaDeviceSynchronize();
    cudaFree(d_input);
}
