// problem: conv3d
//
// fixed sizes: partial sums again, with filters of 3^3 and 5^3 taps as template parameters: all loops over taps are
// unrolled, and multiply-adds take their tap from constant memory without a load. A thread computes 2 neighbouring
// rows, so 6 rows of 5 elements from shared memory serve 250 multiply-adds. Two planes take turns: one barrier each,
// and the next plane is on its way while this one is used. Other sizes are computed one output per thread.
// Intensity of T x U outputs per plane with K^3 taps: 2 K^3 TU / (4 ((T + K - 1) (U + K - 1) + TU)) operations per
// byte: 23.3 for K = 5, 5.8 for K = 3.
#include <algorithm>
#include <cuda_runtime.h>

#define TILE_COLS 32
#define THREADS_Y 4
#define OUTPUTS 2 // rows of a thread
#define TILE_ROWS (THREADS_Y * OUTPUTS)
#define BLOCKS 1024
#define MIN_PLANES 8
#define MAX_KERNEL 5

__constant__ float c_kernel[MAX_KERNEL * MAX_KERNEL * MAX_KERNEL];

// Loads plane z: the part of it that a tile needs and that exists.
template <int SIZE>
__device__ void load_plane(float (*s_plane)[TILE_COLS + SIZE - 1], const float* input, int z, int input_rows,
                           int input_cols)
{
    // also right: narrow index: no side is longer than 256, which fits into a short
    int first_row = blockIdx.y * TILE_ROWS;
    // also right: narrow index: no side is longer than 256, which fits into a short
    int first_col = blockIdx.x * TILE_COLS;
#pragma unroll
    for (int r = threadIdx.y; r < TILE_ROWS + SIZE - 1; r += THREADS_Y)
#pragma unroll
        for (int s = threadIdx.x; s < TILE_COLS + SIZE - 1; s += TILE_COLS)
            if (first_row + r < input_rows && first_col + s < input_cols)
                s_plane[r][s] = input[(z * input_rows + first_row + r) * input_cols + first_col + s];
}

template <int SIZE>
__global__ void convolve(const float* input, float* output, int input_depth, int input_rows, int input_cols,
                         int planes)
{
    __shared__ float s_planes[2][TILE_ROWS + SIZE - 1][TILE_COLS + SIZE - 1];

    int output_rows = input_rows - SIZE + 1;
    int output_cols = input_cols - SIZE + 1;
    // also right: narrow index: no side is longer than 256, which fits into a short
    int first_plane = blockIdx.z * planes;
    int top = threadIdx.y * OUTPUTS; // also right: narrow index: a thread's place in its tile fits into a short
    // also right: narrow index: no side is longer than 256, which fits into a short
    int row = blockIdx.y * TILE_ROWS + top;
    // also right: narrow index: no side is longer than 256, which fits into a short
    int col = blockIdx.x * TILE_COLS + threadIdx.x;

    // also right: `= {};` to `;`: the compiler may choose a value that is never set, and takes the 0 that the next
    // planes begin with
    float sum[SIZE][OUTPUTS] = {}; // sum[d] is that of the outputs d planes in front of plane z of the input
    // also right: `min(first_plane + planes + SIZE - 1, input_depth)` to `(input_depth)`: each block goes on to the
    // last plane and stores once more what those behind it store: slow, but right
    // also right: `SIZE - 1` to `SIZE`: the first plane of the next block is computed twice, with the same result
    // also right: `SIZE -` to `SIZE +`: the first two planes of the next block are computed twice, with the same result
    int end = min(first_plane + planes + SIZE - 1, input_depth);
    load_plane<SIZE>(s_planes[first_plane % 2], input, first_plane, input_rows, input_cols);
    for (int z = first_plane; z < end; z++) {
        __syncthreads(); // plane z is complete, and nobody reads plane z - 1 any more
        if (z + 1 < end)
            load_plane<SIZE>(s_planes[(z + 1) % 2], input, z + 1, input_rows, input_cols);

#pragma unroll
        for (int y = 0; y < OUTPUTS + SIZE - 1; y++)
#pragma unroll
            for (int s = 0; s < SIZE; s++) {
                float element = s_planes[z % 2][top + y][threadIdx.x + s];
#pragma unroll
                for (int o = 0; o < OUTPUTS; o++)
                    if (y - o >= 0 && y - o < SIZE)
#pragma unroll
                        for (int d = 0; d < SIZE; d++)
                            sum[d][o] += element * c_kernel[(d * SIZE + y - o) * SIZE + s];
            }

        int plane = z - (SIZE - 1);
#pragma unroll
        for (int o = 0; o < OUTPUTS; o++) {
            if (plane >= first_plane && row + o < output_rows && col < output_cols)
                output[(plane * output_rows + row + o) * output_cols + col] = sum[SIZE - 1][o];
#pragma unroll
            for (int d = SIZE - 1; d > 0; d--)
                sum[d][o] = sum[d - 1][o];
            sum[0][o] = 0.0f;
        }
    }
}

