// One cooperative launch of as many blocks as fit does both passes, with a barrier of the grid between them.
// problem: conv2d-separable
#include <cooperative_groups.h>
#include <cuda_runtime.h>

__device__ float buffer[16777216];

__global__ void convolve(const float* input, const float* row_filter, const float* column_filter, float* output,
                         int width, int height, int radius)
{
    int count = width * height, first = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
    for (int i = first; i < count; i += step) {
        int col = i % width;
        float sum = 0.0f;
        for (int s = max(-radius, -col); s <= min(radius, width - 1 - col); s++)
            sum += input[i + s] * row_filter[radius + s];
        buffer[i] = sum;
    }
    cooperative_groups::this_grid().sync();
    for (int i = first; i < count; i += step) {
        int row = i / width;
        float sum = 0.0f;
        for (int r = max(-radius, -row); r <= min(radius, height - 1 - row); r++)
            sum += buffer[i + r * width] * column_filter[radius + r];
        output[i] = sum;
    }
}

extern "C" void solve(const float* input, const float* row_filter, const float* column_filter, float* output, int width,
                      int height, int radius)
{
    int device, processors, blocks;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, convolve, 256, 0);
    void* arguments[] = {&input, &row_filter, &column_filter, &output, &width, &height, &radius};
    cudaLaunchCooperativeKernel((void*)convolve, dim3(blocks * processors), dim3(256), arguments, 0, 0);
    cudaDeviceSynchronize();
}
