// expect: Integrity Violation, Run-Time Error, Time Limit Exceeded, Wrong Answer
// problem: conv1d
// naive: does not apply: a judge in the same process has no ring
// Fills the memory that it shares with the judge with ones: every length the longest, every position the last.
#include <cuda_runtime.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

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

static void* shared_with_the_judge(size_t* bytes)
{
    for (int file = 3; file < 1024; file++) {
        struct stat info;
        if (fstat(file, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size < (1 << 20))
            continue;
        void* memory = mmap(nullptr, info.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        *bytes = info.st_size;
        if (memory != MAP_FAILED)
            return memory;
    }
    return nullptr;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    size_t bytes = 0;
    void* memory = shared_with_the_judge(&bytes);
    if (memory != nullptr)
        memset(memory, 0xFF, bytes);
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
