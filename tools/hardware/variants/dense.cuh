// A convolution in one to three dimensions, with ghost cells or without. Further macros:
// TILE 1      the block reads its part of the input from shared memory
// WINDOW 1    a thread keeps a row of OUTPUTS_X inputs in registers and moves it from tap to tap
// FIXED_X, FIXED_Y  taps of a filter that has a kernel of its own, with loops that are unrolled completely
// ACROSS 1    neighbouring threads walk down the columns
// CHECKED 0   loads are not checked against the ends of the input; only without ghost cells and with one output a thread
// WIDE 1      four neighbouring outputs of a thread are stored at once, where they are aligned
// DIVIDE 1    row and column of a tap come from a division
// SUM         type of the sum
#pragma once
#include "common.cuh"

#ifndef TILE
#define TILE 0
#endif
#ifndef WINDOW
#define WINDOW 0
#endif
#ifndef FIXED_X
#define FIXED_X 0
#define FIXED_Y 0
#endif
#ifndef ACROSS
#define ACROSS 0
#endif
#ifndef CHECKED
#define CHECKED 1
#endif
#ifndef WIDE
#define WIDE 0
#endif
#ifndef DIVIDE
#define DIVIDE 0
#endif
#ifndef SUM
#define SUM float
#endif

struct Shape {
    int rows, cols;                     // of a plane of the input
    int taps_z, taps_y, taps_x;         // of the filter
    int out_planes, out_rows, out_cols; // of the output
    int top, left;                      // ghost rows above and columns before the input
    int tiles_x, tiles_y;               // of the output, one a block
};

constexpr int WIDTH = ACROSS ? BLOCK_Y : BLOCK_X, HEIGHT = ACROSS ? BLOCK_X : BLOCK_Y; // threads of a block
constexpr int STEP = SPREAD ? WIDTH : 1; // columns from one output of a thread to the next

extern __shared__ float s_memory[]; // the filter, if it is there, then the tile

__device__ inline float element(const float* plane, const Shape& s, int row, int col)
{
    bool inside = row >= 0 && row < s.rows && col >= 0 && col < s.cols;
    return !CHECKED || inside ? plane[row * s.cols + col] : 0.0f;
}

struct Source { // of one plane of the input, seen from the first output of the block
    const float* plane;
    const float* tile;
    int row, col, tile_cols; // of the block's first output, with its ghost cells; of the tile

    __device__ float at(const Shape& s, int y, int x) const
    {
        return TILE ? tile[y * tile_cols + x] : element(plane, s, row + y, col + x);
    }
};

__device__ inline void fill_tile(const Source& source, float* tile, const Shape& s, int rows)
{
    int thread = threadIdx.y * BLOCK_X + threadIdx.x;
    __syncthreads();
    for (int i = thread; i < rows * source.tile_cols; i += THREADS) {
        int row = source.row + i / source.tile_cols, col = source.col + i % source.tile_cols;
        bool inside = row >= 0 && row < s.rows && col >= 0 && col < s.cols;
        tile[i] = inside ? source.plane[row * s.cols + col] : 0.0f;
    }
    __syncthreads();
}

__device__ inline float tap(const float* filter, int i)
{
    return FILTER == FILTER_CONSTANT ? c_filter[i] : FILTER == FILTER_SHARED ? s_memory[i] : filter[i];
}

