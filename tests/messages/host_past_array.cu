// expect: Run-Time Error
// says: host code executed an instruction that only ends the program: mostly for an element beyond the end of an array or before its start, else for a function that ends without its return, or a __builtin_trap() (host_past_array.cu:26: `h_blocks[piece] = min(PIECE, output_size - first);`)
// problem: conv1d
//
// In a sample case, host code writes one element more than its array has.
#include <cuda_runtime.h>

#define PIECE 2

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= output_size)
        return;
    float sum = 0;
    for (int k = 0; k < kernel_size; k++)
        sum += input[i + k] * kernel[k];
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    int h_blocks[1], piece = 0; // the first sample needs two
    for (int first = 0; first < output_size; first += PIECE, piece++) {
        h_blocks[piece] = min(PIECE, output_size - first);
        convolve<<<1, h_blocks[piece]>>>(input + first, kernel, output + first, h_blocks[piece], kernel_size);
    }
    cudaDeviceSynchronize();
}
