// problem: conv2d-separable
//
// partial sums in registers: up to radius 8, a warp goes down a strip of 128 columns. Of each row it computes four
// filtered elements a lane, and adds them, times the taps of the column filter, to the sums of the 2r + 1 outputs that
// they belong to. These sums move up by one place for every row; that costs nothing, since an FMA may write to another
// register than it adds to. So the rows between the passes are never stored. Rows of the image come by asynchronous
// copies, 14 ahead, into a ring in shared memory that only this warp uses: no warp waits for others. Every other strip
// is filtered from below, so that neighbours read the rows that both need at the same time.
// A strip reads 2r rows more than it has. Images too small for long strips are therefore cut into tiles, one a block,
// and so are both passes for larger radii, where 2r sums of four columns are too many for the registers: there a
// thread computes 16 outputs, and loads each element and each tap once for all of them.
// Intensity with strips of T = 128 columns: 4 (2r + 1) / (4 (T + 2r) / T + 4) operations per byte, 8 for r = 8.
// One H200: 8.7, 17.9 and 47.6 us for 1024 x 1024, 2048 x 2048 and 4096 x 4096 with radius 8: memory takes 2.0, 7.9
// and 31.5 of that. 44.0 us for 2048 x 2048 with radius 32: multiply-adds take 16.7 of that.
#include <cuda_runtime.h>

#define MAX_PIXELS 16777216
#define MAX_RADIUS 32

// strips
#define WARPS 4  // of a block; each has a strip of its own
#define BLOCKS 2 // on a multiprocessor
#define COLUMNS 4 // of a lane
#define STRIP (32 * COLUMNS)
#define RING 16 // rows in shared memory
#define GROUP 2 // of them are copied and filtered together
#define GROUPS (RING / GROUP)
#define LEAST_ROWS 64 // of a strip, if half as many warps do

// tiles, and the images that they are for
#define SMALL 1500000
#define TILE_COLS 64
#define TILE_ROWS 32
#define TILE_THREADS 128
#define ROW_OUTPUTS 8 // of a thread
#define COLUMN_OUTPUTS (TILE_ROWS * TILE_COLS / TILE_THREADS)

// two passes
#define THREADS 256
#define OUTPUTS 16 // of a thread
#define CHUNK 32   // taps: all but the last one come in such chunks, zeros at both ends
#define TAPS_SPACE (2 * MAX_RADIUS + 4)
#define ROW_COLS 128
#define ROW_ROWS (THREADS * OUTPUTS / ROW_COLS)
#define ROW_PITCH (ROW_COLS + 2 * MAX_RADIUS + 4) // an odd number of 16 bytes: rows begin in different banks
#define COLUMN_COLS 32
#define COLUMN_ROWS (THREADS * OUTPUTS / COLUMN_COLS)

__device__ alignas(16) float d_rows[MAX_PIXELS]; // the image after the first of two passes

// Copies 4 or 16 bytes to shared memory in the background, zeros if `inside` is false.
template <int BYTES>
__device__ __forceinline__ void copy_async(float* s_to, const float* from, bool inside)
{
#if __CUDA_ARCH__ >= 800
    unsigned to = (unsigned)__cvta_generic_to_shared(s_to);
    // also right: `: 0` to `: 1`: one byte of an element beyond the border, as a float below 1e-42, is less than any
    // tolerance
    int bytes = inside ? BYTES : 0;
    if (BYTES == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
#else
    for (int i = 0; i < BYTES / 4; i++)
        s_to[i] = inside ? from[i] : 0.0f;
#endif
}

__device__ __forceinline__ void end_of_group()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

// Waits until all but the last PENDING groups of copies are there.
template <int PENDING>
__device__ __forceinline__ void wait_for_group()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
#endif
}

