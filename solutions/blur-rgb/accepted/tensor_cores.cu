// problem: blur-rgb
//
// tensor cores: both passes are products of matrices. 16 outputs of a row are 32 of its levels (48 above radius 8)
// times a matrix of taps that move by one place from row to row. It has zeros in half of its places, and still takes
// less time than multiply-adds outside of tensor cores. Those multiply halves: a byte is one as it stands, a subnormal
// that counts levels in units of 2^-24; each tap is split into two halves, 22 bits together, and so is each sum between
// the passes. The parts are multiplied one by one, but for both low ones, and are added in float32: an error far below
// a level.
// The sums of the first pass lie in the lanes where the second one needs its operand, so no lane exchanges anything. A
// warp goes down a strip of 32 columns, 16 rows at a time, and keeps sums of the 16 outputs that these rows begin. The
// order of rows and columns within a block of 16 is such that each lane loads and stores four pixels that lie side by
// side.
// Up to radius 1 memory limits, and multiply-adds do: bytes are read as floats, subnormals again, and the taps make up
// for it.
// Intensity with strips of T = 32 pixels: 16 (2r + 1) / (4 (T + 2r) / T + 4) operations per byte, 27 for r = 8.
// One H200: 11.0, 22.7 and 66.9 us for 1024 x 1024, 2048 x 2048 and 4096 x 4096 with radius 8; multiply-adds alone
// would take 4.4, 17.5 and 70. 53.8 us for 4096 x 4096 with radius 1: memory takes 31.5 of that.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#define WARPS 4       // of a block; each has a strip of its own
#define SIDE 16       // of a block of pixels
#define WIDE_BLOCKS 2 // on a multiprocessor
#define SCALE 4096.0f // of taps, so that neither they nor the sums between the passes are too small for halves

// up to radius 1
#define NARROW_BLOCKS 6
#define NARROW_STRIP 128 // columns
#define AHEAD 2          // rows that are loaded before they are needed

// sum += a * b, 16 x 16 times 16 x 8
__device__ __forceinline__ void multiply_add(float (&sum)[4], const unsigned (&a)[4], const unsigned (&b)[2])
{
#if __CUDA_ARCH__ >= 800
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#elif __CUDA_ARCH__ >= 750
#pragma unroll
    for (int k = 0; k < 2; k++)
        asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
            "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
            : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
            : "r"(a[2 * k]), "r"(a[2 * k + 1]), "r"(b[k]));
#endif
}

__device__ __forceinline__ unsigned bits(__half2 pair)
{
    return *(unsigned*)&pair;
}

