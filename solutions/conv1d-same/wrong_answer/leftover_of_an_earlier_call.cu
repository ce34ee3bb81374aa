// Mistake: copies the input between zeros in a buffer that it zeroes in the first call only. After a call with a wider
// input, its values are left where ghost cells should be.
// says: right when called alone in a new process: something is left from an earlier call
// problem: conv1d-same
#include <cuda_runtime.h>

#define MAX_WIDTH 16777216
#define MAX_RADIUS 1023

__global__ void convolve(const float* padded, const float* filter, float* output, int width, int filter_width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= width)
        return;

    float sum = 0.0f;
    for (int k = 0; k < filter_width; k++)
        sum += padded[MAX_RADIUS + i + k - filter_width / 2] * filter[k];
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    static float* d_padded = nullptr;
    if (!d_padded) {
        size_t bytes = (MAX_WIDTH + 2 * MAX_RADIUS) * sizeof(float);
        cudaMalloc(&d_padded, bytes);
        cudaMemset(d_padded, 0, bytes);
    }
    cudaMemcpy(d_padded + MAX_RADIUS, input, width * sizeof(float), cudaMemcpyDeviceToDevice);
    convolve<<<(width + 255) / 256, 256>>>(d_padded, filter, output, width, filter_width);
    cudaDeviceSynchronize();
}