// RADIUS is at least `radius`; what it is more has taps of zero. ALIGNED: rows begin at multiples of 16 bytes.
template <int RADIUS, bool ALIGNED>
__global__ void __launch_bounds__(32 * WARPS, BLOCKS)
    convolve(const float* __restrict__ input, const float* __restrict__ row_filter,
             const float* __restrict__ column_filter, float* __restrict__ output, int width, int height, int radius,
             int rows)
{
    constexpr int TAPS = 2 * RADIUS + 1;
    // also right: `) /` to `) %`: a halo of 12 columns, more than is needed, is whole groups of four as well, and the
    // tile has room for it
    constexpr int HALO = (RADIUS + 3) / 4 * 4; // whole groups of four columns
    constexpr int PITCH = STRIP + 2 * HALO;
    __shared__ alignas(16) float s_rings[WARPS][RING][PITCH];

    int lane = threadIdx.x % 32;
    // also right: narrow index: there are as many warps as the GPU holds at once, or as strips, 1,024 at most
    int warp = blockIdx.x * WARPS + threadIdx.x / 32;
    int strips = (width + STRIP - 1) / STRIP; // side by side
    int left = warp % strips * STRIP, strip = warp / strips;
    int top = strip * rows, bottom = min(height, top + rows);
    // also right: guard left out: a strip that begins below the image stores nothing
    // also right: `>=` to `>`: a strip that begins where the image ends stores nothing
    if (top >= height)
        return;
    // also right: `strip %` to `strip /`: each strip may go up or down, and takes the taps in the order of its rows
    bool down = strip % 2 == 0; // neighbours meet at the same time
    int step = down ? 1 : -1;
    int first = down ? top - RADIUS : bottom - 1 + RADIUS;

    float row_tap[TAPS], column_tap[TAPS];
#pragma unroll
    for (int k = 0; k < TAPS; k++) {
        int from = radius - RADIUS + k;
        bool is_tap = from >= 0 && from <= 2 * radius;
        row_tap[k] = is_tap ? row_filter[from] : 0.0f;
        column_tap[k] = is_tap ? column_filter[down ? from : 2 * radius - from] : 0.0f;
    }

    float(*s_ring)[PITCH] = s_rings[threadIdx.x / 32];
    int copied_row = first, copied_slot = 0;
    int main_col = left - HALO + lane * 4, halo_col = main_col + STRIP;
    // also right: `main_col >=` to `main_col + 1 >=`: a group of four begins at a multiple of four, never at column -1
    // also right: `main_col <` to `main_col + 1 <`: rows consist of whole groups of four here, so where one more column
    // exists, four do
    bool main_inside = main_col >= 0 && main_col < width;
    // also right: `halo_col <` to `halo_col + 1 <`: rows consist of whole groups of four here, so where one more column
    // exists, four do
    bool halo_inside = halo_col < width;
    auto copy_group = [&]() {
#pragma unroll
        for (int g = 0; g < GROUP; g++) {
            bool row_inside = copied_row >= 0 && copied_row < height;
            // also right: ghost cells: a copy of no bytes reads nothing, whatever its address
            const float* from = input + (row_inside ? copied_row * width : 0);
            if (ALIGNED) {
                // also right: ghost cells: a copy of no bytes reads nothing, whatever its address
                copy_async<16>(&s_ring[copied_slot + g][lane * 4], from + (main_inside ? main_col : 0),
                               row_inside && main_inside);
                if (lane < 2 * HALO / 4)
                    // also right: ghost cells: a copy of no bytes reads nothing, whatever its address
                    copy_async<16>(&s_ring[copied_slot + g][STRIP + lane * 4], from + (halo_inside ? halo_col : 0),
                                   row_inside && halo_inside);
            } else {
                for (int x = lane; x < PITCH; x += 32) {
                    int col = left - HALO + x;
                    bool inside = row_inside && col >= 0 && col < width;
                    // also right: ghost cells: a copy of no bytes reads nothing, whatever its address
                    copy_async<4>(&s_ring[copied_slot + g][x], from + (inside ? col : 0), inside);
                }
            }
            copied_row += step;
        }
        end_of_group();
        copied_slot = copied_slot == RING - GROUP ? 0 : copied_slot + GROUP;
    };
    for (int i = 0; i < GROUPS - 1; i++)
        copy_group();

    // also right: `= {};` to `;`: what the rows before the first complete one have left in the sums is never stored
    float sum[TAPS - 1][COLUMNS] = {}; // of the outputs that this row and the ones before it contribute to
    // also right: narrow index: a strip has some 32,700 rows at most, even with only one multiprocessor: they fit into a
    // short
    int count = bottom - top + 2 * RADIUS;
    int col = left + lane * COLUMNS;
    int slot = 0;
    float* to = output + (first - step * RADIUS) * width + col; // row that the first row completes
    for (int i = 0; i < count; i += GROUP) { // also right: `<` to `<=`: a group behind the last row stores nothing
        // also right: `2>` to `2 - 1 >`: it waits for one group of copies more than it must
        wait_for_group<GROUPS - 2>();
        // also right: `__syncwarp();` to `;`: the lanes of a warp run together, so that each reads what the others have
        // stored; the report warns of it
        __syncwarp();
        copy_group();
#pragma unroll
        for (int g = 0; g < GROUP; g++) {
            float window[COLUMNS + 2 * HALO];
#pragma unroll
            for (int j = 0; j < COLUMNS + 2 * HALO; j += 4)
                *(float4*)&window[j] = *(const float4*)&s_ring[slot + g][lane * COLUMNS + j];
            float filtered[COLUMNS], done[COLUMNS];
#pragma unroll
            for (int c = 0; c < COLUMNS; c++)
                filtered[c] = window[HALO - RADIUS + c] * row_tap[0];
#pragma unroll
            for (int k = 1; k < TAPS; k++)
#pragma unroll
                for (int c = 0; c < COLUMNS; c++)
                    filtered[c] += window[HALO - RADIUS + c + k] * row_tap[k];
#pragma unroll
            for (int c = 0; c < COLUMNS; c++)
                done[c] = sum[0][c] + filtered[c] * column_tap[TAPS - 1];
#pragma unroll
            for (int k = 0; k < TAPS - 2; k++)
#pragma unroll
                for (int c = 0; c < COLUMNS; c++)
                    sum[k][c] = sum[k + 1][c] + filtered[c] * column_tap[TAPS - 2 - k];
#pragma unroll
            for (int c = 0; c < COLUMNS; c++)
                sum[TAPS - 2][c] = filtered[c] * column_tap[0];
            if (i + g >= 2 * RADIUS && i + g < count) {
                if (ALIGNED) {
                    // also right: `col <` to `col + 1 <`: rows consist of whole groups of four here, so where one more
                    // column exists, four do
                    if (col < width)
                        *(float4*)to = make_float4(done[0], done[1], done[2], done[3]);
                } else {
#pragma unroll
                    for (int c = 0; c < COLUMNS; c++)
                        if (col + c < width)
                            to[c] = done[c];
                }
            }
            to += step * width;
        }
        slot = slot == RING - GROUP ? 0 : slot + GROUP;
    }
}