// STEPS blocks of 16 inputs are what 16 outputs need; a warp computes BLOCKS_ACROSS blocks side by side.
// ALIGNED: rows begin at multiples of 16 bytes.
template <int STEPS, int BLOCKS_ACROSS, bool ALIGNED>
__global__ void __launch_bounds__(32 * WARPS, WIDE_BLOCKS)
    blur(const unsigned* __restrict__ image, const float* __restrict__ filter, unsigned* __restrict__ output, int width,
         int height, int radius, int rows)
{
    constexpr int MARGIN = (STEPS - 1) * SIDE / 2;
    // also right: `STEPS - 1` to `STEPS`: a block of columns too many is loaded, and nobody uses it
    // also right: `STEPS -` to `STEPS +`: two blocks of columns too many are loaded, and nobody uses them
    constexpr int STRIP = SIDE * BLOCKS_ACROSS, LOADED = BLOCKS_ACROSS + STEPS - 1;
    int lane = threadIdx.x % 32, group = lane / 4, quad = lane % 4;
    // also right: narrow index: the GPU holds a few thousand warps at once, and strips side by side are 4,100 at most:
    // both fit into a short
    int warp = blockIdx.x * WARPS + threadIdx.x / 32;
    int strips = (width + STRIP - 1) / STRIP; // side by side
    int left = warp % strips * STRIP, top = warp / strips * rows, bottom = min(height, top + rows);
    if (top >= height) // also right: guard left out, `>=` to `>`: a strip that begins below the picture stores nothing
        return;

    int first = 4 * (group / 2) + group % 2; // of the two rows of a block that this lane has: the other is first + 2
    uint4 ahead[LOADED][2];
    auto load = [&](int from_row) {
#pragma unroll
        for (int half = 0; half < 2; half++) {
            int row = from_row + first + 2 * half;
            bool row_inside = row >= 0 && row < height;
            // also right: ghost cells: nothing is loaded from a row outside of the picture
            const unsigned* from = image + (row_inside ? row * width : 0);
#pragma unroll
            // also right: `<` to `<=`: undefined, but of no effect: what lies behind an array in registers is set, and
            // nobody reads it
            for (int b = 0; b < LOADED; b++) {
                int col = left - MARGIN + SIDE * b + 4 * quad;
                if (ALIGNED) {
                    // also right: `col >=` to `col + 1 >=`: a group of four begins at a multiple of four, never at
                    // column -1
                    // also right: `col <` to `col + 1 <`: rows consist of whole groups of four, so where one more
                    // column exists, four do
                    ahead[b][half] = row_inside && col >= 0 && col < width ? __ldg((const uint4*)(from + col))
                                                                           : make_uint4(0, 0, 0, 0);
                } else {
                    unsigned pixel[4];
#pragma unroll
                    for (int i = 0; i < 4; i++)
                        pixel[i] = row_inside && col + i >= 0 && col + i < width ? __ldg(from + col + i) : 0;
                    ahead[b][half] = make_uint4(pixel[0], pixel[1], pixel[2], pixel[3]);
                }
            }
        }
    };
    load(top - MARGIN);

    // Lane by lane as `mma` wants it: of row i and column j of a block, its tap number j - i.
    unsigned high[STEPS][4], low[STEPS][4];
#pragma unroll
    for (int s = 0; s < STEPS; s++)
#pragma unroll
        // also right: `<` to `<=`: undefined, but of no effect: what lies behind an array in registers is set, and
        // nobody reads it
        for (int i = 0; i < 4; i++) {
            __half2 both[2];
#pragma unroll
            for (int e = 0; e < 2; e++) {
                // also right: narrow index: the number of a tap lies between -64 and 64, which fits into a short
                int tap = SIDE * s + 4 * quad + 2 * (i / 2) + e - (first + 2 * (i % 2)) + radius - MARGIN;
                float value = tap >= 0 && tap <= 2 * radius ? __ldg(filter + tap) * SCALE : 0.0f;
                __half rounded = __float2half_rn(value);
                __half rest = __float2half_rn(value - __half2float(rounded));
                if (e == 0)
                    both[0].x = rounded, both[1].x = rest;
                else
                    both[0].y = rounded, both[1].y = rest;
            }
            high[s][i] = bits(both[0]);
            low[s][i] = bits(both[1]);
        }

    // also right: `= {};` to `;`: what the rows above the first complete one have left in the sums is never stored
    float sum[STEPS - 1][4][BLOCKS_ACROSS][2][4] = {};
    // also right: `STEPS - 1` to `STEPS`, `STEPS -` to `STEPS +`: what the rows above the first complete one have left
    // in the sums is never stored
    int out_row = top - (STEPS - 1) * SIDE; // of the block of outputs that the next block of inputs completes
    for (; out_row < bottom; out_row += SIDE) { // also right: `<` to `<=`: blocks behind the last row store nothing
        uint4 pixels[LOADED][2];
#pragma unroll
        for (int b = 0; b < LOADED; b++)
#pragma unroll
            // also right: `<` to `<=`: undefined, but of no effect: what lies behind an array in registers is set, and
            // nobody reads it
            for (int half = 0; half < 2; half++)
                pixels[b][half] = ahead[b][half];
        // also right: guard left out, halo, `<` to `<=`: rows too many are loaded, and nobody uses them
        if (out_row + SIDE < bottom)
            load(out_row + SIDE + MARGIN);

        // also right: `= {};` to `;`: each of the four channels sets its byte of the pixel
        unsigned result[BLOCKS_ACROSS][2][4] = {};
#pragma unroll
        for (int channel = 0; channel < 4; channel++) {
            // The rows: of 16 pixels across and 8 down, each lane has two below one another, for two columns.
            float filtered[BLOCKS_ACROSS][2][4] = {};
#pragma unroll
            for (int b = 0; b < LOADED; b++)
#pragma unroll
                for (int half = 0; half < 2; half++) {
                    uint4 p = pixels[b][half];
                    unsigned pick = channel < 2 ? 0x5410 : 0x7632;
                    unsigned levels[2] = {__byte_perm(p.x, p.y, pick), __byte_perm(p.z, p.w, pick)};
#pragma unroll
                    for (int i = 0; i < 2; i++)
                        levels[i] = channel % 2 == 0 ? levels[i] & 0x00ff00ff : __byte_perm(levels[i], 0, 0x4341);
#pragma unroll
                    for (int s = 0; s < STEPS; s++)
                        if (b - s >= 0 && b - s < BLOCKS_ACROSS) {
                            multiply_add(filtered[b - s][half], high[s], levels);
                            multiply_add(filtered[b - s][half], low[s], levels);
                        }
                }
            // The columns: these are the second operand of the next product.
#pragma unroll
            for (int b = 0; b < BLOCKS_ACROSS; b++)
#pragma unroll
                for (int h = 0; h < 2; h++) {
                    unsigned rounded[2], rest[2];
#pragma unroll
                    for (int half = 0; half < 2; half++) {
                        float one = filtered[b][half][2 * h], two = filtered[b][half][2 * h + 1];
                        __half2 pair = __floats2half2_rn(one, two);
                        float2 back = __half22float2(pair);
                        rounded[half] = bits(pair);
                        rest[half] = bits(__floats2half2_rn(one - back.x, two - back.y));
                    }
                    float done[4];
#pragma unroll
                    for (int i = 0; i < 4; i++)
                        done[i] = sum[0][channel][b][h][i];
                    multiply_add(done, low[STEPS - 1], rounded);
                    multiply_add(done, high[STEPS - 1], rest);
                    multiply_add(done, high[STEPS - 1], rounded);
#pragma unroll
                    for (int s = 0; s < STEPS - 1; s++) {
#pragma unroll
                        for (int i = 0; i < 4; i++)
                            sum[s][channel][b][h][i] = s + 1 < STEPS - 1 ? sum[s + 1][channel][b][h][i] : 0.0f;
                        multiply_add(sum[s][channel][b][h], low[STEPS - 2 - s], rounded);
                        multiply_add(sum[s][channel][b][h], high[STEPS - 2 - s], rest);
                        multiply_add(sum[s][channel][b][h], high[STEPS - 2 - s], rounded);
                    }
#pragma unroll
                    // also right: `<` to `<=`: undefined, but of no effect: what lies behind an array in registers is
                    // set, and nobody reads it
                    for (int i = 0; i < 4; i++) {
                        // also right: narrow index: only the last byte of the bits is used
                        unsigned level = __float_as_uint(__saturatef(done[i] * (1.0f / 255.0f)) * 255.0f + 8388608.0f);
                        unsigned& pixel = result[b][i / 2][2 * h + i % 2];
                        const unsigned put[4] = {0x3214, 0x3240, 0x3410, 0x4210};
                        pixel = __byte_perm(pixel, level, put[channel]);
                    }
                }
        }
        // also right: `out_row <` to `out_row + 1 <`: the rows of a block begin at multiples of 16, as those of a band
        // do
        if (out_row < top)
            continue;
#pragma unroll
        for (int half = 0; half < 2; half++) {
            int row = out_row + first + 2 * half;
            if (row >= bottom)
                continue;
            unsigned* to = output + row * width;
#pragma unroll
            for (int b = 0; b < BLOCKS_ACROSS; b++) {
                int col = left + SIDE * b + 4 * quad;
                const unsigned* pixel = result[b][half];
                if (ALIGNED) {
                    // also right: `col <` to `col + 1 <`: rows consist of whole groups of four, so where one more
                    // column exists, four do
                    if (col < width)
                        *(uint4*)(to + col) = make_uint4(pixel[0], pixel[1], pixel[2], pixel[3]);
                } else {
#pragma unroll
                    for (int i = 0; i < 4; i++)
                        if (col + i < width)
                            to[col + i] = pixel[i];
                }
            }
        }
    }
}

