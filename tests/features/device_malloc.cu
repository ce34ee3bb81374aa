// problem: conv1d
// expect: Accepted
//
// Memory from the heap of the device: each block allocates a tile with malloc(), and each thread an object with new.
#include <cuda_runtime.h>

enum { THREADS = 128 };

struct Sum {
    float value;
    __device__ Sum() : value(0.0f) {}
    __device__ void add(float term) { value += term; }
};

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size)
{
    __shared__ float* tile;
    int first = blockIdx.x * THREADS, i = first + threadIdx.x, count = THREADS + kernel_size - 1;
    if (threadIdx.x == 0)
        tile = (float*)malloc(count * sizeof(float));
    __syncthreads();
    if (tile == NULL)
        return;
    for (int j = threadIdx.x; j < count; j += THREADS)
        tile[j] = first + j < output_size + kernel_size - 1 ? input[first + j] : 0.0f;
    __syncthreads();
    Sum* sum = new Sum;
    if (sum != NULL) {
        for (int k = 0; k < kernel_size; k++)
            sum->add(tile[threadIdx.x + k] * kernel[k]);
        if (i < output_size)
            output[i] = sum->value;
    }
    delete sum;
    __syncthreads();
    if (threadIdx.x == 0)
        free(tile);
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    static bool is_set = false;
    if (!is_set)
        cudaDeviceSetLimit(cudaLimitMallocHeapSize, 128 << 20);
    is_set = true;
    int output_size = input_size - kernel_size + 1;
    convolve<<<(output_size + THREADS - 1) / THREADS, THREADS>>>(input, kernel, output, output_size, kernel_size);
}
