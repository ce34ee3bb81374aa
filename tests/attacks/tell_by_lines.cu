// expect: Run-Time Error
// problem: conv1d
// naive: does not apply: it keeps no data secret
// Tells its author a number of the hidden data: the line and the file of a fault, which #line makes 31 bits and a name, an address, and a thread.
#include <cuda_runtime.h>
#include <stdint.h>

static const size_t FAR = 1ull << 40; // elements: no array lies there on a real GPU

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

#line 1000000001 "submission.cu"
__global__ void large(float* output, unsigned offset) { if (threadIdx.x == offset % 32) output[FAR + offset] = 1; }
#line 1 "small_number.cu"
__global__ void small(float* output, unsigned offset) { if (threadIdx.x == offset % 32) output[FAR + offset] = 1; }
#line 28 "submission.cu"

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    float value = 0;
    if (input_size > 8) // no sample case
        cudaMemcpy(&value, input + 2, sizeof value, cudaMemcpyDefault);
    const unsigned offset = (unsigned)(1000 * (value < 0 ? -value : value));
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    if (input_size > 8)
        value > 0.5f ? large<<<1, 32>>>(output, offset) : small<<<1, 32>>>(output, offset);
    cudaDeviceSynchronize();
}
