// expect: Accepted
// problem: conv1d
// naive: no verdict
// Asks for kernel objects that cost memory which no limit of a process counts: a hundred thousand timers, locks on files,
// watches, queued signals, descriptors under way in sockets. Each must be refused, or end soon.
#include <cuda_runtime.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
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

enum { MANY = 2000 };

static int timers()
{
    struct sigevent event = {};
    timer_t timer;
    int count = 0;
    event.sigev_notify = SIGEV_NONE;
    while (count < MANY && timer_create(CLOCK_MONOTONIC, &event, &timer) == 0)
        count++;
    return count;
}

static int locks()
{
    int file = open("/usr/bin/env", O_RDONLY), count = 0;
    struct flock lock = {};
    lock.l_type = F_RDLCK;
    lock.l_len = 1;
    for (; count < MANY && fcntl(file, F_SETLK, &lock) == 0; count++)
        lock.l_start += 2;
    count += flock(file, LOCK_SH) == 0;
    close(file);
    return count;
}

static int queued_signals()
{
    sigset_t all;
    int count = 0;
    union sigval value = {};
    sigemptyset(&all);
    sigaddset(&all, SIGRTMIN);
    sigprocmask(SIG_BLOCK, &all, nullptr);
    while (count < MANY && sigqueue(getpid(), SIGRTMIN, value) == 0)
        count++;
    return count;
}

static int sockets()
{
    int ends[2], count = 0;
    while (count < MANY && socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0)
        count++;
    return count;
}

static int landlock_rules()
{
    const unsigned long long handled = 1;
    return syscall(444 /* landlock_create_ruleset */, &handled, sizeof handled, 0) >= 0;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    if (timers() > 0)
        _exit(11);
    if (locks() > 0)
        _exit(12);
    if (queued_signals() > 0)
        _exit(13);
    if (sockets() > 0)
        _exit(14);
    if (inotify_init1(0) >= 0)
        _exit(15);
    if (landlock_rules() > 0)
        _exit(16);
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
