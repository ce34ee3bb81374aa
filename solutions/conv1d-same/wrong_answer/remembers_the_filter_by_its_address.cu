// Mistake: copies the filter to constant memory only if it lies at another address than in the last call.
// says: right for data of an earlier case, which solve() must not keep
// problem: conv1d-same
#include <cuda_runtime.h>

__constant__ float c_filter[2047];

__global__ void convolve(const float* input, float* output, int width, int filter_width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= width)
        return;

    int first = i - filter_width / 2;
    float sum = 0.0f;
    for (int k = 0; k < filter_width; k++)
        if (first + k >= 0 && first + k < width)
            sum += input[first + k] * c_filter[k];
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    static const float* last = nullptr;
    if (filter != last)
        cudaMemcpyToSymbol(c_filter, filter, filter_width * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    last = filter;

    convolve<<<(width + 255) / 256, 256>>>(input, output, width, filter_width);
    cudaDeviceSynchronize();
}
