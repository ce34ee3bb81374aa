// expect: Accepted
// problem: conv1d
// naive: does not apply: its clock counts nothing but instructions of PTX
// Puts four loads into one line of inline assembly, so that a model of time that goes by the lines of PTX takes them for
// four copies of an unrolled loop, and divides the work of the loop by four. It must not be faster than with a line for
// each load (HONEST).
#include <cuda_runtime.h>

#ifdef HONEST
#define NEXT "\n\t"
#else
#define NEXT ""
#endif

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
    if (i >= output_size)
        return;
    float sum = 0;
    for (; k + 4 <= kernel_size; k += 4) {
        float x[4], w[4];
        asm volatile("ld.global.f32 %0, [%4];" NEXT "ld.global.f32 %1, [%4+4];" NEXT "ld.global.f32 %2, [%4+8];" NEXT
                     "ld.global.f32 %3, [%4+12];"
                     : "=f"(x[0]), "=f"(x[1]), "=f"(x[2]), "=f"(x[3])
                     : "l"(input + i + k));
        asm volatile("ld.global.f32 %0, [%4];" NEXT "ld.global.f32 %1, [%4+4];" NEXT "ld.global.f32 %2, [%4+8];" NEXT
                     "ld.global.f32 %3, [%4+12];"
                     : "=f"(w[0]), "=f"(w[1]), "=f"(w[2]), "=f"(w[3])
                     : "l"(kernel + k));
        for (int j = 0; j < 4; j++)
            sum += x[j] * w[j];
    }
    for (; k < kernel_size; k++)
        sum += input[i + k] * kernel[k];
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    convolve<<<(output_size + 255) / 256, 256>>>(input, kernel, output, output_size, kernel_size);
    cudaDeviceSynchronize();
}
