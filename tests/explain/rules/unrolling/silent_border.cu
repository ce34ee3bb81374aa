// expect: Accepted
// problem: blur-rgb
// no advice: unrolling
// The loop over a row of taps stays rolled, since it tests for the border. Most of its instructions are tests and conversions,
// which unrolling does not save.
#include <cuda_runtime.h>

#define MAX_PIXELS 16777216
#define OUTPUTS 4 // of a thread

__device__ float4 d_rows[MAX_PIXELS]; // the picture after the first pass, not rounded

__device__ unsigned char to_level(float value)
{
    return (unsigned char)__float2int_rn(fminf(fmaxf(value, 0.0f), 255.0f));
}

__device__ void add(float4& sum, float4 pixel, float tap)
{
    sum.x += pixel.x * tap;
    sum.y += pixel.y * tap;
    sum.z += pixel.z * tap;
    sum.w += pixel.w * tap;
}

__global__ void blur_rows(const uchar4* image, const float* filter, int width, int height, int radius)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int left = blockIdx.x * blockDim.x * OUTPUTS + threadIdx.x;
    if (row >= height || left >= width)
        return;

    float4 sum[OUTPUTS] = {};
    for (int s = -radius; s <= radius; s++) {
        float tap = filter[radius + s];
#pragma unroll
        for (int o = 0; o < OUTPUTS; o++) {
            int col = left + 32 * o + s;
            if (col >= 0 && col < width) {
                uchar4 pixel = image[row * width + col];
                add(sum[o], make_float4(pixel.x, pixel.y, pixel.z, pixel.w), tap);
            }
        }
    }
#pragma unroll
    for (int o = 0; o < OUTPUTS; o++)
        if (left + 32 * o < width)
            d_rows[row * width + left + 32 * o] = sum[o];
}

__device__ float4 row_sum(int row, int col, int width, int height)
{
    return row >= 0 && row < height ? d_rows[row * width + col] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
}

__global__ void blur_columns(const float* filter, uchar4* output, int width, int height, int radius)
{
    int top = (blockIdx.y * blockDim.y + threadIdx.y) * OUTPUTS;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (top >= height || col >= width)
        return;

    float4 sum[OUTPUTS] = {};
    float4 window[OUTPUTS]; // rows r .. r + 3 of this column
#pragma unroll
    for (int o = 0; o < OUTPUTS - 1; o++)
        window[o] = row_sum(top - radius + o, col, width, height);
#pragma unroll 4
    for (int r = 0; r <= 2 * radius; r++) {
        window[OUTPUTS - 1] = row_sum(top - radius + r + OUTPUTS - 1, col, width, height);
        float tap = filter[r];
#pragma unroll
        for (int o = 0; o < OUTPUTS; o++)
            add(sum[o], window[o], tap);
#pragma unroll
        for (int o = 0; o < OUTPUTS - 1; o++)
            window[o] = window[o + 1];
    }
#pragma unroll
    for (int o = 0; o < OUTPUTS; o++)
        if (top + o < height)
            output[(top + o) * width + col] =
                make_uchar4(to_level(sum[o].x), to_level(sum[o].y), to_level(sum[o].z), to_level(sum[o].w));
}

extern "C" void solve(const unsigned char* image, const float* filter, unsigned char* output, int width, int height,
                      int radius)
{
    dim3 threads(32, 4);
    dim3 row_blocks((width + 32 * OUTPUTS - 1) / (32 * OUTPUTS), (height + 3) / 4);
    dim3 column_blocks((width + 31) / 32, (height + 4 * OUTPUTS - 1) / (4 * OUTPUTS));
    blur_rows<<<row_blocks, threads>>>((const uchar4*)image, filter, width, height, radius);
    blur_columns<<<column_blocks, threads>>>(filter, (uchar4*)output, width, height, radius);
    cudaDeviceSynchronize();
}
