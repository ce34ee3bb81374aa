// Mistake: copies the filter to constant memory in the first call only; later calls have another filter.
// says: every element: right when called alone in a new process: something is left from an earlier call
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
    static bool copied = false;
    if (!copied)
        cudaMemcpyToSymbol(c_filter, filter, filter_width * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    copied = true;

    convolve<<<(width + 255) / 256, 256>>>(input, output, width, filter_width);
    cudaDeviceSynchronize();
}
