// expect: Wrong Answer
// says: moved by half the filter: should it be centred on the output, or begin there?
// problem: conv2d-same
//
// The filter begins at the output, where the statement centres it.
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    int col = blockIdx.y * blockDim.x + threadIdx.x;
    if (row >= height || col >= width)
        return;

    int side = 2 * radius + 1;
    float sum = 0.0f;
    for (int r = 0; r < side; r++)
        for (int s = 0; s < side; s++)
            if (row + r < height && col + s < width)
                sum += input[(row + r) * width + col + s] * filter[r * side + s];
    output[row * width + col] = sum;
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    dim3 threads(16, 16);
    dim3 blocks((height + 15) / 16, (width + 15) / 16);
    convolve<<<blocks, threads>>>(input, filter, output, width, height, radius);
    cudaDeviceSynchronize();
}
