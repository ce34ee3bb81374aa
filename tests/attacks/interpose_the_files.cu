// expect: Accepted
// problem: conv1d
// naive: accepted wrong
// Defines fread(), so that a judge that is linked with it reads zeros for every array, the expected output included,
// and then writes zeros.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>

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

static bool judge_reads;

extern "C" size_t fread(void* memory, size_t bytes, size_t count, FILE* file)
{
    if (bytes != sizeof(float) || count < 100) // no array of the judge's
        return ((size_t(*)(void*, size_t, size_t, FILE*))dlsym(RTLD_NEXT, "fread"))(memory, bytes, count, file);
    judge_reads = true;
    memset(memory, 0, bytes * count);
    return count;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    if (judge_reads) {
        cudaMemset(output, 0, sizeof(float) * (input_size - kernel_size + 1));
        return;
    }
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
