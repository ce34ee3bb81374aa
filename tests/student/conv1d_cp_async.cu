// expect: Accepted
// problem: conv1d
// Copies tile and filter to shared memory with cp.async: by float4, and by single floats at the end of the input.
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

constexpr int kThreads = 256;
constexpr int kMaxTaps = 2047;

__global__ void conv_async(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    __shared__ alignas(16) float tile[kThreads + kMaxTaps + 1];
    __shared__ float taps[kMaxTaps];

    int first = blockIdx.x * kThreads;
    int count = min(kThreads + kernel_size - 1, input_size - first);
    int whole = count / 4 * 4;
    for (int j = threadIdx.x * 4; j < whole; j += kThreads * 4)
        __pipeline_memcpy_async(&tile[j], &input[first + j], 16);
    for (int j = whole + threadIdx.x; j < count; j += kThreads)
        __pipeline_memcpy_async(&tile[j], &input[first + j], 4);
    for (int k = threadIdx.x; k < kernel_size; k += kThreads)
        __pipeline_memcpy_async(&taps[k], &kernel[k], sizeof(float));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();

    int i = first + threadIdx.x;
    if (i <= input_size - kernel_size) {
        float acc = 0.0f;
        for (int k = 0; k < kernel_size; k++)
            acc += tile[threadIdx.x + k] * taps[k];
        output[i] = acc;
    }
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    conv_async<<<(output_size + kThreads - 1) / kThreads, kThreads>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
