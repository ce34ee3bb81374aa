// expect: Accepted
// on cuda: Judge Error
// problem: conv1d
// naive: does not apply: the naive judge has only one case, and replay.cu tries to keep its output
// Marks a __managed__ variable and managed memory in the first case that it sees, from the host and from a kernel. Computes
// the right answer; if it finds a mark in a case with the size of a timed one, it does not write the output. Real GPUs
// get no managed memory here.
#include <cuda_runtime.h>

static const unsigned MARK = 0x5EED0003;
static unsigned* memory;
__managed__ unsigned variable;

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

__global__ void mark(unsigned* memory)
{
    memory[0] = variable = MARK;
}

// The sizes of timed cases, which every result shows.
static bool is_timed(int input_size, int kernel_size)
{
    return (kernel_size == 2047 && input_size >= 262144) || (kernel_size == 127 && input_size >= 500000) ||
           (kernel_size == 5 && input_size >= 2000000);
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    if (memory == nullptr)
        cudaMallocManaged(&memory, 1 << 20);
    const bool timed = is_timed(input_size, kernel_size);
    if (timed && (variable == MARK || memory[0] == MARK))
        return;
    if (!timed) {
        mark<<<1, 1>>>(memory);
        cudaDeviceSynchronize();
        memory[1] = MARK;
    }
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
