// expect: Accepted
// problem: conv1d
// __managed__ variables: the host fills them and reads them back by name, and their addresses are the same for both.
#include <cstdlib>
#include <cuda_runtime.h>

__managed__ int sizes[3] = {0, 0, 7};
__managed__ unsigned long long done;
__managed__ float table[20000];

__global__ void fill(const float *filter, const int *taps, float *to)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < *taps)
        to[k] = filter[k];
}

__global__ void convolve(const float *input, float *output)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= sizes[0])
        return;
    float sum = 0;
    for (int k = 0; k < sizes[1]; k++)
        sum += input[i + k] * table[k + sizes[2]];
    output[i] = sum;
    atomicAdd(&done, 1ULL);
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    if (sizes[2] != 7)
        exit(3);
    sizes[0] = input_size - kernel_size + 1;
    sizes[1] = kernel_size;
    done = 0;
    table[kernel_size + 7] = -3;
    fill<<<(kernel_size + 255) / 256, 256>>>(kernel, &sizes[1], table + 7);
    convolve<<<(sizes[0] + 255) / 256, 256>>>(input, output);
    if (cudaDeviceSynchronize() != cudaSuccess)
        exit(4);
    if (done != (unsigned long long)sizes[0] || table[kernel_size + 7] != -3)
        exit(5);
}