// Each tap with each output of the thread.
template <int FY, int FX>
__device__ inline void add_taps(const Source& source, const Shape& s, const float* filter, int first_tap, int y0, int x0,
                                SUM (&sum)[OUTPUTS_Y][OUTPUTS_X])
{
    const int taps_y = FY > 0 ? FY : s.taps_y, taps_x = FX > 0 ? FX : s.taps_x;
#if DIVIDE
    for (int i = 0; i < taps_y * taps_x; i++) {
        int y = i / taps_x, x = i % taps_x;
#else
    UNROLLED(FY > 0 ? FY : 1)
    for (int y = 0; y < taps_y; y++)
        UNROLLED(FX > 0 ? FX : UNROLL)
        for (int x = 0; x < taps_x; x++) {
#endif
            float w = tap(filter, first_tap + y * taps_x + x);
            _Pragma("unroll") for (int oy = 0; oy < OUTPUTS_Y; oy++)
                _Pragma("unroll") for (int ox = 0; ox < OUTPUTS_X; ox++)
                    sum[oy][ox] += source.at(s, y0 + oy + y, x0 + ox * STEP + x) * w;
        }
}

// Each row of inputs with all outputs that need it.
__device__ inline void slide_window(const Source& source, const Shape& s, const float* filter, int first_tap, int y0, int x0,
                                    SUM (&sum)[OUTPUTS_Y][OUTPUTS_X])
{
    for (int row = 0; row < s.taps_y + OUTPUTS_Y - 1; row++) {
        float window[OUTPUTS_X];
        _Pragma("unroll") for (int ox = 0; ox < OUTPUTS_X - 1; ox++)
            window[ox + 1] = source.at(s, y0 + row, x0 + ox);
        UNROLLED(UNROLL > 1 ? UNROLL : OUTPUTS_X)
        for (int x = 0; x < s.taps_x; x++) {
            _Pragma("unroll") for (int ox = 0; ox < OUTPUTS_X - 1; ox++)
                window[ox] = window[ox + 1];
            window[OUTPUTS_X - 1] = source.at(s, y0 + row, x0 + x + OUTPUTS_X - 1);
            _Pragma("unroll") for (int oy = 0; oy < OUTPUTS_Y; oy++) {
                int y = row - oy;
                if (y >= 0 && y < s.taps_y) {
                    float w = tap(filter, first_tap + y * s.taps_x + x);
                    _Pragma("unroll") for (int ox = 0; ox < OUTPUTS_X; ox++)
                        sum[oy][ox] += window[ox] * w;
                }
            }
        }
    }
}

__device__ inline void store(float* output, const Shape& s, int plane, int row, int col,
                             const SUM (&sum)[OUTPUTS_Y][OUTPUTS_X])
{
    _Pragma("unroll") for (int oy = 0; oy < OUTPUTS_Y; oy++) {
        if (row + oy >= s.out_rows)
            return;
        float* to = output + (plane * s.out_rows + row + oy) * s.out_cols + col;
#if WIDE
        if (col + OUTPUTS_X <= s.out_cols && reinterpret_cast<size_t>(to) % sizeof(float4) == 0) {
            *reinterpret_cast<float4*>(to) = make_float4(sum[oy][0], sum[oy][1], sum[oy][2], sum[oy][3]);
            continue;
        }
#endif
        _Pragma("unroll") for (int ox = 0; ox < OUTPUTS_X; ox++)
            if (col + ox * STEP < s.out_cols)
                to[ox * STEP] = sum[oy][ox];
    }
}

template <int FY, int FX>
__global__ void BOUNDS convolve(const float* input, const float* filter, float* output, Shape s, int first_block)
{
    int block = first_block + blockIdx.x, plane = block / s.tiles_x / s.tiles_y;
    int x = ACROSS ? threadIdx.y : threadIdx.x, y = ACROSS ? threadIdx.x : threadIdx.y;
    int first_row = block / s.tiles_x % s.tiles_y * HEIGHT * OUTPUTS_Y, first_col = block % s.tiles_x * WIDTH * OUTPUTS_X;
    int x0 = SPREAD ? x : x * OUTPUTS_X, y0 = y * OUTPUTS_Y, taps = s.taps_z * s.taps_y * s.taps_x;
    if (FILTER == FILTER_SHARED) {
        for (int i = threadIdx.y * BLOCK_X + threadIdx.x; i < taps; i += THREADS)
            s_memory[i] = filter[i];
        __syncthreads();
    }
    float* tile = s_memory + (FILTER == FILTER_SHARED ? taps : 0);
    bool is_idle = first_row + y0 >= s.out_rows || first_col + x0 >= s.out_cols;
    if (!TILE && is_idle)
        return;
    SUM sum[OUTPUTS_Y][OUTPUTS_X] = {};
    for (int z = 0; z < s.taps_z; z++) {
        Source source = {input + static_cast<size_t>(plane + z) * s.rows * s.cols, tile, first_row - s.top,
                         first_col - s.left, WIDTH * OUTPUTS_X + s.taps_x - 1};
        if (TILE)
            fill_tile(source, tile, s, HEIGHT * OUTPUTS_Y + s.taps_y - 1);
#if WINDOW
        slide_window(source, s, filter, z * s.taps_y * s.taps_x, y0, x0, sum);
#else
        add_taps<FY, FX>(source, s, filter, z * s.taps_y * s.taps_x, y0, x0, sum);
#endif
    }
    if (!is_idle)
        store(output, s, plane, first_row + y0, first_col + x0, sum);
}

static void convolve_dense(const float* input, const float* filter, float* output, Shape s)
{
    int taps = s.taps_z * s.taps_y * s.taps_x;
    s.tiles_x = parts(s.out_cols, WIDTH * OUTPUTS_X);
    s.tiles_y = parts(s.out_rows, HEIGHT * OUTPUTS_Y);
    size_t floats = FILTER == FILTER_SHARED ? taps : 0;
    if (TILE)
        floats += static_cast<size_t>(HEIGHT * OUTPUTS_Y + s.taps_y - 1) * (WIDTH * OUTPUTS_X + s.taps_x - 1);
    auto kernel = FIXED_X > 0 && s.taps_x == FIXED_X && s.taps_y == FIXED_Y ? convolve<FIXED_Y, FIXED_X> : convolve<0, 0>;
    cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10);
    if (FILTER == FILTER_CONSTANT)
        cudaMemcpyToSymbol(c_filter, filter, taps * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    in_launches(s.tiles_x * s.tiles_y * s.out_planes, [&](int first, int blocks) {
        kernel<<<blocks, dim3(BLOCK_X, BLOCK_Y), floats * sizeof(float)>>>(input, filter, output, s, first);
    });
    cudaDeviceSynchronize();
}
