// Each sequence is copied into a buffer that has zeros before its beginning, so that the kernel needs no test.
// problem: depthwise-conv1d
#include <cuda_runtime.h>

__global__ void convolve(const float* padded, const float* weight, const float* bias, float* output, int L, int D,
                         int K)
{
    int d = blockIdx.x * blockDim.x + threadIdx.x;
    if (d >= D)
        return;
    const float* from = padded + ((size_t)blockIdx.z * (L + 7) + blockIdx.y + 7) * D + d;
    float sum = bias[d];
    for (int k = 0; k < K; k++)
        sum += weight[d * K + k] * from[-(long)k * D];
    output[((size_t)blockIdx.z * L + blockIdx.y) * D + d] = sum;
}

extern "C" void solve(const float* x, const float* weight, const float* bias, float* output, int B, int L, int D, int K)
{
    float* padded;
    size_t row = D * sizeof(float);
    cudaMalloc(&padded, (size_t)B * (L + 7) * row);
    cudaMemset2D(padded, (L + 7) * row, 0, 7 * row, B);
    cudaMemcpy2D((char*)padded + 7 * row, (L + 7) * row, x, L * row, L * row, B, cudaMemcpyDeviceToDevice);
    convolve<<<dim3((D + 255) / 256, L, B), 256>>>(padded, weight, bias, output, L, D, K);
    cudaDeviceSynchronize();
    cudaFree(padded);
}
