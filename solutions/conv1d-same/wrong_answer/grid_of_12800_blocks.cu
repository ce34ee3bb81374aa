// Mistake: launches at most 12,800 blocks of 256 threads, 3.3 million outputs.
// says: solve() returned before its kernels had finished, which is allowed; it could see their errors after cudaDeviceSynchronize()
// problem: conv1d-same
#include <cuda_runtime.h>

#define MAX_FILTER_WIDTH 2047

__constant__ float c_filter[MAX_FILTER_WIDTH];

__global__ void convolve(const float* input, float* output, int width, int filter_width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= width)
        return;

    int first = i - filter_width / 2;
    int end = min(filter_width, width - first);
    float sum = 0.0f;
    for (int k = max(0, -first); k < end; k++)
        sum += input[first + k] * c_filter[k];
    output[i] = sum;
}

// Does not wait for the kernel: whatever uses the output next on the same stream comes after it anyway.
extern "C" void solve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    int threads = 256;
    int blocks = min((width + threads - 1) / threads, 12800);
    cudaMemcpyToSymbol(c_filter, filter, filter_width * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    convolve<<<blocks, threads>>>(input, output, width, filter_width);
}