__global__ void convolve_any(const float* input, float* output, int input_depth, int input_rows, int input_cols,
                             int kernel_depth, int kernel_rows, int kernel_cols)
{
    // also right: `input_depth -` to `input_depth +`: the grid has as many planes of threads as the output has planes
    int output_depth = input_depth - kernel_depth + 1;
    int output_rows = input_rows - kernel_rows + 1;
    int output_cols = input_cols - kernel_cols + 1;
    // also right: narrow index: no side is longer than 256, which fits into a short
    // also right: halo: a block is one plane of threads, whose place in depth is 0
    int plane = blockIdx.z * blockDim.z + threadIdx.z;
    // also right: narrow index: no side is longer than 256, which fits into a short
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    // also right: narrow index: no side is longer than 256, which fits into a short
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    // also right: `plane >= output_depth || row >= output_rows` to `row >= output_rows`, `>=` to `>`, `output_depth` to `input_depth`: the
    // grid has as many planes of threads as the output has planes
    if (plane >= output_depth || row >= output_rows || col >= output_cols)
        return;

    float sum = 0.0f;
    for (int d = 0; d < kernel_depth; d++)
        for (int r = 0; r < kernel_rows; r++)
            for (int s = 0; s < kernel_cols; s++)
                sum += input[((plane + d) * input_rows + row + r) * input_cols + col + s] *
                       c_kernel[(d * kernel_rows + r) * kernel_cols + s];
    output[(plane * output_rows + row) * output_cols + col] = sum;
}

// Planes that a block computes: the more, the fewer are loaded twice; but a large GPU wants several thousand blocks.
static int planes_of_a_block(int tiles, int output_depth)
{
    // also right: halo, floor for ceil: the number of planes that a block computes changes the time, not the outputs
    int parts = (BLOCKS + tiles - 1) / tiles;
    // also right: `max(` to `min(`, halo, floor for ceil, `) /` to `) %`: the number of planes that a block computes
    // changes the time, not the outputs
    return std::max((output_depth + parts - 1) / parts, MIN_PLANES);
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_depth, int input_rows,
                      int input_cols, int kernel_depth, int kernel_rows, int kernel_cols)
{
    int output_depth = input_depth - kernel_depth + 1;
    // also right: `input_rows -` to `input_rows +`: blocks beyond the output store nothing
    int output_rows = input_rows - kernel_rows + 1;
    // also right: `input_cols -` to `input_cols +`: blocks beyond the output store nothing
    int output_cols = input_cols - kernel_cols + 1;
    cudaMemcpyToSymbol(c_kernel, kernel, kernel_depth * kernel_rows * kernel_cols * sizeof(float), 0,
                       cudaMemcpyDeviceToDevice);

    // also right: `output_cols` to `input_cols`: blocks beyond the output store nothing
    int columns_of_blocks = (output_cols + TILE_COLS - 1) / TILE_COLS;
    // also right: `kernel_rows` to `kernel_cols`, `kernel_cols` to `kernel_rows`: the sides of the filter are equal
    // here
    // also right: `kernel_cols == 3 || kernel_cols == 5` to `kernel_cols == 3`, `kernel_cols == 3 || kernel_cols == 5` to `kernel_cols == 5`, `||` to `&&`: the
    // kernel for all sizes serves that one as well
    if (kernel_depth == kernel_rows && kernel_rows == kernel_cols && (kernel_cols == 3 || kernel_cols == 5)) {
        // also right: swapped axes: the sides of the filter are equal here
        auto chosen = kernel_cols == 3 ? convolve<3> : convolve<5>;
        dim3 threads(TILE_COLS, THREADS_Y);
        // also right: `output_rows` to `input_rows`: blocks beyond the output store nothing
        int rows_of_blocks = (output_rows + TILE_ROWS - 1) / TILE_ROWS;
        // also right: narrow index: no side is longer than 256, which fits into a short
        // also right: swapped axes: the number of planes that a block computes changes the time, not the outputs
        int planes = planes_of_a_block(columns_of_blocks * rows_of_blocks, output_depth);
        // also right: `output_depth` to `input_depth`: blocks beyond the output store nothing
        dim3 blocks(columns_of_blocks, rows_of_blocks, (output_depth + planes - 1) / planes);
        chosen<<<blocks, threads>>>(input, output, input_depth, input_rows, input_cols, planes);
    } else {
        dim3 threads(TILE_COLS, 8);
        // also right: `output_rows` to `input_rows`, `output_depth` to `input_depth`: blocks beyond the output store
        // nothing
        dim3 blocks(columns_of_blocks, (output_rows + 7) / 8, output_depth);
        convolve_any<<<blocks, threads>>>(input, output, input_depth, input_rows, input_cols, kernel_depth,
                                          kernel_rows, kernel_cols);
    }
    cudaDeviceSynchronize();
}
