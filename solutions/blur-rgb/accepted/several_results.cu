// problem: blur-rgb
//
// several results per thread, aligned halo: two passes, in which a thread computes 4 pixels 32 columns (or 8 rows)
// apart. The halo is loaded in a whole group of 32 columns, so that where rows are aligned every warp loads 128 aligned
// bytes, and each tap from constant memory serves 16 multiply-adds.
// Intensity with T = 128 (32) pixels in a pass's direction, halo H = 32 (16):
// 16 (2r + 1) / (4 (T + 2H) / T + 16 + 16 (T + 2H) / T + 4) operations per byte.
#include <cuda_runtime.h>

#define MAX_RADIUS 16
#define MAX_PIXELS 16777216
#define RESULTS 4
#define THREADS_X 32
#define THREADS_Y 4
#define GROUPS (RESULTS + 2)    // of 32 columns: the results' and one on each side
#define COLUMN_THREADS_X 16
#define COLUMN_THREADS_Y 8
#define COLUMN_GROUPS (RESULTS + 2 * MAX_RADIUS / COLUMN_THREADS_Y) // of 8 rows: the results' and two on each side

__constant__ float c_filter[2 * MAX_RADIUS + 1];
__device__ float4 d_rows[MAX_PIXELS]; // the picture after the first pass

__device__ unsigned char to_level(float value)
{
    // also right: not rounded: cut off in place of rounded is one level at most, which the statement allows
    return (unsigned char)__float2int_rn(fminf(fmaxf(value, 0.0f), 255.0f));
}

__device__ void add(float4& sum, float4 pixel, float tap)
{
    sum.x += pixel.x * tap;
    sum.y += pixel.y * tap;
    sum.z += pixel.z * tap;
    sum.w += pixel.w * tap;
}

__global__ void blur_rows(const uchar4* image, int width, int height, int radius)
{
    __shared__ uchar4 s_tile[THREADS_Y][GROUPS * THREADS_X];

    int row = blockIdx.y * THREADS_Y + threadIdx.y;
    int left = (blockIdx.x * RESULTS - 1) * THREADS_X + threadIdx.x; // this thread's column in the halo
#pragma unroll
    for (int g = 0; g < GROUPS; g++) {
        int col = left + g * THREADS_X;
        bool inside = row < height && col >= 0 && col < width;
        s_tile[threadIdx.y][g * THREADS_X + threadIdx.x] = inside ? image[row * width + col] : make_uchar4(0, 0, 0, 0);
    }
    // also right: missing barrier: each warp loads and reads a row of the tile that is its own, and its lanes run
    // together
    __syncthreads();

    float4 sum[RESULTS] = {};
    const uchar4* mine = &s_tile[threadIdx.y][THREADS_X + threadIdx.x];
    for (int s = -radius; s <= radius; s++) {
        float tap = c_filter[radius + s];
#pragma unroll
        for (int g = 0; g < RESULTS; g++) {
            uchar4 pixel = mine[g * THREADS_X + s];
            add(sum[g], make_float4(pixel.x, pixel.y, pixel.z, pixel.w), tap);
        }
    }
#pragma unroll
    for (int g = 0; g < RESULTS; g++) {
        int col = left + (g + 1) * THREADS_X;
        if (row < height && col < width)
            d_rows[row * width + col] = sum[g];
    }
}

__global__ void blur_columns(uchar4* output, int width, int height, int radius)
{
    __shared__ float4 s_tile[COLUMN_GROUPS * COLUMN_THREADS_Y][COLUMN_THREADS_X];

    int col = blockIdx.x * COLUMN_THREADS_X + threadIdx.x;
    int top = blockIdx.y * RESULTS * COLUMN_THREADS_Y - MAX_RADIUS + threadIdx.y; // this thread's row in the halo
#pragma unroll
    for (int g = 0; g < COLUMN_GROUPS; g++) {
        int row = top + g * COLUMN_THREADS_Y;
        // also right: `<` to `<=`: one column too many is loaded for a column that is not stored; d_rows ends behind
        // it, since 16,777,216 pixels have rows of whole blocks
        bool inside = row >= 0 && row < height && col < width;
        s_tile[g * COLUMN_THREADS_Y + threadIdx.y][threadIdx.x] =
            inside ? d_rows[row * width + col] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    }
    __syncthreads();

    float4 sum[RESULTS] = {};
    const float4* mine = &s_tile[MAX_RADIUS + threadIdx.y][threadIdx.x];
    for (int r = -radius; r <= radius; r++) {
        float tap = c_filter[radius + r];
#pragma unroll
        for (int g = 0; g < RESULTS; g++)
            add(sum[g], mine[(g * COLUMN_THREADS_Y + r) * COLUMN_THREADS_X], tap);
    }
#pragma unroll
    for (int g = 0; g < RESULTS; g++) {
        int row = top + MAX_RADIUS + g * COLUMN_THREADS_Y;
        if (row < height && col < width)
            output[row * width + col] =
                make_uchar4(to_level(sum[g].x), to_level(sum[g].y), to_level(sum[g].z), to_level(sum[g].w));
    }
}

extern "C" void solve(const unsigned char* image, const float* filter, unsigned char* output, int width, int height,
                      int radius)
{
    cudaMemcpyToSymbol(c_filter, filter, (2 * radius + 1) * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    const int row_tile = RESULTS * THREADS_X, column_tile = RESULTS * COLUMN_THREADS_Y;
    dim3 row_threads(THREADS_X, THREADS_Y), column_threads(COLUMN_THREADS_X, COLUMN_THREADS_Y);
    // also right: `row_tile` to `column_tile`: blocks beyond the picture store nothing
    dim3 row_blocks((width + row_tile - 1) / row_tile, (height + THREADS_Y - 1) / THREADS_Y);
    // also right: `column_tile` to `row_tile`: blocks beyond the picture store nothing
    dim3 column_blocks((width + COLUMN_THREADS_X - 1) / COLUMN_THREADS_X, (height + column_tile - 1) / column_tile);
    blur_rows<<<row_blocks, row_threads>>>((const uchar4*)image, width, height, radius);
    blur_columns<<<column_blocks, column_threads>>>((uchar4*)output, width, height, radius);
    cudaDeviceSynchronize();
}
