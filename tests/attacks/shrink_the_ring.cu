// expect: Accepted
// problem: conv1d
// naive: does not apply: a judge in the same process has no ring
// Truncates the memory that it shares with the judge, so that the judge would crash when it reads it. Computes the
// right answer; if the attack works, it does not write the output, which is a Wrong Answer.
#include <cuda_runtime.h>
#include <sys/stat.h>
#include <unistd.h>

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

static bool cut()
{
    for (int file = 3; file < 1024; file++) {
        struct stat info;
        if (fstat(file, &info) == 0 && S_ISREG(info.st_mode) && ftruncate(file, 0) == 0)
            return true;
    }
    return false;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    if (cut())
        return;
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