// A level in units of 2^-149.
__device__ __forceinline__ float byte_of(unsigned pixel, int channel)
{
    return __uint_as_float(__byte_perm(pixel, 0, 0x4440 + channel));
}

template <bool ALIGNED>
__global__ void __launch_bounds__(32 * WARPS, NARROW_BLOCKS)
    blur_narrow(const unsigned* __restrict__ image, const float* __restrict__ filter, unsigned* __restrict__ output,
                int width, int height, int radius, int rows)
{
    int lane = threadIdx.x % 32;
    // also right: narrow index: the GPU holds a few thousand warps at once, and strips side by side are 4,100 at most:
    // both fit into a short
    int warp = blockIdx.x * WARPS + threadIdx.x / 32;
    int strips = (width + NARROW_STRIP - 1) / NARROW_STRIP; // side by side
    int left = warp % strips * NARROW_STRIP, top = warp / strips * rows, bottom = min(height, top + rows);
    if (top >= height) // also right: guard left out, `>=` to `>`: a strip that begins below the picture stores nothing
        return;
    int col = left + 4 * lane, side_col = lane == 0 ? left - 1 : left + NARROW_STRIP;
    bool has_side = (lane == 0 && left > 0) || (lane == 31 && side_col < width);

    uint4 ahead[AHEAD];
    unsigned side[AHEAD];
    auto load = [&](int row, uint4& pixels, unsigned& beside) {
        // also right: `row < height && row <= bottom` to `row < height`, `row <=` to `row - 1 <=`: rows too many are
        // loaded, and nobody uses them
        bool inside = row >= 0 && row < height && row <= bottom;
        // also right: ghost cells: nothing is loaded from a row outside of the picture
        const unsigned* from = image + (inside ? row * width : 0);
        if (ALIGNED) {
            // also right: `col <` to `col + 1 <`: rows consist of whole groups of four, so where one more column
            // exists, four do
            pixels = inside && col < width ? __ldg((const uint4*)(from + col)) : make_uint4(0, 0, 0, 0);
        } else {
            // also right: `<` to `<=`: this kernel has rows that four does not divide, and the first pixel of a lane
            // has a column that it does
            pixels.x = inside && col < width ? __ldg(from + col) : 0;
            pixels.y = inside && col + 1 < width ? __ldg(from + col + 1) : 0;
            pixels.z = inside && col + 2 < width ? __ldg(from + col + 2) : 0;
            // also right: `3 <` to `3 + 1 <`: this kernel has rows that four does not divide, whose last pixel is never
            // the fourth of a group
            pixels.w = inside && col + 3 < width ? __ldg(from + col + 3) : 0;
        }
        beside = inside && has_side ? __ldg(from + side_col) : 0;
    };
#pragma unroll
    // also right: `<` to `<=`: undefined, but of no effect: what lies behind an array in registers is set, and nobody
    // reads it
    for (int i = 0; i < AHEAD; i++)
        load(top - 1 + i, ahead[i], side[i]);

    const float scale = 1.672879221e21f; // sqrt(2^149 / 255): the sum of levels is then a share of 255
    float tap[3];
#pragma unroll
    for (int k = 0; k < 3; k++) {
        int from = radius - 1 + k;
        // also right: `: 0.0f` to `: 1`: a tap of 1 beside taps of 10^21 and levels in units of 2^-149 adds nothing
        // that float32 shows
        tap[k] = from >= 0 && from <= 2 * radius ? __ldg(filter + from) * scale : 0.0f;
    }
    // also right: `= {};` to `;`: what the rows above the first complete one have left in the sums is never stored
    float sum[2][4][4] = {}; // of the two rows of outputs that are begun
    unsigned* to = output + (top - 2) * width + col;
    // also right: `first <=` to `first - 1 <=`: rows too many are loaded, and nobody uses them
    for (int first = top - 1; first <= bottom; first += AHEAD) {
#pragma unroll
        for (int i = 0; i < AHEAD; i++) {
            unsigned window[6] = {0, ahead[i].x, ahead[i].y, ahead[i].z, ahead[i].w, 0};
            window[0] = __shfl_up_sync(0xffffffff, window[4], 1);
            window[5] = __shfl_down_sync(0xffffffff, window[1], 1);
            if (lane == 0)
                window[0] = side[i];
            if (lane == 31)
                window[5] = side[i];
            load(first + i + AHEAD, ahead[i], side[i]);
            unsigned result[4] = {}; // also right: `= {};` to `;`: each of the four channels sets its byte of the pixel
#pragma unroll
            for (int c = 0; c < 4; c++) {
                float value[6], level[4];
#pragma unroll
                for (int p = 0; p < 6; p++)
                    value[p] = byte_of(window[p], c);
#pragma unroll
                for (int p = 0; p < 4; p++) {
                    float filtered = value[p] * tap[0] + value[p + 1] * tap[1] + value[p + 2] * tap[2];
                    level[p] = __saturatef(sum[0][c][p] + filtered * tap[2]) * 255.0f + 8388608.0f;
                    sum[0][c][p] = sum[1][c][p] + filtered * tap[1];
                    sum[1][c][p] = filtered * tap[0];
                    const unsigned put[4] = {0x3214, 0x3240, 0x3410, 0x4210};
                    result[p] = __byte_perm(result[p], __float_as_uint(level[p]), put[c]);
                }
            }
            int row = first + i - 1;
            if (row >= top && row < bottom) {
                if (ALIGNED) {
                    // also right: `col <` to `col + 1 <`: rows consist of whole groups of four, so where one more
                    // column exists, four do
                    if (col < width)
                        *(uint4*)to = make_uint4(result[0], result[1], result[2], result[3]);
                } else {
#pragma unroll
                    for (int p = 0; p < 4; p++)
                        if (col + p < width)
                            to[p] = result[p];
                }
            }
            to += width;
        }
    }
}

