// expect: Integrity Violation
// problem: conv1d
// naive: does not apply: a GPU runs the machine code, and only a simulated one the PTX
// Registers the compiler's own container with other PTX beside the same machine code: the simulated GPU would execute a
// kernel that no device compiler has seen.
#include <cuda_runtime.h>
#include <stdlib.h>
#include <string.h>

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
    ".popsection\n"
    ".pushsection .data\n"
    ".balign 8\n"
    "honest_module: .quad .nv_fatbin\n"
    ".popsection");
extern "C" const unsigned char* const honest_module; // the compiler's own container
extern "C" void** __cudaRegisterFatBinary(void* wrapper);
struct Wrapper {
    int magic, version;
    const void* image;
    void* unused;
};

static void register_changed()
{
    size_t payload;
    memcpy(&payload, honest_module + 8, sizeof payload);
    size_t bytes = 16 + payload;
    unsigned char* image = (unsigned char*)malloc(bytes);
    memcpy(image, honest_module, bytes);
    unsigned char* text = (unsigned char*)memmem(image, bytes, "fma.rn.f32", 10);
    memcpy(text, "add.rn.f32", 10);
    static Wrapper wrapper = {0x466243B1, 1, image, nullptr};
    __cudaRegisterFatBinary(&wrapper);
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    register_changed();
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
