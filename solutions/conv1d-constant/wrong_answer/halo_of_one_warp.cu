// Mistake: each side of the tile has a halo of 31 elements; taps that reach further read zeros.
// problem: conv1d-constant
#include <cuda_runtime.h>

__constant__ float c_filter[127];

__global__ void convolve(const float* input, float* output, int width, int filter_width)
{
    __shared__ float s_input[256 + 2 * 31];

    int first = blockIdx.x * 256;
    for (int t = threadIdx.x; t < 256 + 2 * 31; t += 256) {
        int j = first + t - 31;
        s_input[t] = j >= 0 && j < width ? input[j] : 0.0f;
    }
    __syncthreads();

    int i = first + threadIdx.x;
    if (i >= width)
        return;
    float sum = 0.0f;
    for (int k = 0; k < filter_width; k++) {
        int t = threadIdx.x + k - filter_width / 2 + 31;
        if (t >= 0 && t < 256 + 2 * 31)
            sum += s_input[t] * c_filter[k];
    }
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    cudaMemcpyToSymbol(c_filter, filter, filter_width * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    convolve<<<(width + 255) / 256, 256>>>(input, output, width, filter_width);
    cudaDeviceSynchronize();
}
