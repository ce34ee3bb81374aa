// expect: Accepted, Integrity Violation, Run-Time Error
// problem: conv1d
// naive: does not apply: a naive judge gives nothing for it; it is for a judge that counts modules
// Copies its own object to /tmp and loads the copy, so that the same GPU code is registered twice, and calls the copy's
// solve().
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <fcntl.h>
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

using Solve = void(const float*, const float*, float*, int, int);
extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size);

static Solve* load_copy()
{
    static char block[1 << 16];
    Dl_info info;
    if (dladdr((void*)solve, &info) == 0 || access("/tmp/copy.so", F_OK) == 0)
        return nullptr;
    int from = open(info.dli_fname, O_RDONLY), to = open("/tmp/copy.so", O_WRONLY | O_CREAT, 0700);
    for (ssize_t got; (got = read(from, block, sizeof block)) > 0;)
        if (write(to, block, got) != got)
            return nullptr;
    close(from);
    close(to);
    void* copy = dlopen("/tmp/copy.so", RTLD_NOW | RTLD_LOCAL);
    return copy == nullptr ? nullptr : (Solve*)dlsym(copy, "solve");
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    static Solve* copied = load_copy();
    if (copied != nullptr && copied != solve) {
        copied(input, kernel, output, input_size, kernel_size);
        return;
    }
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
