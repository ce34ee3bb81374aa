// expect: Accepted
// problem: conv1d
// naive: does not apply: it never empties the L2, so that there is nothing to survive
// Asks for a part of the L2 that keeps its lines, and has the input and the filter lie there, so that they would survive
// until the next call.
#include <cuda_runtime.h>

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

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    cudaStreamAttrValue window = {};
    cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 32 << 20);
    window.accessPolicyWindow.base_ptr = (void*)input;
    window.accessPolicyWindow.num_bytes = sizeof(float) * input_size;
    window.accessPolicyWindow.hitRatio = 1;
    window.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    window.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
    cudaStreamSetAttribute(0, cudaStreamAttributeAccessPolicyWindow, &window);
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