template <int RADIUS>
static void one_pass(const float* input, const float* row_filter, const float* column_filter, float* output, int width,
                     int height, int radius)
{
    int device, processors;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    int across = (width + STRIP - 1) / STRIP;
    int rows = 0;
    // As many strips as there are warps, or half as many: each strip filters 2 * RADIUS rows more than it has.
    // also right: off by one, `blocks > 0 && rows < LEAST_ROWS` to `blocks > 0`: another number of rows for a strip
    // changes the time alone
    for (int blocks = BLOCKS; blocks > 0 && rows < LEAST_ROWS; blocks--) {
        // also right: narrow index: there are as many warps as the GPU holds at once, or as strips, 1,024 at most
        // also right: `WARPS /` to `WARPS %`: another number of rows for a strip changes the time alone
        int bands = processors * blocks * WARPS / across;
        // also right: ghost cells: another number of rows for a strip changes the time alone
        bands = bands < 1 ? 1 : bands;
        // also right: any mutant: another number of rows for a strip changes the time alone
        rows = (height + bands - 1) / bands;
    }
    // also right: `rows <` to `rows + 1 <`, ghost cells: another number of rows for a strip changes the time alone
    rows = rows < 4 ? 4 : rows;
    // also right: narrow index: there are as many warps as the GPU holds at once, or as strips, 1,024 at most
    int warps = across * ((height + rows - 1) / rows);
    // also right: `width % 4 == 0 && (size_t)input % 16 == 0` to `width % 4 == 0`, `(size_t)input % 16 == 0 && (size_t)output % 16 == 0` to `(size_t)input % 16 == 0`, `input` to `output`, `output` to `input`: cudaMalloc()
    // gives out addresses that 16 divides, and arrays of a call begin where it does
    // also right: `width %` to `width /`: the kernel for rows that are not aligned serves all widths, and images with
    // less than four columns are no large ones
    // also right: `input %` to `input /`, `output %` to `output /`: the kernel for rows that are not aligned serves all
    // widths
    bool aligned = width % 4 == 0 && (size_t)input % 16 == 0 && (size_t)output % 16 == 0;
    auto chosen = aligned ? convolve<RADIUS, true> : convolve<RADIUS, false>;
    chosen<<<(warps + WARPS - 1) / WARPS, 32 * WARPS>>>(input, row_filter, column_filter, output, width, height, radius,
                                                        rows);
}

