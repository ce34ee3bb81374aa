// expect: Integrity Violation, Run-Time Error
// says: the submission registered GPU code that nvcc did not compile from its source
// problem: conv1d
// naive: does not apply: NVIDIA's runtime passes over a container without code; it is for judges that read containers
// Registers GPU code that nvcc did not make: first a fatbin without any code.
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

extern "C" void** __cudaRegisterFatBinary(void* wrapper);
extern "C" void __cudaRegisterFatBinaryEnd(void** handle);
struct Wrapper {
    int magic, version;
    const void* image;
    void* unused;
};

static void register_forged()
{
    size_t bytes = 16 + 4096;
    unsigned char* image = (unsigned char*)calloc(1, bytes);
    const unsigned magic = 0xBA55ED50, version = 0x00100001;
    const unsigned long long payload = bytes - 16;
    memcpy(image, &magic, 4);
    memcpy(image + 4, &version, 4);
    memcpy(image + 8, &payload, 8);
    static Wrapper wrapper = {0x466243B1, 1, image, nullptr};
    __cudaRegisterFatBinaryEnd(__cudaRegisterFatBinary(&wrapper));
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    register_forged();
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
