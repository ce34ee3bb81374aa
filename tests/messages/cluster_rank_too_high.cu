// expect: Run-Time Error
// problem: conv1d
// on cuda: Run-Time Error
// says: reads from the shared memory of a block that its cluster of 2 does not have
// Mistake: a block looks into block 2 of its cluster of two.
#include <cuda_runtime.h>
#include <cooperative_groups.h>

__global__ void __cluster_dims__(2, 1, 1) convolve(const float* input, const float* kernel, float* output,
                         int output_size, int kernel_size)
{
    __shared__ float half[256];
    auto cluster = cooperative_groups::this_cluster();
    int rank = cluster.block_rank(), i = blockIdx.x / 2 * 256 + threadIdx.x, middle = kernel_size / 2;
    float sum = 0;
    for (int k = rank == 0 ? 0 : middle; k < (rank == 0 ? middle : kernel_size) && i < output_size; k++)
        sum += input[i + k] * kernel[k];
    half[threadIdx.x] = sum;
    cluster.sync();

    const float* other = cluster.map_shared_rank(half, 2);
    if (rank == 0 && i < output_size)
        output[i] = sum + other[threadIdx.x];
    cluster.sync();
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    convolve<<<2 * ((output_size + 255) / 256), 256>>>(input, kernel, output, output_size, kernel_size);
    cudaDeviceSynchronize();
}