// sum[i] = sum over k of s_from[(i + k) * stride] * s_taps[k], for chunks * 32 + 1 taps
template <typename Load>
__device__ __forceinline__ void slide(float (&sum)[OUTPUTS], const float* s_taps, int chunks, Load load)
{
    float window[OUTPUTS + CHUNK];
#pragma unroll
    for (int i = 0; i < OUTPUTS; i += 4)
        load(i, window + i);
#pragma unroll
    for (int i = 0; i < OUTPUTS; i++)
        sum[i] = 0.0f;
    for (int chunk = 0; chunk < chunks; chunk++) {
#pragma unroll
        for (int k = 0; k < CHUNK; k += 4) {
            load(chunk * CHUNK + k + OUTPUTS, window + k + OUTPUTS);
            float4 taps = *(const float4*)&s_taps[chunk * CHUNK + k];
#pragma unroll
            for (int i = 0; i < OUTPUTS; i++)
                sum[i] += window[k + i] * taps.x;
#pragma unroll
            for (int i = 0; i < OUTPUTS; i++)
                sum[i] += window[k + 1 + i] * taps.y;
#pragma unroll
            for (int i = 0; i < OUTPUTS; i++)
                sum[i] += window[k + 2 + i] * taps.z;
#pragma unroll
            for (int i = 0; i < OUTPUTS; i++)
                sum[i] += window[k + 3 + i] * taps.w;
        }
#pragma unroll
        for (int i = 0; i < OUTPUTS; i++)
            window[i] = window[CHUNK + i];
    }
    float last = s_taps[chunks * CHUNK];
#pragma unroll
    for (int i = 0; i < OUTPUTS; i++)
        sum[i] += window[i] * last;
}

// The filter with zeros around it, so that it is as long as one of radius `padded`.
__device__ __forceinline__ void load_taps(float* s_taps, const float* filter, int radius, int padded)
{
    // also right: `x <` to `x + 1 <`: the last place behind the taps only fills them up to whole groups of four, and
    // nobody reads it
    if (threadIdx.x < TAPS_SPACE) {
        int from = radius - padded + (int)threadIdx.x;
        s_taps[threadIdx.x] = from >= 0 && from <= 2 * radius ? filter[from] : 0.0f;
    }
}

