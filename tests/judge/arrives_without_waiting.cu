// expect: Run-Time Error
// Mistake: the threads arrive at the barrier and go on: without barrier.wait(), the tile of the others may not be there.
// on cuda: Accepted, Wrong Answer
// problem: conv1d
#include <cuda/barrier>
#include <cuda_runtime.h>

#define THREADS 256

__global__ void convolve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    extern __shared__ float s_input[]; // THREADS + kernel_size - 1 elements
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;

    if (threadIdx.x == 0)
        init(&barrier, THREADS);
    __syncthreads();

    int first = blockIdx.x * THREADS;
    for (int j = threadIdx.x; j < THREADS + kernel_size - 1; j += THREADS)
        s_input[j] = first + j < input_size ? input[first + j] : 0.0f;
    auto token = barrier.arrive();

    int i = first + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < kernel_size; k++)
        sum += s_input[threadIdx.x + k] * kernel[k];
    if (i <= input_size - kernel_size)
        output[i] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    size_t shared_bytes = (THREADS + kernel_size - 1) * sizeof(float);
    convolve<<<(output_size + THREADS - 1) / THREADS, THREADS, shared_bytes>>>(input, kernel, output, input_size,
                                                                                kernel_size);
    cudaDeviceSynchronize();
}
