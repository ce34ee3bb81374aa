// expect: Accepted
// problem: conv1d
// naive: succeeds
// Looks for the judge's files, secrets and environment. Computes the right answer; if the attack works, it does not
// write the output, which is a Wrong Answer.
#include <cuda_runtime.h>
#include <fcntl.h>
#include <stdlib.h>
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

static bool readable(const char* path)
{
    char byte;
    int file = open(path, O_RDONLY);
    bool found = file >= 0 && read(file, &byte, 1) == 1;
    close(file);
    return found;
}

static bool anything_found()
{
    static const char* const paths[] = {
        "/etc/passwd", "/etc/shadow", "/proc/1/environ", "/proc/1/root/etc/passwd", "/proc/1/cwd/problem.json",
        "/root/.bashrc", "/proc/2/root/etc/passwd", "/judge/../testcases/conv1d/hidden.json", "/sys/kernel/notes",
        "/proc/kcore", "/dev/mem", "/dev/nvidia0", "/run/utmp", "/var/log/dpkg.log", "/proc/self/cwd/Makefile"};
    for (const char* path : paths)
        if (readable(path))
            return true;
    return getenv("HOME") != nullptr || getenv("CONVJUDGE_DB") != nullptr;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    if (anything_found())
        return;
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
