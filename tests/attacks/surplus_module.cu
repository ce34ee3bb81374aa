// expect: Compile Error
// problem: conv1d
// naive: does not apply: only a judge that reads GPU code out of the object takes it for the compiler's
// Host assembly adds a second container to .nv_fatbin: well-formed, with PTX that the device compiler never saw. A judge
// that reads its modules out of the finished object takes it for the compiler's and lets it be registered.
#include <cuda_runtime.h>

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

asm(".pushsection .nv_fatbin, \"a\"\n"
    ".align 8\n"
    "surplus: .long 0xba55ed50\n"
    ".short 1, 16\n"
    ".quad surplus_end - surplus_entry\n"
    "surplus_entry: .short 1, 0x0101\n" /* kind: PTX */
    ".long 64\n"
    ".quad surplus_end - surplus_text\n"
    ".long 0, 0\n"
    ".short 0, 0\n"
    ".long 90, 64, 0\n"
    ".quad 0, 0, 0\n"
    "surplus_text: .asciz \".version 8.0\\n.target sm_90\\n.address_size 64\\n.visible .entry convolve() { ret; }\"\n"
    ".balign 8\n"
    "surplus_end: .popsection");

extern "C" const char surplus[];
extern "C" void** __cudaRegisterFatBinary(void* wrapper);
static struct {
    int magic, version;
    const void* image;
    void* unused;
} wrapper = {0x466243B1, 1, surplus, nullptr};

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    __cudaRegisterFatBinary(&wrapper);
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
