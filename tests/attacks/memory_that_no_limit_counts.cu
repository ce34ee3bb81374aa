// expect: Accepted
// problem: conv1d
// naive: no verdict
// Tries ways to memory that a limit on private writable memory does not count: an area that grows downwards, a secret file
// in memory, read-only pages written through /proc/self/mem, a stack without a limit, pages that are made read-only once
// they are written. Each must be refused.
#include <cuda_runtime.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { PIECE = 64 << 20 };

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
    const struct rlimit unlimited = {RLIM_INFINITY, RLIM_INFINITY};
    const size_t bytes = 4ull << 30;
    if (mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN, -1, 0) != MAP_FAILED)
        _exit(11);
    if (syscall(447 /* memfd_secret */, 0) >= 0)
        _exit(12);
    if (open("/proc/self/mem", O_RDWR) >= 0)
        _exit(13);
    if (setrlimit(RLIMIT_STACK, &unlimited) == 0)
        _exit(14);
    char* pieces[64]; // 4 GiB, of which each is read-only before the next one is asked for
    int count = 0;
    while (count < 64) {
        char* piece = (char*)mmap(nullptr, PIECE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (piece == MAP_FAILED)
            break;
        piece[0] = 1;
        mprotect(piece, PIECE, PROT_READ);
        pieces[count++] = piece;
    }
    if (count == 64)
        _exit(15);
    while (count > 0)
        munmap(pieces[--count], PIECE);
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
