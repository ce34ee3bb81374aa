// expect: Accepted
// problem: conv1d
// naive: does not apply: the naive judge reads no line tables
// Forges the line table through inline assembly, which is all that is left of it to a source: a thousand marks of lines that
// do not exist, in files of the judge. The judge reads such tables to name lines; they must cost it neither time nor its life.
#include <cuda_runtime.h>

#define MARK ".loc 1 2147483647 65535\n.loc 1 1 1\n.loc 1 4000000 0\n"
#define MARKS_10 MARK MARK MARK MARK MARK MARK MARK MARK MARK MARK
#define MARKS_100 MARKS_10 MARKS_10 MARKS_10 MARKS_10 MARKS_10 MARKS_10 MARKS_10 MARKS_10 MARKS_10 MARKS_10

__global__ void convolve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > input_size - kernel_size)
        return;
    float sum = 0;
    for (int k = 0; k < kernel_size; k++) {
        sum += input[i + k] * kernel[k];
        asm volatile(MARKS_100 "add.f32 %0, %0, 0f00000000;\n" MARKS_100 : "+f"(sum));
    }
    asm volatile(MARKS_100 MARKS_100 MARKS_100);
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
