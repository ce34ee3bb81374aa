// expect: Accepted
// problem: conv1d
// naive: no verdict
// Tries every way to another process: fork, vfork, clone, clone3, a program, traced threads, new namespaces. Each must be
// refused.
#include <cuda_runtime.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
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

static int child(void*)
{
    return 0;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    static char stack[65536];
    const long namespaces[] = {CLONE_NEWUSER, CLONE_NEWNS,  CLONE_NEWPID, CLONE_NEWNET,
                               CLONE_NEWIPC,  CLONE_NEWUTS, 0x80};
    char* const arguments[] = {(char*)"true", nullptr};
    unsigned long long clone3_arguments[11] = {};
    pid_t process;
    if (fork() >= 0)
        _exit(11);
    if (syscall(SYS_vfork) >= 0)
        _exit(12);
    if (clone(child, stack + sizeof stack, SIGCHLD, nullptr) >= 0)
        _exit(13);
    if (clone(child, stack + sizeof stack, CLONE_VM | CLONE_PARENT | SIGCHLD, nullptr) >= 0)
        _exit(14);
    if (syscall(435 /* clone3 */, clone3_arguments, sizeof clone3_arguments) >= 0)
        _exit(15);
    if (posix_spawn(&process, "/usr/bin/true", nullptr, nullptr, arguments, nullptr) == 0)
        _exit(16);
    if (popen("true", "r") != nullptr)
        _exit(17);
    for (long kind : namespaces)
        if (unshare((int)kind) == 0)
            _exit(18);
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0 || ptrace(PTRACE_ATTACH, 1, nullptr, nullptr) == 0)
        _exit(19);
    if (syscall(434 /* pidfd_open */, 1, 0) >= 0)
        _exit(20);
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
