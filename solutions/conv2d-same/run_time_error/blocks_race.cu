// Mistake: one block for each row of the filter; they add to the same outputs without atomics, and the one of the last
// row, which should come first, writes instead of adding.
// on cuda: Accepted, Wrong Answer
// says: where block (0,0,0) writes another value: blocks run in any order
// problem: conv2d-same
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    int col = blockIdx.y * blockDim.x + threadIdx.x;
    if (row >= height || col >= width)
        return;

    int side = 2 * radius + 1;
    int r = (int)blockIdx.z - radius;
    float sum = 0.0f;
    for (int s = -radius; s <= radius; s++)
        if (row + r >= 0 && row + r < height && col + s >= 0 && col + s < width)
            sum += input[(row + r) * width + col + s] * filter[blockIdx.z * side + radius + s];
    if (r == radius)
        output[row * width + col] = sum;
    else
        output[row * width + col] += sum;
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    dim3 threads(16, 16);
    dim3 blocks((height + 15) / 16, (width + 15) / 16, 2 * radius + 1);
    convolve<<<blocks, threads>>>(input, filter, output, width, height, radius);
    cudaDeviceSynchronize();
}
