// Pixels are read as words and taken apart by shifts; four rows of a column for each thread of the second pass.
// problem: blur-rgb
#include <cuda_runtime.h>

__device__ float4 buffer[16777216];

__global__ void rows_pass(const unsigned* __restrict__ image, const float* __restrict__ filter, int width, int count,
                          int radius)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        int x = i % width;
        float r = 0.0f, g = 0.0f, b = 0.0f, a = 0.0f;
        for (int s = max(0, radius - x); s < min(2 * radius + 1, width + radius - x); s++) {
            unsigned pixel = image[i + s - radius];
            float tap = filter[s];
            r += (pixel & 0xff) * tap;
            g += (pixel >> 8 & 0xff) * tap;
            b += (pixel >> 16 & 0xff) * tap;
            a += (pixel >> 24) * tap;
        }
        buffer[i] = make_float4(r, g, b, a);
    }
}

__device__ unsigned level(float value)
{
    return __float2uint_rn(fminf(fmaxf(value, 0.0f), 255.0f));
}

__global__ void columns_pass(const float* __restrict__ filter, unsigned* output, int width, int height, int radius)
{
    int x = blockIdx.y * blockDim.x + threadIdx.x, first = blockIdx.x * 4;
    if (x >= width)
        return;
    float4 sum[4] = {};
    for (int y = max(0, first - radius); y < min(height, first + 4 + radius); y++) {
        float4 value = buffer[y * width + x];
#pragma unroll
        for (int o = 0; o < 4; o++) {
            int tap = y - first - o + radius;
            if (tap >= 0 && tap <= 2 * radius) {
                sum[o].x += value.x * filter[tap];
                sum[o].y += value.y * filter[tap];
                sum[o].z += value.z * filter[tap];
                sum[o].w += value.w * filter[tap];
            }
        }
    }
#pragma unroll
    for (int o = 0; o < 4; o++)
        if (first + o < height)
            output[(first + o) * width + x] = level(sum[o].x) | level(sum[o].y) << 8 | level(sum[o].z) << 16 |
                                              level(sum[o].w) << 24;
}

extern "C" void solve(const unsigned char* image, const float* filter, unsigned char* output, int width, int height,
                      int radius)
{
    rows_pass<<<132 * 8, 256>>>((const unsigned*)image, filter, width, width * height, radius);
    columns_pass<<<dim3((height + 3) / 4, (width + 127) / 128), 128>>>(filter, (unsigned*)output, width, height,
                                                                       radius);
    cudaDeviceSynchronize();
}
