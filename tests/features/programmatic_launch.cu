// expect: Accepted
// problem: conv1d
// Three kernels that follow each other with programmatic stream serialization, so that each may begin before the one before
// has ended. Each lets the next one begin at once, and waits before it uses what the one before stores: one thread does, and
// a barrier makes the others wait for it. Before that the last kernel loads the filter, which no kernel changes.
#include <cuda_runtime.h>

constexpr int kThreads = 256, kMaxTaps = 64;

__global__ void copy(const float* input, float* to, int size)
{
    cudaTriggerProgrammaticLaunchCompletion();
    if (threadIdx.x == 0)
        cudaGridDependencySynchronize();
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size)
        to[i] = input[i];
}

__global__ void convolve(const float* input, const float* filter, float* output, int size, int taps)
{
    __shared__ float s_filter[kMaxTaps];
    for (int k = threadIdx.x; k < taps && k < kMaxTaps; k += blockDim.x)
        s_filter[k] = filter[k];
    __syncthreads();
    cudaGridDependencySynchronize();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= size)
        return;
    float sum = 0;
    for (int k = 0; k < taps; k++)
        sum += input[i + k] * (k < kMaxTaps ? s_filter[k] : filter[k]);
    output[i] = sum;
}

static cudaLaunchConfig_t configuration(int size, cudaLaunchAttribute* attribute)
{
    attribute->id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute->val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = (size + kThreads - 1) / kThreads;
    config.blockDim = kThreads;
    config.attrs = attribute;
    config.numAttrs = 1;
    return config;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    cudaLaunchAttribute attribute;
    float *first, *second;
    cudaMalloc(&first, input_size * sizeof(float));
    cudaMalloc(&second, input_size * sizeof(float));
    cudaLaunchConfig_t config = configuration(input_size, &attribute);
    cudaLaunchKernelEx(&config, copy, input, first, input_size);
    cudaLaunchKernelEx(&config, copy, (const float*)first, second, input_size);
    config = configuration(output_size, &attribute);
    cudaLaunchKernelEx(&config, convolve, (const float*)second, kernel, output, output_size, kernel_size);
    cudaDeviceSynchronize();
    cudaFree(first);
    cudaFree(second);
}
