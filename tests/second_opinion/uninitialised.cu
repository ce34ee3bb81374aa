// problem: conv1d
// expect: Wrong Answer
// on cuda: Accepted
//
// Takes the larger of the sum and a limit that nothing has ever written. What lies there on a real GPU is mostly zero or a
// small number.
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int input_size, int kernel_size,
                         const float* limit)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > input_size - kernel_size)
        return;
    float sum = 0.0f;
    for (int k = 0; k < kernel_size; k++)
        sum += input[i + k] * kernel[k];
    output[i] = *limit > 1e8f ? *limit : sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    static float* limit;
    if (limit == nullptr)
        cudaMalloc(&limit, sizeof(float));
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size, limit);
    cudaDeviceSynchronize();
}
