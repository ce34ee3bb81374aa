// problem: conv2d-same
//
// One thread for each output element. As it stands, every output is zero, which is a Wrong Answer:
// replace the line marked TODO. All three pointers are device pointers.
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    int col = blockIdx.y * blockDim.x + threadIdx.x;
    if (row >= height || col >= width)
        return;

    float sum = 0.0f;
    // TODO: add input[row + r][col + s] * filter[radius + r][radius + s] to the sum, for every r and s from -radius to
    // radius for which that element of the input exists. Both arrays are flat: input[row][col] is
    // input[row * width + col], and a row of the filter has 2 * radius + 1 taps.
    output[row * width + col] = sum;
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    dim3 threads(16, 16);
    // The image may be very tall, and a grid has at most 65,535 blocks along y: so blockIdx.x counts rows of blocks.
    dim3 blocks((height + threads.y - 1) / threads.y, (width + threads.x - 1) / threads.x);

    convolve<<<blocks, threads>>>(input, filter, output, width, height, radius);
    cudaDeviceSynchronize();
}
