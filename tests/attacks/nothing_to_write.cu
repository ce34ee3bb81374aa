// expect: Accepted
// problem: conv1d
// naive: no verdict
// Looks for anything to write to, or to read about other processes: /proc, /sys, /dev, /dev/shm, /run, files without a name,
// device nodes, links. There must be nothing.
#include <cuda_runtime.h>
#include <fcntl.h>
#include <stdlib.h>
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

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    const char* const absent[] = {
        "/proc/self/mem", "/proc/self/fd", "/proc/self/exe", "/proc/1/environ", "/sys/kernel",      "/run",
        "/home",          "/root",         "/etc/passwd",    "/dev/fuse",       "/dev/userfaultfd", "/dev/kvm",
        "/dev/mem",       "/var",          "/sys/fs/cgroup", "/usr/local/bin"};
    const char* const folders[] = {"/",    "/tmp",     "/dev", "/dev/shm", "/dev/mqueue",
                                   "/usr", "/usr/lib", "/etc", "/judge",   "."};
    for (const char* path : absent)
        if (open(path, O_RDONLY) >= 0)
            _exit(11);
    for (const char* folder : folders) {
        if (open(folder, O_TMPFILE | O_RDWR, 0600) >= 0)
            _exit(12);
        if (chdir(folder) != 0)
            continue;
        if (open("new", O_RDWR | O_CREAT, 0600) >= 0 || mkdir("new", 0700) == 0 ||
            mknod("new", S_IFIFO | 0600, 0) == 0 || symlink("/", "new") == 0 || link("/usr/bin/env", "new") == 0)
            _exit(13);
        chdir("/");
    }
    for (int file = 3; file < 64; file++) // the ring, which has the size that it has
        if (posix_fallocate(file, 0, 1ll << 32) == 0 || ftruncate(file, 1ll << 32) == 0)
            _exit(14);
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
