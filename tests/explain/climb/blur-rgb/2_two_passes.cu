// expect: Accepted
// problem: blur-rgb
// advice: needless_work
// The rows are blurred first, then the columns of the result: 2 (2 radius + 1) multiply-adds for each channel instead
// of (2 radius + 1)^2. Model: solutions/blur-rgb/accepted/two_passes.cu, without its tiles
#include <cuda_runtime.h>

#define MAX_PIXELS 16777216

__device__ float4 d_rows[MAX_PIXELS]; // the picture after the first pass, not rounded

__device__ unsigned char to_level(float value)
{
    return (unsigned char)__float2int_rn(fminf(fmaxf(value, 0.0f), 255.0f));
}

__global__ void blur_rows(const uchar4* image, const float* filter, int width, int height, int radius)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= height || col >= width)
        return;

    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    for (int s = -radius; s <= radius; s++) {
        if (col + s < 0 || col + s >= width)
            continue;
        uchar4 pixel = image[row * width + col + s];
        float tap = filter[radius + s];
        sum.x += pixel.x * tap;
        sum.y += pixel.y * tap;
        sum.z += pixel.z * tap;
        sum.w += pixel.w * tap;
    }
    d_rows[row * width + col] = sum;
}

__global__ void blur_columns(const float* filter, uchar4* output, int width, int height, int radius)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= height || col >= width)
        return;

    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    for (int r = -radius; r <= radius; r++) {
        if (row + r < 0 || row + r >= height)
            continue;
        float4 pixel = d_rows[(row + r) * width + col];
        float tap = filter[radius + r];
        sum.x += pixel.x * tap;
        sum.y += pixel.y * tap;
        sum.z += pixel.z * tap;
        sum.w += pixel.w * tap;
    }
    output[row * width + col] = make_uchar4(to_level(sum.x), to_level(sum.y), to_level(sum.z), to_level(sum.w));
}

extern "C" void solve(const unsigned char* image, const float* filter, unsigned char* output, int width, int height,
                      int radius)
{
    dim3 threads(32, 8);
    dim3 blocks((width + 31) / 32, (height + 7) / 8);
    blur_rows<<<blocks, threads>>>((const uchar4*)image, filter, width, height, radius);
    blur_columns<<<blocks, threads>>>(filter, (uchar4*)output, width, height, radius);
    cudaDeviceSynchronize();
}