template <bool ALIGNED>
__global__ void __launch_bounds__(THREADS, 4)
    convolve_rows(const float* __restrict__ input, const float* __restrict__ filter, int width, int height, int radius)
{
    __shared__ alignas(16) float s_tile[ROW_ROWS][ROW_PITCH];
    __shared__ alignas(16) float s_taps[TAPS_SPACE];
    // also right: narrow index: the taps are two chunks at most, filled up to a radius of 32, which fit into a short
    int chunks = (2 * radius + CHUNK - 1) / CHUNK, padded = chunks * CHUNK / 2;
    load_taps(s_taps, filter, radius, padded);
    int left = blockIdx.x * ROW_COLS - padded, top = blockIdx.y * ROW_ROWS;
    constexpr int PIECE = ALIGNED ? 4 : 1;
    // also right: narrow index: a row of a tile has 192 elements at most with its halo, which fit into a short
    int pieces = (ROW_COLS + 2 * padded) / PIECE;
    for (int y = threadIdx.x / 32; y < ROW_ROWS; y += THREADS / 32)
        // also right: `<` to `<=`: the copy goes to the pad behind a row of the tile, which nobody reads
        for (int x = threadIdx.x % 32; x < pieces; x += 32) {
            int row = top + y, col = left + x * PIECE;
            bool inside = row < height && col >= 0 && col < width;
            // also right: ghost cells: a copy of no bytes reads nothing, whatever its address
            copy_async<4 * PIECE>(&s_tile[y][x * PIECE], input + (inside ? row * width + col : 0), inside);
        }
    end_of_group();
    wait_for_group<0>();
    __syncthreads();

    // Eight threads that load together lie below one another.
    int y = threadIdx.x % ROW_ROWS, x = threadIdx.x / ROW_ROWS * OUTPUTS;
    float sum[OUTPUTS];
    slide(sum, s_taps, chunks, [&](int k, float* window) { *(float4*)window = *(const float4*)&s_tile[y][x + k]; });
    __syncthreads();
#pragma unroll
    for (int i = 0; i < OUTPUTS; i += 4)
        *(float4*)&s_tile[y][x + i] = make_float4(sum[i], sum[i + 1], sum[i + 2], sum[i + 3]);
    __syncthreads();
    left += padded;
    for (int row = threadIdx.x / 32; row < ROW_ROWS; row += THREADS / 32) {
        if (top + row >= height)
            break;
        if (ALIGNED) {
            int col = threadIdx.x % 32 * 4; // also right: narrow index: a tile has 128 columns, which fit into a short
            // also right: `col <` to `col + 1 <`: rows consist of whole groups of four here, so where one more column
            // exists, four do
            if (left + col < width)
                *(float4*)&d_rows[(top + row) * width + left + col] = *(float4*)&s_tile[row][col];
        } else {
            for (int col = threadIdx.x % 32; col < ROW_COLS; col += 32)
                if (left + col < width)
                    d_rows[(top + row) * width + left + col] = s_tile[row][col];
        }
    }
}

template <bool ALIGNED>
__global__ void __launch_bounds__(THREADS, 4)
    convolve_columns(const float* __restrict__ filter, float* __restrict__ output, int width, int height, int radius)
{
    __shared__ alignas(16) float s_tile[COLUMN_ROWS + 2 * MAX_RADIUS][COLUMN_COLS];
    __shared__ alignas(16) float s_taps[TAPS_SPACE];
    // also right: narrow index: the taps are two chunks at most, filled up to a radius of 32, which fit into a short
    int chunks = (2 * radius + CHUNK - 1) / CHUNK, padded = chunks * CHUNK / 2;
    load_taps(s_taps, filter, radius, padded);
    int left = blockIdx.x * COLUMN_COLS, top = blockIdx.y * COLUMN_ROWS - padded;
    constexpr int PIECE = ALIGNED ? 4 : 1, ACROSS = COLUMN_COLS / PIECE;
    for (int i = threadIdx.x; i < (COLUMN_ROWS + 2 * padded) * ACROSS; i += THREADS) {
        int y = i / ACROSS, x = i % ACROSS * PIECE;
        int row = top + y, col = left + x;
        // also right: `<` to `<=`: the thread behind the last column loads what no other reads; it exists only where 32
        // does not divide the width, and there d_rows has more elements than the image
        bool inside = row >= 0 && row < height && col < width;
        // also right: ghost cells: a copy of no bytes reads nothing, whatever its address
        copy_async<4 * PIECE>(&s_tile[y][x], d_rows + (inside ? row * width + col : 0), inside);
    }
    end_of_group();
    wait_for_group<0>();
    __syncthreads();

    int x = threadIdx.x % COLUMN_COLS, y = threadIdx.x / COLUMN_COLS * OUTPUTS;
    float sum[OUTPUTS];
    slide(sum, s_taps, chunks, [&](int k, float* window) {
#pragma unroll
        for (int i = 0; i < 4; i++)
            window[i] = s_tile[y + k + i][x];
    });
#pragma unroll
    for (int i = 0; i < OUTPUTS; i++)
        if (top + padded + y + i < height && left + x < width)
            output[(top + padded + y + i) * width + left + x] = sum[i];
}

