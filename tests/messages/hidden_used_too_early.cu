// expect: Wrong Answer
// says: a kernel that is launched with programmatic stream serialization uses memory that the kernel before it changes or reads: let it call cudaGridDependencySynchronize() first
// problem: conv1d
//
// In a hidden case, a kernel that may begin before the one before it has ended does not wait for that.
#include <cuda_runtime.h>

__global__ void scale(const float* kernel, float* scaled, int kernel_size)
{
    for (int k = threadIdx.x; k < kernel_size; k += blockDim.x)
        scaled[k] = 2 * kernel[k];
}

__global__ void convolve(const float* input, const float* scaled, float* output, int output_size, int kernel_size, int input_size)
{
    if (input_size <= 20)
        cudaGridDependencySynchronize();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= output_size)
        return;
    float sum = 0;
    for (int k = 0; k < kernel_size; k++)
        sum += input[i + k] * scaled[k];
    output[i] = sum / 2;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    float* scaled;
    cudaMalloc(&scaled, kernel_size * sizeof(float));
    scale<<<1, 256>>>(kernel, scaled, kernel_size);
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = (output_size + 255) / 256;
    config.blockDim = 256;
    config.attrs = &attribute;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, convolve, input, (const float*)scaled, output, output_size, kernel_size, input_size);
    cudaDeviceSynchronize();
    cudaFree(scaled);
}
