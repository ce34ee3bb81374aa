// expect: Accepted
// problem: conv1d
// Two passes: partial sums of four parts of the filter go to memory of the stream's pool, a second kernel adds them up.
#include <cuda_runtime.h>

const int PARTS = 4;

__global__ void partial(const float* input, const float* kernel, float* sums, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, part = blockIdx.z;
    int begin = (int)((long long)m * part / PARTS), end = (int)((long long)m * (part + 1) / PARTS);
    if (i >= n) return;
    float s = 0;
    for (int k = begin; k < end; k++) s += input[i + k] * kernel[k];
    sums[(size_t)part * n + i] = s;
}

__global__ void add_up(const float* sums, float* output, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s = 0;
    for (int part = 0; part < PARTS; part++) s += sums[(size_t)part * n + i];
    output[i] = s;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int n = input_size - kernel_size + 1;
    float* sums;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMallocAsync(&sums, (size_t)PARTS * n * sizeof(float), stream);
    dim3 block(192), grid((n + 191) / 192, 1, PARTS);
    partial<<<grid, block, 0, stream>>>(input, kernel, sums, n, kernel_size);
    add_up<<<(n + 255) / 256, 256, 0, stream>>>(sums, output, n);
    cudaFreeAsync(sums, stream);
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
}
