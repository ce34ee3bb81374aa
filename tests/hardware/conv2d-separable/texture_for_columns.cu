// The second pass fetches from a texture of linear memory.
// problem: conv2d-separable
#include <cuda_runtime.h>

__device__ float buffer[16777216];

__global__ void rows_pass(const float* __restrict__ input, const float* __restrict__ filter, int width, int height,
                          int radius)
{
    int row = blockIdx.x * 8 + threadIdx.y, col = blockIdx.y * 32 + threadIdx.x;
    if (row >= height || col >= width)
        return;
    float sum = 0.0f;
    for (int s = max(0, radius - col); s < min(2 * radius + 1, width + radius - col); s++)
        sum += input[row * width + col + s - radius] * filter[s];
    buffer[row * width + col] = sum;
}

__global__ void columns_pass(cudaTextureObject_t rows, const float* __restrict__ filter, float* output, int width,
                             int height, int radius)
{
    int row = blockIdx.x * 8 + threadIdx.y, col = blockIdx.y * 32 + threadIdx.x;
    if (row >= height || col >= width)
        return;
    float sum = 0.0f;
    for (int r = max(0, radius - row); r < min(2 * radius + 1, height + radius - row); r++)
        sum += tex1Dfetch<float>(rows, (row + r - radius) * width + col) * filter[r];
    output[row * width + col] = sum;
}

extern "C" void solve(const float* input, const float* row_filter, const float* column_filter, float* output, int width,
                      int height, int radius)
{
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    cudaGetSymbolAddress(&resource.res.linear.devPtr, buffer);
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = sizeof(float) * width * height;
    cudaTextureDesc description = {};
    cudaTextureObject_t rows;
    cudaCreateTextureObject(&rows, &resource, &description, nullptr);
    dim3 blocks((height + 7) / 8, (width + 31) / 32), threads(32, 8);
    rows_pass<<<blocks, threads>>>(input, row_filter, width, height, radius);
    columns_pass<<<blocks, threads>>>(rows, column_filter, output, width, height, radius);
    cudaDeviceSynchronize();
    cudaDestroyTextureObject(rows);
}
