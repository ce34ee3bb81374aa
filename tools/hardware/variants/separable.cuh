// Two passes over an image of one number or of four bytes (RGB 1) a pixel: rows, then columns. Further macros:
// TILE 1        a pass reads its pixels from shared memory
// PASSES 1      one pass with all taps of the square filter
// TRANSPOSED 1  the tile of the second pass is stored column by column, so that a warp reads from one bank
#pragma once
#include "common.cuh"

#ifndef RGB
#define RGB 0
#endif
#ifndef TILE
#define TILE 0
#endif
#ifndef PASSES
#define PASSES 2
#endif
#ifndef TRANSPOSED
#define TRANSPOSED 0
#endif

#if RGB
using Pixel = uchar4; // as it is stored
using Value = float4;
__device__ inline Value value_of(Pixel p)
{
    return make_float4(p.x, p.y, p.z, p.w);
}
__device__ inline unsigned char level(float value)
{
    return static_cast<unsigned char>(__float2int_rn(fminf(fmaxf(value, 0.0f), 255.0f)));
}
__device__ inline Pixel pixel_of(Value v)
{
    return make_uchar4(level(v.x), level(v.y), level(v.z), level(v.w));
}
__device__ inline void add(Value& sum, Value v, float w)
{
    sum.x += v.x * w;
    sum.y += v.y * w;
    sum.z += v.z * w;
    sum.w += v.w * w;
}
__device__ inline Value value_of(Value v)
{
    return v;
}
#else
using Pixel = float;
using Value = float;
__device__ inline Value value_of(Value v)
{
    return v;
}
__device__ inline Pixel pixel_of(Value v)
{
    return v;
}
__device__ inline void add(Value& sum, Value v, float w)
{
    sum += v * w;
}
#endif
__device__ inline void put(Value* to, Value v)
{
    *to = v;
}
#if RGB
__device__ inline void put(Pixel* to, Value v)
{
    *to = pixel_of(v);
}
#endif

constexpr int MOST_RADIUS = 32, MOST_PIXELS = 1 << 24;
constexpr int TILE_X = BLOCK_X * OUTPUTS_X, TILE_Y = BLOCK_Y * OUTPUTS_Y; // outputs of a block
__device__ Value d_rows[MOST_PIXELS];

// The outputs of a thread lie a block's size apart, or with SPREAD 0 side by side.
__device__ inline int place(int thread, int threads, int outputs, int i)
{
    return SPREAD ? thread + i * threads : thread * outputs + i;
}

__device__ inline float tap(const float* filter, int first, int i)
{
    extern __shared__ float4 s_memory[];
    const float* s_filter = reinterpret_cast<const float*>(s_memory);
    return FILTER == FILTER_CONSTANT ? c_filter[first + i] : FILTER == FILTER_SHARED ? s_filter[i] : filter[i];
}

// One pass along the rows (DOWN 0) or the columns (DOWN 1). `first`: of its taps in c_filter.
template <int DOWN, typename From, typename To>
__global__ void BOUNDS pass(const From* from, const float* filter, To* to, int width, int height, int radius, int first,
                            int tiles_x, int first_block)
{
    extern __shared__ float4 s_memory[];
    Value* tile = reinterpret_cast<Value*>(s_memory + (FILTER == FILTER_SHARED ? (2 * MOST_RADIUS + 4) / 4 : 0));
    int block = first_block + blockIdx.x, col0 = block % tiles_x * TILE_X, row0 = block / tiles_x * TILE_Y;
    int thread = threadIdx.y * BLOCK_X + threadIdx.x, taps = 2 * radius + 1;
    int tile_x = TILE_X + (DOWN ? 0 : 2 * radius), tile_y = TILE_Y + (DOWN ? 2 * radius : 0);
    int left = DOWN ? 0 : radius, top = DOWN ? radius : 0;
    auto in_tile = [&](int y, int x) { return TRANSPOSED && DOWN ? x * tile_y + y : y * tile_x + x; };
    for (int i = thread; FILTER == FILTER_SHARED && i < taps; i += THREADS)
        reinterpret_cast<float*>(s_memory)[i] = filter[i];
    for (int i = thread; TILE && i < tile_x * tile_y; i += THREADS) {
        int row = row0 + i / tile_x - top, col = col0 + i % tile_x - left;
        bool inside = row >= 0 && row < height && col >= 0 && col < width;
        tile[in_tile(i / tile_x, i % tile_x)] = inside ? value_of(from[row * width + col]) : Value{};
    }
    __syncthreads();
    _Pragma("unroll") for (int oy = 0; oy < OUTPUTS_Y; oy++)
        _Pragma("unroll") for (int ox = 0; ox < OUTPUTS_X; ox++) {
            int y = place(threadIdx.y, BLOCK_Y, OUTPUTS_Y, oy), x = place(threadIdx.x, BLOCK_X, OUTPUTS_X, ox);
            if (row0 + y >= height || col0 + x >= width)
                continue;
            Value sum = {};
            UNROLLED(UNROLL)
            for (int i = 0; i < taps; i++) {
                int row = row0 + y + (DOWN ? i - radius : 0), col = col0 + x + (DOWN ? 0 : i - radius);
                if (TILE)
                    add(sum, tile[in_tile(y + (DOWN ? i : 0), x + (DOWN ? 0 : i))], tap(filter, first, i));
                else if (row >= 0 && row < height && col >= 0 && col < width)
                    add(sum, value_of(from[row * width + col]), tap(filter, first, i));
            }
            put(&to[(row0 + y) * width + col0 + x], sum);
        }
}

