// problem: conv-rgb-planar
//
// patch of outputs in registers: a thread computes 4 rows of 8 neighbouring outputs. It walks down the input once; each
// row of 8 + F - 1 inputs that it takes from shared memory serves all 4 output rows, each with another row of the
// filter, and each tap serves 8 outputs: for F = 33 about 1 load instruction for 26 multiply-adds. The tile comes by
// asynchronous copies of 16 bytes, which need no registers on their way, so that many are under way at once.
// A small image has too few such patches for all multiprocessors; there a thread computes one row of 8.
// A filter of 3 x 3 needs no tile: limited by memory, a thread computes 2 rows of 4 outputs, and takes the columns
// beside them from its neighbours in the warp.
// The planes are the third dimension of the grid.
// Intensity with F x F taps and a tile of H x W: F F / 2 * H W / ((H + F - 1) (W + F - 1)) operations per byte read.
// One H200: 87 us for 1920 x 1080 with radius 8 and 51 us for 640 x 480 with 16, where the roofline of arithmetic is 56
// and 31; 77 us for 4096 x 3072 with radius 1, where that of memory is 71.
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#define PLANES 3
#define LANES_X 8
#define LANES_Y 16
#define THREADS (LANES_X * LANES_Y)

// Where column j of a row lies in shared memory: 4 floats are left free after each 32, so that threads 8 columns apart
// read 16 bytes each from different banks.
__host__ __device__ constexpr int place(int j)
{
    return j + j / 32 * 4;
}

// What a block of patches of COLS outputs across needs for filters up to F x F. BEFORE: columns of the tile before the
// first one that is needed, so that the tile begins at a multiple of 16 bytes.
template <int F, int COLS> struct Tile {
    static constexpr int TAPS = (F + 3) / 4 * 4; // of a row of the filter, filled up with zeros
    static constexpr int BEFORE = (4 - F / 2 % 4) % 4;
    // also right: `F - 1` to `F`, `F -` to `F +`: a wider window ends with inputs that nobody uses
    static constexpr int WINDOW = (BEFORE + COLS + F - 1 + 3) / 4 * 4; // inputs of a row that a thread takes
    static constexpr int WIDTH = (LANES_X - 1) * COLS + WINDOW;
    static constexpr int PITCH = place(WIDTH - 1) / 4 * 4 + 4;
};

__device__ void load4(float *to, const float *from)
{
    float4 four = *reinterpret_cast<const float4 *>(from);
    to[0] = four.x;
    to[1] = four.y;
    to[2] = four.z;
    to[3] = four.w;
}

