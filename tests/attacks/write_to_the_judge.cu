// expect: Accepted
// problem: conv1d
// naive: succeeds
// Writes wherever the judge may later read. Computes the right answer; if the attack works, it does not write the
// output, which is a Wrong Answer.
#include <cuda_runtime.h>
#include <fcntl.h>
#include <stdio.h>
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

static bool anything_written()
{
    static const char* const paths[] = {
        "/judge/submission.so", "/judge/convjudge-runner", "/judge/libcudart.so.13", "/judge/new", "/usr/bin/new",
        "/usr/lib/new", "/new", "/dev/new", "/dev/shm/new", "/proc/sys/kernel/core_pattern", "/proc/self/exe",
        "/etc/new", "naive", "lib/libsubmission.so", "case/expected.bin"};
    for (const char* path : paths)
        if (open(path, O_WRONLY | O_CREAT, 0777) >= 0 || chmod(path, 0777) == 0 || unlink(path) == 0)
            return true;
    return symlink("/etc/passwd", "/judge/link") == 0 || rename("/judge", "/tmp/judge") == 0;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    if (anything_written())
        return;
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
