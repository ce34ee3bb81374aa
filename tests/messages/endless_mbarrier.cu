// expect: Time Limit Exceeded
// says: waits for ever for the mbarrier at byte 0 of shared variable 'arrived': the phase expects 16 bytes more than copies bring
// problem: conv1d
//
// The mbarrier of a bulk copy expects 16 bytes more than the copy brings.
#include <cuda_runtime.h>
#include <cuda/barrier>
#include <cuda/ptx>

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size)
{
    __shared__ alignas(128) float taps[2048];
    __shared__ alignas(8) uint64_t arrived;
    int i = blockIdx.x * blockDim.x + threadIdx.x, copied = kernel_size / 4 * 4;
    if (threadIdx.x == 0) {
        cuda::ptx::mbarrier_init(&arrived, 1);
        cuda::ptx::fence_mbarrier_init(cuda::ptx::sem_release, cuda::ptx::scope_cluster);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        if (copied > 0)
            cuda::ptx::cp_async_bulk(cuda::ptx::space_cluster, cuda::ptx::space_global, taps, kernel, copied * 4, &arrived);
        cuda::ptx::mbarrier_arrive_expect_tx(cuda::ptx::sem_release, cuda::ptx::scope_cta, cuda::ptx::space_shared, &arrived,
                                             copied * 4 + 16);
    }
    if (threadIdx.x < kernel_size - copied)
        taps[copied + threadIdx.x] = kernel[copied + threadIdx.x];
    while (!cuda::ptx::mbarrier_try_wait_parity(&arrived, 0))
        continue;
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < kernel_size && i < output_size; k++)
        sum += input[i + k] * taps[k];
    if (i < output_size)
        output[i] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    convolve<<<(output_size + 255) / 256, 256>>>(input, kernel, output, output_size, kernel_size);
    cudaDeviceSynchronize();
}
