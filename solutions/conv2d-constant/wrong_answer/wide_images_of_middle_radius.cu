// Mistake: leaves out the last column of taps where the radius is from 2 to 7 and the image has more than 1,024 columns.
// problem: conv2d-constant
#include <cuda_runtime.h>

#define MAX_SIDE 17

__constant__ float c_filter[MAX_SIDE * MAX_SIDE];

__global__ void convolve(const float* input, float* output, int width, int height, int radius)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    int col = blockIdx.y * blockDim.x + threadIdx.x;
    if (row >= height || col >= width)
        return;

    int side = 2 * radius + 1;
    float sum = 0.0f;
    for (int r = max(-radius, -row); r <= min(radius, height - 1 - row); r++)
        for (int s = max(-radius, -col); s <= min(width > 1024 && radius > 1 && radius < 8 ? radius - 1 : radius, width - 1 - col); s++)
            sum += input[(row + r) * width + col + s] * c_filter[(radius + r) * side + radius + s];
    output[row * width + col] = sum;
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    int side = 2 * radius + 1;
    dim3 threads(32, 8);
    dim3 blocks((height + threads.y - 1) / threads.y, (width + threads.x - 1) / threads.x);
    cudaMemcpyToSymbol(c_filter, filter, side * side * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    convolve<<<blocks, threads>>>(input, output, width, height, radius);
    cudaDeviceSynchronize();
}
