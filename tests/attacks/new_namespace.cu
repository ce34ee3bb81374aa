// expect: Accepted
// problem: conv1d
// naive: succeeds
// Creates namespaces, traces processes and loads programs into the Linux kernel. Computes the right answer; if the
// attack works, it does not write the output, which is a Wrong Answer.
#include <cuda_runtime.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
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

static bool any_power()
{
    return unshare(CLONE_NEWUSER) == 0 || unshare(CLONE_NEWNS) == 0 || ptrace(PTRACE_ATTACH, 1, nullptr, nullptr) == 0 ||
           mount("none", "/tmp", "tmpfs", 0, nullptr) == 0 || setuid(0) == 0 || syscall(SYS_bpf, 0, nullptr, 0) >= 0 ||
           syscall(SYS_keyctl, 0, -3, 1) >= 0 || syscall(SYS_io_uring_setup, 1, nullptr) >= 0;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    if (any_power())
        return;
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
