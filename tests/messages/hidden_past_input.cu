// expect: Run-Time Error
// says: a kernel reads past the end of array 'in'
// problem: conv1d
//
// In a hidden case, an index leads past the end of the input, which has the name of the kernel's parameter.
#include <cuda_runtime.h>

__constant__ float c_table[16];
__device__ float d_table[16];

__global__ void convolve(const float* in, const float* kernel, float* out, float* scratch, int output_size, int kernel_size, bool is_large)
{
    __shared__ float tile[256], other[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
    tile[t] = other[t] = 0;
    __syncthreads();
    if (i >= output_size)
        return;
    float sum = scratch[i];
    for (int k = 0; k < kernel_size; k++)
        sum += in[i + k] * kernel[k];
    if (is_large) {
        sum += in[i + 2 * output_size + kernel_size];
    }
    out[i] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    float *scratch, table[16] = {1};
    cudaMalloc(&scratch, output_size * sizeof(float));
    cudaMemset(scratch, 0, output_size * sizeof(float));
    cudaMemcpyToSymbol(c_table, table, sizeof table);
    cudaMemcpyToSymbol(d_table, table, sizeof table);
    convolve<<<(output_size + 255) / 256, 256>>>(input, kernel, output, scratch, output_size, kernel_size, input_size > 200);
    cudaDeviceSynchronize();
    cudaFree(scratch);
}
