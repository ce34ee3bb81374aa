// A thread for each pixel, loads of uchar4, and a buffer of float4 between two passes.
// problem: blur-rgb
#include <cuda_runtime.h>

__device__ float4 buffer[16777216];

__device__ unsigned char level(float value)
{
    return (unsigned char)__float2int_rn(fminf(fmaxf(value, 0.0f), 255.0f));
}

__global__ void rows_pass(const uchar4* image, const float* filter, int width, int height, int radius)
{
    int y = blockIdx.x * blockDim.y + threadIdx.y, x = blockIdx.y * blockDim.x + threadIdx.x;
    if (y >= height || x >= width)
        return;
    float4 sum = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int s = max(-radius, -x); s <= min(radius, width - 1 - x); s++) {
        uchar4 pixel = image[y * width + x + s];
        float tap = filter[radius + s];
        sum.x += pixel.x * tap;
        sum.y += pixel.y * tap;
        sum.z += pixel.z * tap;
        sum.w += pixel.w * tap;
    }
    buffer[y * width + x] = sum;
}

__global__ void columns_pass(const float* filter, uchar4* output, int width, int height, int radius)
{
    int y = blockIdx.x * blockDim.y + threadIdx.y, x = blockIdx.y * blockDim.x + threadIdx.x;
    if (y >= height || x >= width)
        return;
    float4 sum = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int r = max(-radius, -y); r <= min(radius, height - 1 - y); r++) {
        float4 value = buffer[(y + r) * width + x];
        float tap = filter[radius + r];
        sum.x += value.x * tap;
        sum.y += value.y * tap;
        sum.z += value.z * tap;
        sum.w += value.w * tap;
    }
    output[y * width + x] = make_uchar4(level(sum.x), level(sum.y), level(sum.z), level(sum.w));
}

extern "C" void solve(const unsigned char* image, const float* filter, unsigned char* output, int width, int height,
                      int radius)
{
    dim3 blocks((height + 7) / 8, (width + 31) / 32), threads(32, 8);
    rows_pass<<<blocks, threads>>>((const uchar4*)image, filter, width, height, radius);
    columns_pass<<<blocks, threads>>>(filter, (uchar4*)output, width, height, radius);
    cudaDeviceSynchronize();
}
