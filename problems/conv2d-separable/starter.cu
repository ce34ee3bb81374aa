// problem: conv2d-separable
//
// One thread for each output element. As it stands, every output is zero, which is a Wrong Answer:
// replace the line marked TODO. All four pointers are device pointers.
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* row_filter, const float* column_filter, float* output,
                         int width, int height, int radius)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= height || col >= width)
        return;

    float sum = 0.0f;
    // TODO: add input[row + r][col + s] * column_filter[radius + r] * row_filter[radius + s] to the sum, for every r
    // and s from -radius to radius that stay inside the image. input[row][col] is input[row * width + col].
    output[row * width + col] = sum;
}

extern "C" void solve(const float* input, const float* row_filter, const float* column_filter, float* output,
                      int width, int height, int radius)
{
    dim3 threads(32, 8);
    dim3 blocks((width + threads.x - 1) / threads.x, (height + threads.y - 1) / threads.y);

    convolve<<<blocks, threads>>>(input, row_filter, column_filter, output, width, height, radius);
    cudaDeviceSynchronize();
}
