// expect: Accepted
// problem: conv1d
// naive: no verdict
// Keeps memory in pipes: gives a page of each huge page to a pipe and unmaps the rest, which the kernel then keeps whole, 16
// GiB in all, while the process seems to have none. Must be refused.
#include <cuda_runtime.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/uio.h>
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

// Bytes that the pipe keeps.
static size_t fill(int pipe_end)
{
    const size_t huge = 2 << 20;
    size_t kept = 0;
    for (int i = 0; i < 256; i++, kept += huge) {
        char* area = (char*)mmap(nullptr, 2 * huge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (area == MAP_FAILED)
            break;
        char* page = (char*)(((size_t)area + huge - 1) / huge * huge);
        madvise(page, huge, MADV_HUGEPAGE);
        page[0] = 1;
        const struct iovec piece = {page, 4096};
        ssize_t given = vmsplice(pipe_end, &piece, 1, SPLICE_F_NONBLOCK);
        munmap(area, 2 * huge);
        if (given != 4096)
            break;
    }
    return kept;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    for (int pipes = 0; pipes < 32; pipes++) {
        int ends[2];
        if (pipe(ends) != 0)
            break;
        if (fcntl(ends[1], F_SETPIPE_SZ, 1 << 20) >= 0)
            _exit(1);
        if (fill(ends[1]) > 0)
            _exit(2);
        close(ends[0]);
        close(ends[1]);
    }
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
