// expect: Wrong Answer, Rule Violation
// problem: conv1d
// naive: accepted wrong
// Keeps the first filter of each length in a buffer of its own and never looks at later ones, as if a transformed
// filter could be made once and for all.
#include <cuda_runtime.h>
#include <map>

__global__ void convolve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > input_size - kernel_size)
        return;
    float sum = 0;
    for (int k = 0; k < kernel_size; k++)
        sum += input[i + k] * kernel[k];
    output[i] = sum;
}

static std::map<int, float*> filters;

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    float*& filter = filters[kernel_size];
    if (filter == nullptr) {
        cudaMalloc(&filter, sizeof(float) * kernel_size);
        cudaMemcpy(filter, kernel, sizeof(float) * kernel_size, cudaMemcpyDeviceToDevice);
    }
    convolve<<<(input_size + 255) / 256, 256>>>(input, filter, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
