// expect: Run-Time Error
// problem: conv1d
// naive: verdict forged
// Has a function whose address is found by code of its own when the object is loaded, before any constructor. That code
// prints a verdict and ends the process.
#include <cuda_runtime.h>
#include <unistd.h>
#include <sys/syscall.h>

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

static void leave()
{
    static const char forged[] = "Accepted: 0.001 us\n";
    long result;
    asm volatile("syscall" : "=a"(result) : "a"(SYS_write), "D"(1), "S"(forged), "d"(sizeof forged - 1) : "rcx", "r11", "memory");
    asm volatile("syscall" : "=a"(result) : "a"(SYS_exit_group), "D"(0) : "rcx", "r11", "memory");
}
static void nothing() {}
extern "C" {
void (*resolve())()
{
    leave();
    return nothing;
}
}
asm(".globl resolved\n.type resolved, @gnu_indirect_function\n.set resolved, resolve");
extern "C" void resolved();
void (*volatile pointer)() = resolved;

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    pointer();
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
