// expect: Run-Time Error
// problem: depthwise-conv1d
// on cuda: Accepted, Wrong Answer
// says: between this store and that, __threadfence() is missing, or a barrier for the threads that store
// Mistake: two blocks share the taps of each output. One of them stores its sums and raises a flag, for which the other
// one waits. Flag and sums are read as volatile, but no __threadfence() stands between the sums and the flag.
#include <cuda_runtime.h>

#define THREADS 256

__global__ void convolve(const float* x, const float* weight, const float* bias, float* output, float* sums,
                         volatile int* flags, int size, int L, int D, int K)
{
    int group = blockIdx.x / 2;
    bool is_first = blockIdx.x % 2 == 0;
    int i = group * THREADS + threadIdx.x;
    int d = i % D;
    int l = i / D % L;
    int half = K / 2;
    float sum = 0.0f;
    if (i < size)
        for (int k = is_first ? 0 : half; k < (is_first ? half : K) && k <= l; k++)
            sum += x[i - k * D] * weight[d * K + k];

    if (is_first) {
        if (i < size)
            sums[i] = sum;
        __syncthreads();
        if (threadIdx.x == 0)
            flags[group] = 1;
    } else {
        if (threadIdx.x == 0)
            while (flags[group] == 0)
                continue;
        __syncthreads();
        volatile float* first_sums = sums;
        if (i < size)
            output[i] = bias[d] + sum + first_sums[i];
    }
}

extern "C" void solve(const float* x, const float* weight, const float* bias, float* output, int B, int L, int D, int K)
{
    int size = B * L * D;
    int groups = (size + THREADS - 1) / THREADS;
    float* sums;
    int* flags;
    cudaMalloc(&sums, size * sizeof(float));
    cudaMalloc(&flags, groups * sizeof(int));
    cudaMemset(flags, 0, groups * sizeof(int));
    convolve<<<2 * groups, THREADS>>>(x, weight, bias, output, sums, flags, size, L, D, K);
    cudaDeviceSynchronize();
    cudaFree(sums);
    cudaFree(flags);
}