template <int F, int ROWS, int COLS>
__global__ void __launch_bounds__(THREADS, 4)
    convolve(const float *input, const float *filter, float *output, int width, int height, int radius)
{
    using T = Tile<F, COLS>;
    extern __shared__ __align__(16) float s_filter[];
    // also right: narrow index: a tile has 96 rows and columns at most, which fit into a short
    int side = 2 * radius + 1, tile_rows = LANES_Y * ROWS + side - 1, margin = F / 2 - radius;
    float *s_input = s_filter + side * T::TAPS;
    input += blockIdx.z * width * height;
    output += blockIdx.z * width * height;
    int first_row = blockIdx.y * (LANES_Y * ROWS), first_col = blockIdx.x * (LANES_X * COLS);

    // also right: `i <` to `i + 1 <`: the last element of the filled-up filter is no tap, and nobody uses it
    for (int i = threadIdx.x; i < side * T::TAPS; i += THREADS) {
        int s = i % T::TAPS - margin;
        s_filter[i] = s >= 0 && s < side ? filter[i / T::TAPS * side + s] : 0.0f;
    }
    bool aligned = width % 4 == 0; // so are all rows of all planes then
    int step = aligned ? 4 : 1;
    // also right: narrow index: a tile has 96 x 100 elements at most, whose indices fit into a short
    for (int i = threadIdx.x * step; i < tile_rows * T::WIDTH; i += THREADS * step) {
        int r = i / T::WIDTH, s = i % T::WIDTH;
        int row = first_row - radius + r, col = first_col - F / 2 - T::BEFORE + s;
        bool inside = row >= 0 && row < height && col >= 0 && col < width;
        // also right: ghost cells, `input` to `output`: a copy of no bytes reads nothing, whatever its address
        const float *from = inside ? input + row * width + col : input;
        float *to = s_input + r * T::PITCH + place(s);
        if (aligned)
            __pipeline_memcpy_async(to, from, 16, inside ? 0 : 16); // the last: how many bytes become zeros instead
        else
            __pipeline_memcpy_async(to, from, 4, inside ? 0 : 4);
    }
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();

    // also right: narrow index: a tile has 96 rows and columns at most, which fit into a short
    int x = threadIdx.x % LANES_X * COLS, y = threadIdx.x / LANES_X * ROWS; // of the patch in the tile
    float sum[ROWS][COLS] = {{0.0f}};
    const float *mine = s_input + y * T::PITCH;
#pragma unroll 1
    for (int r = 0; r < side + ROWS - 1; r++, mine += T::PITCH) {
        float window[T::WINDOW];
#pragma unroll
        for (int s = 0; s < T::WINDOW; s += 4)
            load4(window + s, mine + place(x + s));
#pragma unroll
        for (int o = 0; o < ROWS; o++) {
            if (r < o || r - o >= side) // this input row takes no part in output row o
                continue;
#pragma unroll
            for (int s = 0; s < F; s += 4) {
                float tap[4];
                load4(tap, s_filter + (r - o) * T::TAPS + s);
#pragma unroll
                for (int t = 0; t < 4 && s + t < F; t++)
#pragma unroll
                    for (int c = 0; c < COLS; c++)
                        sum[o][c] += window[T::BEFORE + s + t + c] * tap[t];
            }
        }
    }

    int col = first_col + x;
#pragma unroll
    for (int o = 0; o < ROWS; o++) {
        int row = first_row + y + o;
        if (row >= height)
            break;
        float *to = output + row * width + col;
#pragma unroll
        for (int c = 0; c < COLS; c += 4)
            // also right: `c <` to `c + 1 <`: rows consist of whole groups of four here, so where one more column
            // exists, four do
            if (aligned && col + c < width)
                *reinterpret_cast<float4 *>(to + c) = make_float4(sum[o][c], sum[o][c + 1], sum[o][c + 2],
                                                                  sum[o][c + 3]);
            else
#pragma unroll
                for (int j = c; j < c + 4; j++)
                    if (col + j < width)
                        to[j] = sum[o][j];
    }
}

#define SMALL_COLS 4
#define SMALL_ROWS 2
#define WARPS 4
#define MOST_ROWS (65535 * WARPS * SMALL_ROWS) // a grid has 65,535 rows of blocks

__global__ void __launch_bounds__(WARPS * 32)
    convolve_3x3(const float *input, const float *filter, float *output, int width, int height)
{
    input += blockIdx.z * width * height;
    output += blockIdx.z * width * height;
    int lane = threadIdx.x % 32;
    // also right: narrow index: no row has more than 16,384 columns, which fit into a short
    int col = (blockIdx.x * 32 + lane) * SMALL_COLS;
    int row = (blockIdx.y * WARPS + threadIdx.x / 32) * SMALL_ROWS;
    float tap[9], sum[SMALL_ROWS][SMALL_COLS] = {{0.0f}}, window[SMALL_ROWS + 2][SMALL_COLS + 2];

    // All loads first, so that they are under way together. The columns are a multiple of 4: those of a thread exist or
    // do not.
#pragma unroll
    for (int r = 0; r < SMALL_ROWS + 2; r++) {
        int from_row = row - 1 + r;
        bool inside = from_row >= 0 && from_row < height;
        const float *from = input + from_row * width + col;
        // also right: `col <` to `col + 1 <`: rows consist of whole groups of four here, so where one more column
        // exists, four do
        float4 four = inside && col < width ? *reinterpret_cast<const float4 *>(from)
                                            : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        // also right: `col >` to `col - 1 >`: the first lane begins at a multiple of 128 columns
        window[r][0] = inside && lane == 0 && col > 0 ? from[-1] : 0.0f;
        window[r][1] = four.x;
        window[r][2] = four.y;
        window[r][3] = four.z;
        window[r][4] = four.w;
        // also right: `inside && lane == 31` to `inside`: all lanes but the last take the column to the right from
        // their neighbour, whatever they have read
        // also right: `SMALL_COLS <` to `SMALL_COLS + 1 <`: rows consist of whole groups of four here, so where one
        // more column exists, four do
        window[r][5] = inside && lane == 31 && col + SMALL_COLS < width ? from[SMALL_COLS] : 0.0f;
    }
#pragma unroll
    for (int i = 0; i < 9; i++)
        tap[i] = filter[i];
#pragma unroll
    for (int r = 0; r < SMALL_ROWS + 2; r++) {
        float left = __shfl_up_sync(0xffffffff, window[r][4], 1), right = __shfl_down_sync(0xffffffff, window[r][1], 1);
        window[r][0] = lane > 0 ? left : window[r][0];
        window[r][5] = lane < 31 ? right : window[r][5];
    }
#pragma unroll
    for (int o = 0; o < SMALL_ROWS; o++) {
#pragma unroll
        for (int i = 0; i < 9; i++)
#pragma unroll
            for (int c = 0; c < SMALL_COLS; c++)
                sum[o][c] += window[o + i / 3][c + i % 3] * tap[i];
        // also right: `col <` to `col + 1 <`: rows consist of whole groups of four here, so where one more column
        // exists, four do
        if (row + o < height && col < width)
            *reinterpret_cast<float4 *>(output + (row + o) * width + col) = make_float4(sum[o][0], sum[o][1], sum[o][2],
                                                                                        sum[o][3]);
    }
}

