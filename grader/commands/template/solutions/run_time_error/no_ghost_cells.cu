// Mistake: the neighbours of the ends are read although they do not exist. A real GPU does not notice every such read.
// on cuda: Wrong Answer, Accepted
// problem: @ID@
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* filter, float* output, int length)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= length)
        return;
    float sum = 0.0f;
    for (int k = 0; k < 3; k++) {
        sum += input[i + k - 1] * filter[k];
    }
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* filter, float* output, int length)
{
    int threads = 256;
    int blocks = (length + threads - 1) / threads;
    convolve<<<blocks, threads>>>(input, filter, output, length);
    cudaDeviceSynchronize();
}
