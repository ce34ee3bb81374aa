// Mistake: two groups of cp.async may still be under way, of which one is used.
// says: into which its own cp.async copies: it has not waited for that copy
// problem: conv1d
// on cuda: Accepted, Wrong Answer
#include <cuda_runtime.h>

enum { CHUNK = 64 };

__device__ void fetch(float* to, const float* from)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from));
}

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size)
{
    __shared__ float taps[3][CHUNK];
    int i = blockIdx.x * blockDim.x + threadIdx.x, chunks = (kernel_size + CHUNK - 1) / CHUNK, t = threadIdx.x;
    float sum = 0;
    for (int c = 0; c < 2; c++) {
        if (t < CHUNK && c * CHUNK + t < kernel_size)
            fetch(&taps[c][t], &kernel[c * CHUNK + t]);
        asm volatile("cp.async.commit_group;");
    }
    for (int c = 0; c < chunks; c++) {
        asm volatile("cp.async.wait_group 2;" ::: "memory");
        __syncthreads();
        for (int k = c * CHUNK; k < kernel_size && k < (c + 1) * CHUNK && i < output_size; k++)
            sum += input[i + k] * taps[c % 3][k - c * CHUNK];
        int next = c + 2;
        if (t < CHUNK && next * CHUNK + t < kernel_size)
            fetch(&taps[next % 3][t], &kernel[next * CHUNK + t]);
        asm volatile("cp.async.commit_group;");
    }
    if (i < output_size)
        output[i] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    convolve<<<(output_size + 255) / 256, 256>>>(input, kernel, output, output_size, kernel_size);
    cudaDeviceSynchronize();
}