__global__ void BOUNDS square(const Pixel* from, const float* row_filter, const float* column_filter, Pixel* to, int width,
                              int height, int radius, int tiles_x, int first_block)
{
    int block = first_block + blockIdx.x, taps = 2 * radius + 1;
    int row = block / tiles_x * BLOCK_Y + threadIdx.y, col = block % tiles_x * BLOCK_X + threadIdx.x;
    if (row >= height || col >= width)
        return;
    Value sum = {};
    for (int r = 0; r < taps; r++)
        for (int s = 0; s < taps; s++) {
            int y = row + r - radius, x = col + s - radius;
            float w = FILTER == FILTER_CONSTANT ? c_filter[r + MOST_RADIUS * 2 + 1] * c_filter[s]
                                                : column_filter[r] * row_filter[s];
            if (y >= 0 && y < height && x >= 0 && x < width)
                add(sum, value_of(from[y * width + x]), w);
        }
    put(&to[row * width + col], sum);
}

static void convolve_separable(const Pixel* input, const float* row_filter, const float* column_filter, Pixel* output,
                               int width, int height, int radius)
{
    size_t filter_bytes = (2 * radius + 1) * sizeof(float);
    constexpr int SECOND = 2 * MOST_RADIUS + 1; // place of the column filter
    if (FILTER == FILTER_CONSTANT) {
        cudaMemcpyToSymbol(c_filter, row_filter, filter_bytes, 0, cudaMemcpyDeviceToDevice);
        cudaMemcpyToSymbol(c_filter, column_filter, filter_bytes, SECOND * sizeof(float), cudaMemcpyDeviceToDevice);
    }
    dim3 threads(BLOCK_X, BLOCK_Y);
    if (PASSES == 1) {
        int tiles_x = parts(width, BLOCK_X);
        in_launches(tiles_x * parts(height, BLOCK_Y), [&](int first, int blocks) {
            square<<<blocks, threads>>>(input, row_filter, column_filter, output, width, height, radius, tiles_x, first);
        });
        cudaDeviceSynchronize();
        return;
    }
    int tiles_x = parts(width, TILE_X), all = tiles_x * parts(height, TILE_Y);
    Value* rows = nullptr;
    cudaGetSymbolAddress(reinterpret_cast<void**>(&rows), d_rows);
    size_t shared = FILTER == FILTER_SHARED ? (2 * MOST_RADIUS + 4) / 4 * sizeof(float4) : 0;
    size_t wide = TILE ? (TILE_X + 2 * radius) * TILE_Y * sizeof(Value) : 0;
    size_t tall = TILE ? TILE_X * (TILE_Y + 2 * radius) * sizeof(Value) : 0;
    auto along = pass<0, Pixel, Value>;
    auto down = pass<1, Value, Pixel>;
    cudaFuncSetAttribute(reinterpret_cast<const void*>(along), cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10);
    cudaFuncSetAttribute(reinterpret_cast<const void*>(down), cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10);
    in_launches(all, [&](int first, int blocks) {
        along<<<blocks, threads, shared + wide>>>(input, row_filter, rows, width, height, radius, 0, tiles_x, first);
    });
    in_launches(all, [&](int first, int blocks) {
        down<<<blocks, threads, shared + tall>>>(rows, column_filter, output, width, height, radius, SECOND, tiles_x, first);
    });
    cudaDeviceSynchronize();
}