template <int RADIUS, bool ALIGNED>
__global__ void __launch_bounds__(TILE_THREADS)
    convolve_tile(const float* __restrict__ input, const float* __restrict__ row_filter,
                  const float* __restrict__ column_filter, float* __restrict__ output, int width, int height,
                  int radius)
{
    constexpr int TAPS = 2 * RADIUS + 1;
    // also right: `) /` to `) %`: a halo of 12 columns, more than is needed, is whole groups of four as well, and the
    // tile has room for it
    constexpr int HALO = (RADIUS + 3) / 4 * 4; // whole groups of four columns
    constexpr int ROWS = TILE_ROWS + 2 * RADIUS, COLS = TILE_COLS + 2 * HALO;
    // Both pitches are odd numbers of 16 bytes, so that eight threads below one another read from different banks.
    __shared__ alignas(16) float s_input[ROWS][COLS + 4];
    __shared__ alignas(16) float s_rows[ROWS][TILE_COLS + 4];

    int top = blockIdx.y * TILE_ROWS, left = blockIdx.x * TILE_COLS;
    constexpr int PIECE = ALIGNED ? 4 : 1, ACROSS = COLS / PIECE;
#pragma unroll 4
    for (int i = threadIdx.x; i < ROWS * ACROSS; i += TILE_THREADS) {
        int y = i / ACROSS, x = i % ACROSS * PIECE;
        int row = top - RADIUS + y, col = left - HALO + x;
        bool inside = row >= 0 && row < height && col >= 0 && col < width;
        // also right: ghost cells: a copy of no bytes reads nothing, whatever its address
        copy_async<4 * PIECE>(&s_input[y][x], input + (inside ? row * width + col : 0), inside);
    }
    end_of_group();
    float row_tap[TAPS], column_tap[TAPS];
#pragma unroll
    for (int k = 0; k < TAPS; k++) {
        int from = radius - RADIUS + k;
        bool is_tap = from >= 0 && from <= 2 * radius;
        row_tap[k] = is_tap ? row_filter[from] : 0.0f;
        column_tap[k] = is_tap ? column_filter[from] : 0.0f;
    }
    wait_for_group<0>();
    __syncthreads();

    for (int i = threadIdx.x; i < ROWS * (TILE_COLS / ROW_OUTPUTS); i += TILE_THREADS) {
        int y = i % ROWS, x = i / ROWS * ROW_OUTPUTS;
        float window[ROW_OUTPUTS + 2 * HALO], sum[ROW_OUTPUTS] = {};
#pragma unroll
        for (int j = 0; j < ROW_OUTPUTS + 2 * HALO; j += 4)
            *(float4*)&window[j] = *(const float4*)&s_input[y][x + j];
#pragma unroll
        for (int k = 0; k < TAPS; k++)
#pragma unroll
            for (int j = 0; j < ROW_OUTPUTS; j++)
                sum[j] += window[HALO - RADIUS + j + k] * row_tap[k];
#pragma unroll
        for (int j = 0; j < ROW_OUTPUTS; j += 4)
            *(float4*)&s_rows[y][x + j] = make_float4(sum[j], sum[j + 1], sum[j + 2], sum[j + 3]);
    }
    __syncthreads();

    int x = threadIdx.x % TILE_COLS, y = threadIdx.x / TILE_COLS * COLUMN_OUTPUTS;
    float sum[COLUMN_OUTPUTS] = {};
#pragma unroll
    for (int k = 0; k < COLUMN_OUTPUTS + TAPS - 1; k++) {
        float value = s_rows[y + k][x];
#pragma unroll
        for (int j = 0; j < COLUMN_OUTPUTS; j++)
            if (k - j >= 0 && k - j < TAPS)
                sum[j] += value * column_tap[k - j];
    }
    float* to = output + (top + y) * width + left + x;
#pragma unroll
    for (int j = 0; j < COLUMN_OUTPUTS; j++)
        if (top + y + j < height && left + x < width)
            to[j * width] = sum[j];
}

