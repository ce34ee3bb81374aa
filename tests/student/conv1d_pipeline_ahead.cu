// expect: Accepted
// problem: conv1d
// Chunks of the filter come by a pipeline of the block, each one while the one before is used.
#include <cuda_runtime.h>
#include <cooperative_groups.h>
#include <cuda/pipeline>

enum { CHUNK = 64 };

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size)
{
    __shared__ float taps[2][CHUNK];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cooperative_groups::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    int i = blockIdx.x * blockDim.x + threadIdx.x, chunks = (kernel_size + CHUNK - 1) / CHUNK;
    float sum = 0;
    for (int c = -1; c < chunks; c++) {
        if (c + 1 < chunks) {
            pipe.producer_acquire();
            int k = (c + 1) * CHUNK + threadIdx.x;
            if (threadIdx.x < CHUNK && k < kernel_size)
                cuda::memcpy_async(&taps[(c + 1) % 2][threadIdx.x], &kernel[k], sizeof(float), pipe);
            pipe.producer_commit();
        }
        if (c < 0)
            continue;
        pipe.consumer_wait();
        for (int k = c * CHUNK; k < kernel_size && k < (c + 1) * CHUNK && i < output_size; k++)
            sum += input[i + k] * taps[c % 2][k - c * CHUNK];
        pipe.consumer_release();
    }
    if (i < output_size)
        output[i] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    convolve<<<(output_size + 255) / 256, 256>>>(input, kernel, output, output_size, kernel_size);
    cudaDeviceSynchronize();
}
