// expect: Accepted
// problem: conv1d
// naive: no verdict
// Raises its own limits and its priority, locks its memory, asks for core files, and changes how the kernel treats it. Each
// must be refused.
#include <cuda_runtime.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/resource.h>
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

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    const int limits[] = {RLIMIT_AS,    RLIMIT_DATA,    RLIMIT_STACK,      RLIMIT_CORE, RLIMIT_NOFILE,
                          RLIMIT_FSIZE, RLIMIT_MEMLOCK, RLIMIT_SIGPENDING, RLIMIT_NICE, RLIMIT_RTPRIO};
    struct sched_param priority = {};
    for (int which : limits) {
        struct rlimit limit;
        getrlimit((__rlimit_resource)which, &limit);
        limit.rlim_cur = limit.rlim_max = RLIM_INFINITY;
        if (setrlimit((__rlimit_resource)which, &limit) == 0 ||
            prlimit(0, (__rlimit_resource)which, &limit, nullptr) == 0)
            _exit(11);
    }
    const struct rlimit more_processes = {1000, 1000};
    if (prlimit(0, RLIMIT_NPROC, &more_processes, nullptr) == 0)
        _exit(12);
    if (setpriority(PRIO_PROCESS, 0, -20) == 0 || setpriority(PRIO_PROCESS, 0, 19) == 0)
        _exit(13);
    priority.sched_priority = 1;
    if (sched_setscheduler(0, SCHED_FIFO, &priority) == 0)
        _exit(14);
    if (mlockall(MCL_CURRENT | MCL_FUTURE) == 0)
        _exit(15);
    if (personality(ADDR_NO_RANDOMIZE) >= 0)
        _exit(16);
    if (syscall(SYS_ioprio_set, 1, 0, 0x2000) == 0)
        _exit(17);
    if (syscall(SYS_syslog, 10, nullptr, 0) >= 0)
        _exit(18);
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