template <int RADIUS>
static void one_tile(const float* input, const float* row_filter, const float* column_filter, float* output, int width,
                     int height, int radius)
{
    // also right: `width % 4 == 0 && (size_t)input % 16 == 0` to `width % 4 == 0`, `input` to `output`: cudaMalloc()
    // gives out addresses that 16 divides, and arrays of a call begin where it does
    // also right: `input %` to `input /`: the kernel for rows that are not aligned serves all widths
    bool aligned = width % 4 == 0 && (size_t)input % 16 == 0;
    dim3 blocks((width + TILE_COLS - 1) / TILE_COLS, (height + TILE_ROWS - 1) / TILE_ROWS);
    auto chosen = aligned ? convolve_tile<RADIUS, true> : convolve_tile<RADIUS, false>;
    chosen<<<blocks, TILE_THREADS>>>(input, row_filter, column_filter, output, width, height, radius);
}

extern "C" void solve(const float* input, const float* row_filter, const float* column_filter, float* output,
                      int width, int height, int radius)
{
    if (radius <= 8) { // also right: `<=` to `<`: the kernels for wide filters serve a radius of 8 as well
        // also right: swapped axes, `height <` to `height + 1 <`: both kernels serve images of all sizes
        // also right: `height` to `radius`, `<` to `<=`: tiles serve images of all sizes
        bool is_small = width * height < SMALL;
        // also right: `<=` to `<`: the kernels for a radius up to 4 serve one of 2 as well
        // also right: ghost cells: tiles serve images of all sizes
        auto chosen = radius <= 2   ? is_small ? one_tile<2> : one_pass<2>
                      // also right: `<=` to `<`: the kernels for a radius up to 8 serve one of 4 as well
                      // also right: ghost cells: tiles serve images of all sizes
                      : radius <= 4 ? is_small ? one_tile<4> : one_pass<4>
                      : is_small    ? one_tile<8> // also right: ghost cells: tiles serve images of all sizes
                                    : one_pass<8>;
        chosen(input, row_filter, column_filter, output, width, height, radius);
    } else {
        // also right: `width % 4 == 0 && (size_t)input % 16 == 0` to `width % 4 == 0`, `input` to `output`: cudaMalloc()
        // gives out addresses that 16 divides, and arrays of a call begin where it does
        // also right: `input %` to `input /`: the kernel for rows that are not aligned serves all widths
        bool aligned = width % 4 == 0 && (size_t)input % 16 == 0;
        dim3 row_blocks((width + ROW_COLS - 1) / ROW_COLS, (height + ROW_ROWS - 1) / ROW_ROWS);
        dim3 column_blocks((width + COLUMN_COLS - 1) / COLUMN_COLS, (height + COLUMN_ROWS - 1) / COLUMN_ROWS);
        auto rows = aligned ? convolve_rows<true> : convolve_rows<false>;
        auto columns = aligned ? convolve_columns<true> : convolve_columns<false>;
        rows<<<row_blocks, THREADS>>>(input, row_filter, width, height, radius);
        columns<<<column_blocks, THREADS>>>(column_filter, output, width, height, radius);
    }
    cudaDeviceSynchronize();
}
