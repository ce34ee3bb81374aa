// expect: Accepted
// problem: conv1d
// naive: succeeds
// Reads and writes the memory of the process that started it, with the system calls for that. Computes the right answer;
// if it succeeds, it does not write the output, which is a Wrong Answer.
#include <cuda_runtime.h>
#include <sys/uio.h>
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

static bool reaches(pid_t process)
{
    static char own[16];
    unsigned long end[1];
    iovec here = {own, sizeof own}, there = {(void*)own, sizeof own};
    (void)end;
    return process_vm_readv(process, &here, 1, &there, 1, 0) >= 0 || process_vm_writev(process, &here, 1, &there, 1, 0) >= 0 ||
           syscall(SYS_pidfd_getfd, syscall(SYS_pidfd_open, process, 0), 1, 0) >= 0;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    static bool reached = reaches(getppid()) || reaches(1) || reaches(getpid());
    if (reached)
        return;
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
