// expect: Accepted
// problem: conv1d
// Managed memory: the host fills a plan that the kernel reads, and the kernel counts for the host how much it did.
#include <cstdlib>
#include <cuda_runtime.h>

struct Plan {
    int output_size, kernel_size;
    unsigned long long done;
};

__global__ void conv(const float* input, const float* kernel, float* output, Plan* plan)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= plan->output_size)
        return;
    float sum = 0.0f;
    for (int k = 0; k < plan->kernel_size; k++)
        sum += input[i + k] * kernel[k];
    output[i] = sum;
    if (i % 1000 == 0)
        atomicAdd(&plan->done, 1ULL);
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    Plan* plan;
    cudaMallocManaged(&plan, sizeof(Plan));
    plan->output_size = input_size - kernel_size + 1;
    plan->kernel_size = kernel_size;
    plan->done = 0;
    conv<<<(plan->output_size + 255) / 256, 256>>>(input, kernel, output, plan);
    cudaDeviceSynchronize();
    if (plan->done != (unsigned long long)(plan->output_size + 999) / 1000)
        abort();
    cudaFree(plan);
}