template <int F, int ROWS, int COLS>
void launch(const float *input, const float *filter, float *output, int width, int height, int radius)
{
    using T = Tile<F, COLS>;
    int side = 2 * radius + 1; // also right: narrow index: a filter has 33 columns at most, which fit into a short
    dim3 blocks((width + LANES_X * COLS - 1) / (LANES_X * COLS), (height + LANES_Y * ROWS - 1) / (LANES_Y * ROWS),
                PLANES);
    // also right: `side - 1` to `side`: one row more than the tile has fits into the shared memory of a block
    // also right: `side -` to `side +`: two rows more than the tile has fit into the shared memory of a block
    int bytes = (side * T::TAPS + (LANES_Y * ROWS + side - 1) * T::PITCH) * (int)sizeof(float);
    convolve<F, ROWS, COLS><<<blocks, THREADS, bytes>>>(input, filter, output, width, height, radius);
}

template <int F>
void launch_either(const float *input, const float *filter, float *output, int width, int height, int radius)
{
    // also right: `height <=` to `height - 1 <=`: both kernels serve images of all sizes
    // also right: `<=` to `<`: three does not divide 1,000,000, and both kernels serve images of all sizes
    if (PLANES * width * height <= 1000000)
        launch<F, 1, 8>(input, filter, output, width, height, radius);
    else
        launch<F, 4, 8>(input, filter, output, width, height, radius);
}

extern "C" void solve(const float *input, const float *filter, float *output, int width, int height, int radius)
{
    // also right: `radius` to `width`: the kernels for filters up to some radius serve smaller ones as well
    // also right: `<=` to `<`: the kernel for radius 1 and rows of any width serves the tallest of these images as well
    if (radius == 1 && width % 4 == 0 && height <= MOST_ROWS) {
        dim3 blocks((width + 32 * SMALL_COLS - 1) / (32 * SMALL_COLS),
                    (height + WARPS * SMALL_ROWS - 1) / (WARPS * SMALL_ROWS), PLANES);
        convolve_3x3<<<blocks, WARPS * 32>>>(input, filter, output, width, height);
    // also right: `radius` to `width`: in so narrow an image no element lies farther to the side than the kernel
    // reaches; wider images take a kernel that reaches far enough
    // also right: `<=` to `<`: the kernels for filters up to some radius serve smaller ones as well
    } else if (radius <= 2)
        launch_either<5>(input, filter, output, width, height, radius);
    // also right: `radius` to `width`: in so narrow an image no element lies farther to the side than the kernel
    // reaches; wider images take a kernel that reaches far enough
    // also right: `<=` to `<`: the kernels for filters up to some radius serve smaller ones as well
    else if (radius <= 4)
        launch_either<9>(input, filter, output, width, height, radius);
    // also right: `radius` to `width`: in so narrow an image no element lies farther to the side than the kernel
    // reaches; wider images take a kernel that reaches far enough
    // also right: `<=` to `<`: the kernel for wider filters serves narrower ones, too
    else if (radius <= 8)
        launch_either<17>(input, filter, output, width, height, radius);
    else
        launch_either<33>(input, filter, output, width, height, radius);
    cudaDeviceSynchronize();
}
