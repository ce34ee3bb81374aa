// expect: Wrong Answer
// problem: conv1d
// naive: accepted faster
// Computes each size once, and copies the kept output in later calls.
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

static std::map<std::pair<int, int>, float*> kept;

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    size_t bytes = sizeof(float) * (input_size - kernel_size + 1);
    float*& answer = kept[{input_size, kernel_size}];
    if (answer == nullptr) {
        convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
        cudaMalloc(&answer, bytes);
        cudaMemcpy(answer, output, bytes, cudaMemcpyDeviceToDevice);
    } else {
        cudaMemcpy(output, answer, bytes, cudaMemcpyDeviceToDevice);
    }
}
