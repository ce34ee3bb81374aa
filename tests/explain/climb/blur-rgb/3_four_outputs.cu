// expect: Accepted
// problem: blur-rgb
// advice: several_outputs
// A thread computes 4 neighbouring pixels, of a row in the pass over the rows and of a column in that over the columns.
// They share each tap, and in registers each pixel, which is converted to floats once for all of them.
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

__device__ float4 level_at(const uchar4* image, int row, int col, int width)
{
    uchar4 pixel = col >= 0 && col < width ? image[row * width + col] : make_uchar4(0, 0, 0, 0);
    return make_float4(pixel.x, pixel.y, pixel.z, pixel.w);
}

__global__ void blur_rows(const uchar4* image, const float* filter, int width, int height, int radius)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int left = (blockIdx.x * blockDim.x + threadIdx.x) * OUTPUTS;
    if (row >= height || left >= width)
        return;

    float4 sum[OUTPUTS] = {};
    float4 window[OUTPUTS]; // columns s .. s + 3 of this row
#pragma unroll
    for (int o = 0; o < OUTPUTS - 1; o++)
        window[o] = level_at(image, row, left - radius + o, width);
#pragma unroll 4
    for (int s = 0; s <= 2 * radius; s++) {
        window[OUTPUTS - 1] = level_at(image, row, left - radius + s + OUTPUTS - 1, width);
        float tap = filter[s];
#pragma unroll
        for (int o = 0; o < OUTPUTS; o++)
            add(sum[o], window[o], tap);
#pragma unroll
        for (int o = 0; o < OUTPUTS - 1; o++)
            window[o] = window[o + 1];
    }
#pragma unroll
    for (int o = 0; o < OUTPUTS; o++)
        if (left + o < width)
            d_rows[row * width + left + o] = sum[o];
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