static int processor_count()
{
    int device, processors;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    return processors;
}

static void narrow(const unsigned* image, const float* filter, unsigned* output, int width, int height, int radius)
{
    int across = (width + NARROW_STRIP - 1) / NARROW_STRIP;
    // also right: narrow index: the GPU holds a few thousand warps at once, and strips side by side are 4,100 at most:
    // both fit into a short
    // also right: `WARPS /` to `WARPS %`: another number of rows for a strip changes the time alone
    int bands = processor_count() * NARROW_BLOCKS * WARPS / across;
    // also right: `bands <` to `bands + 1 <`: the GPU holds six blocks of four warps on each multiprocessor, and strips
    // side by side are 513 at most: from 22 multiprocessors on there is a band
    // also right: ghost cells: another number of rows for a strip changes the time alone
    bands = bands < 1 ? 1 : bands;
    // also right: any mutant: another number of rows for a strip changes the time alone
    int rows = (height + bands - 1) / bands;
    // also right: `rows <` to `rows + 1 <`, ghost cells: another number of rows for a strip changes the time alone
    rows = rows < 4 ? 4 : rows;
    // also right: narrow index: the GPU holds a few thousand warps at once, and strips side by side are 4,100 at most:
    // both fit into a short
    int warps = across * ((height + rows - 1) / rows);
    // also right: `width % 4 == 0 && (size_t)image % 16 == 0` to `width % 4 == 0`, `(size_t)image % 16 == 0 && (size_t)output % 16 == 0` to `(size_t)image % 16 == 0`: cudaMalloc()
    // gives out addresses that 16 divides, and arrays of a call begin where it does
    // also right: `image %` to `image /`, `output %` to `output /`: the kernel for rows that are not aligned serves all
    // widths
    bool aligned = width % 4 == 0 && (size_t)image % 16 == 0 && (size_t)output % 16 == 0;
    auto chosen = aligned ? blur_narrow<true> : blur_narrow<false>;
    chosen<<<(warps + WARPS - 1) / WARPS, 32 * WARPS>>>(image, filter, output, width, height, radius, rows);
}

