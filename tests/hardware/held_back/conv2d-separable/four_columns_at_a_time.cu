// Both passes give a thread four neighbouring columns, in loads and stores of 16 bytes where the width allows it.
// problem: conv2d-separable
#include <cuda_runtime.h>

__device__ float buffer[16777216];

__device__ float at(const float* row, int col, int width)
{
    return col >= 0 && col < width ? row[col] : 0.0f;
}

__global__ void rows_pass(const float* input, const float* filter, int width, int height, int radius)
{
    int col = (blockIdx.y * 64 + threadIdx.x) * 4, row = blockIdx.x * 4 + threadIdx.y;
    if (col >= width || row >= height)
        return;
    const float* from = input + row * width;
    float a = 0.0f, b = 0.0f, c = 0.0f, d = 0.0f;
    float w = at(from, col - radius, width), x = at(from, col - radius + 1, width),
          y = at(from, col - radius + 2, width);
    for (int s = 0; s <= 2 * radius; s++) {
        float z = at(from, col - radius + s + 3, width), tap = __ldg(filter + s);
        a += w * tap;
        b += x * tap;
        c += y * tap;
        d += z * tap;
        w = x;
        x = y;
        y = z;
    }
    float sums[4] = {a, b, c, d};
    for (int o = 0; o < 4 && col + o < width; o++)
        buffer[row * width + col + o] = sums[o];
}

__global__ void columns_of_four(const float* filter, float* output, int width, int height, int radius)
{
    int four = blockIdx.y * 64 + threadIdx.x, row = blockIdx.x * 4 + threadIdx.y, fours = width / 4;
    if (four >= fours || row >= height)
        return;
    const float4* from = (const float4*)buffer;
    float4 sum = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int y = max(0, row - radius); y <= min(height - 1, row + radius); y++) {
        float4 value = from[y * fours + four];
        float tap = __ldg(filter + y - row + radius);
        sum.x += value.x * tap;
        sum.y += value.y * tap;
        sum.z += value.z * tap;
        sum.w += value.w * tap;
    }
    ((float4*)output)[row * fours + four] = sum;
}

__global__ void columns_of_one(const float* filter, float* output, int width, int height, int radius)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= width * height)
        return;
    int row = i / width;
    float sum = 0.0f;
    for (int y = max(0, row - radius); y <= min(height - 1, row + radius); y++)
        sum += buffer[y * width + i % width] * filter[y - row + radius];
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* row_filter, const float* column_filter, float* output, int width,
                      int height, int radius)
{
    dim3 blocks((height + 3) / 4, (width + 255) / 256), threads(64, 4);
    rows_pass<<<blocks, threads>>>(input, row_filter, width, height, radius);
    if (width % 4 == 0)
        columns_of_four<<<blocks, threads>>>(column_filter, output, width, height, radius);
    else
        columns_of_one<<<(width * height + 255) / 256, 256>>>(column_filter, output, width, height, radius);
}
