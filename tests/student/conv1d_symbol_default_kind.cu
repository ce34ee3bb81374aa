// expect: Accepted
// problem: conv1d
// Copies the filter to constant memory from the device pointer with the default kind, which says host to device.
#include "solve.h"
#include <cuda_runtime.h>
#define BLOCK_SIZE 512

__constant__ float Mc[2048];

__global__ void kernel1D(const float* N, float* P, int width, int mask_width) {
  int idx = threadIdx.x + blockIdx.x * blockDim.x;
  __shared__ float ds[BLOCK_SIZE];
  ds[threadIdx.x] = idx < width ? N[idx] : 0;
  __syncthreads();
  int this_start = blockIdx.x * blockDim.x;
  int next_start = (blockIdx.x + 1) * blockDim.x;
  if (idx > width - mask_width) return;
  float Pvalue = 0;
  for (int j = 0; j < mask_width; j++) {
    int N_index = idx + j;
    // the halo comes from the L2 cache
    if (N_index >= this_start && N_index < next_start)
      Pvalue += ds[threadIdx.x + j] * Mc[j];
    else
      Pvalue += N[N_index] * Mc[j];
  }
  P[idx] = Pvalue;
}

void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size) {
  int output_size = input_size - kernel_size + 1;
  cudaMemcpyToSymbol(Mc, kernel, kernel_size * sizeof(float));
  kernel1D<<<(output_size + BLOCK_SIZE - 1) / BLOCK_SIZE, BLOCK_SIZE>>>(input, output, input_size, kernel_size);
}