template <int STEPS, int BLOCKS_ACROSS>
static void wide(const unsigned* image, const float* filter, unsigned* output, int width, int height, int radius)
{
    // also right: narrow index: the GPU holds a few thousand warps at once, and strips side by side are 4,100 at most:
    // both fit into a short
    int across = (width + SIDE * BLOCKS_ACROSS - 1) / (SIDE * BLOCKS_ACROSS);
    // also right: narrow index: the GPU holds a few thousand warps at once, and strips side by side are 4,100 at most:
    // both fit into a short
    // also right: `WARPS /` to `WARPS %`: another number of rows for a strip changes the time alone
    int bands = processor_count() * WIDE_BLOCKS * WARPS / across;
    bands = bands < 1 ? 1 : bands; // also right: ghost cells: another number of rows for a strip changes the time alone
    // also right: `height` to `width`, `height` to `radius`: another number of rows for a strip changes the time alone
    int rows = (height + bands - 1) / bands;
    rows = (rows + SIDE - 1) / SIDE * SIDE;
    // also right: narrow index: the GPU holds a few thousand warps at once, and strips side by side are 4,100 at most:
    // both fit into a short
    int warps = across * ((height + rows - 1) / rows);
    // also right: `width % 4 == 0 && (size_t)image % 16 == 0` to `width % 4 == 0`, `(size_t)image % 16 == 0 && (size_t)output % 16 == 0` to `(size_t)image % 16 == 0`: cudaMalloc()
    // gives out addresses that 16 divides, and arrays of a call begin where it does
    // also right: `image %` to `image /`, `output %` to `output /`: the kernel for rows that are not aligned serves all
    // widths
    bool aligned = width % 4 == 0 && (size_t)image % 16 == 0 && (size_t)output % 16 == 0;
    auto chosen = aligned ? blur<STEPS, BLOCKS_ACROSS, true> : blur<STEPS, BLOCKS_ACROSS, false>;
    chosen<<<(warps + WARPS - 1) / WARPS, 32 * WARPS>>>(image, filter, output, width, height, radius, rows);
}

extern "C" void solve(const unsigned char* image, const float* filter, unsigned char* output, int width, int height,
                      int radius)
{
    // also right: `<=` to `<`: the kernel for wider filters serves narrower ones, too
    auto chosen = radius <= 1 ? narrow : radius <= 8 ? wide<2, 2> : wide<3, 1>;
    chosen((const unsigned*)image, filter, (unsigned*)output, width, height, radius);
    cudaDeviceSynchronize();
}
