// A tile and its halo in shared memory, taps from global memory, and a sum in double precision.
// problem: conv1d
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int size, int outputs, int taps)
{
    extern __shared__ float tile[];
    int base = blockIdx.x * blockDim.x;
    for (int j = threadIdx.x; j < blockDim.x + taps - 1; j += blockDim.x)
        if (base + j < size)
            tile[j] = input[base + j];
    __syncthreads();
    int i = base + threadIdx.x;
    if (i >= outputs)
        return;
    double sum = 0.0;
    for (int k = 0; k < taps; k++)
        sum += (double)tile[threadIdx.x + k] * kernel[k];
    output[i] = (float)sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int outputs = input_size - kernel_size + 1;
    size_t bytes = (512 + kernel_size - 1) * sizeof(float);
    convolve<<<(outputs + 511) / 512, 512, bytes>>>(input, kernel, output, input_size, outputs, kernel_size);
}
