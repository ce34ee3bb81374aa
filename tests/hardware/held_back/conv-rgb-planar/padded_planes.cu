// Three copies within the device put the planes into frames of zeros; the kernel has no tests.
// problem: conv-rgb-planar
#include <cuda_runtime.h>

__global__ void convolve(const float* padded, const float* filter, float* output, int width, int height, int radius)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y, col = blockIdx.y * blockDim.x + threadIdx.x;
    if (row >= height || col >= width)
        return;
    int side = 2 * radius + 1, pitch = width + 2 * radius;
    const float* from = padded + ((size_t)blockIdx.z * (height + 2 * radius) + row) * pitch + col;
    float sum = 0.0f;
    for (int r = 0; r < side; r++)
        for (int s = 0; s < side; s++)
            sum += from[(size_t)r * pitch + s] * filter[r * side + s];
    output[((size_t)blockIdx.z * height + row) * width + col] = sum;
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    size_t pitch = width + 2 * radius, rows = height + 2 * radius;
    float* padded;
    cudaMalloc(&padded, 3 * pitch * rows * sizeof(float));
    cudaMemset(padded, 0, 3 * pitch * rows * sizeof(float));
    for (int plane = 0; plane < 3; plane++)
        cudaMemcpy2D(padded + (plane * rows + radius) * pitch + radius, pitch * sizeof(float),
                     input + (size_t)plane * width * height, width * sizeof(float), width * sizeof(float), height,
                     cudaMemcpyDeviceToDevice);
    dim3 blocks((height + 7) / 8, (width + 31) / 32, 3);
    convolve<<<blocks, dim3(32, 8)>>>(padded, filter, output, width, height, radius);
    cudaFree(padded);
}
