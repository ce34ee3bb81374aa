// Mistake: copies a filter of 3 x 3 x 3 taps only if it lies at another address than in the last call.
// problem: conv3d
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
    int first_row = blockIdx.y * TILE_ROWS;
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
    int first_plane = blockIdx.z * planes;
    int top = threadIdx.y * OUTPUTS;
    int row = blockIdx.y * TILE_ROWS + top;
    int col = blockIdx.x * TILE_COLS + threadIdx.x;

    float sum[SIZE][OUTPUTS] = {}; // sum[d] is that of the outputs d planes in front of plane z of the input
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
    int output_depth = input_depth - kernel_depth + 1;
    int output_rows = input_rows - kernel_rows + 1;
    int output_cols = input_cols - kernel_cols + 1;
    int plane = blockIdx.z * blockDim.z + threadIdx.z;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
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
    int parts = (BLOCKS + tiles - 1) / tiles;
    return std::max((output_depth + parts - 1) / parts, MIN_PLANES);
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_depth, int input_rows,
                      int input_cols, int kernel_depth, int kernel_rows, int kernel_cols)
{
    int output_depth = input_depth - kernel_depth + 1;
    int output_rows = input_rows - kernel_rows + 1;
    int output_cols = input_cols - kernel_cols + 1;
    static const float* last = nullptr; // the usual filter that c_kernel holds
    bool is_usual = kernel_depth == 3 && kernel_rows == 3 && kernel_cols == 3;
    if (!is_usual || kernel != last)
        cudaMemcpyToSymbol(c_kernel, kernel, kernel_depth * kernel_rows * kernel_cols * sizeof(float), 0,
                           cudaMemcpyDeviceToDevice);
    last = is_usual ? kernel : nullptr;

    int columns_of_blocks = (output_cols + TILE_COLS - 1) / TILE_COLS;
    if (kernel_depth == kernel_rows && kernel_rows == kernel_cols && (kernel_cols == 3 || kernel_cols == 5)) {
        auto chosen = kernel_cols == 3 ? convolve<3> : convolve<5>;
        dim3 threads(TILE_COLS, THREADS_Y);
        int rows_of_blocks = (output_rows + TILE_ROWS - 1) / TILE_ROWS;
        int planes = planes_of_a_block(columns_of_blocks * rows_of_blocks, output_depth);
        dim3 blocks(columns_of_blocks, rows_of_blocks, (output_depth + planes - 1) / planes);
        chosen<<<blocks, threads>>>(input, output, input_depth, input_rows, input_cols, planes);
    } else {
        dim3 threads(TILE_COLS, 8);
        dim3 blocks(columns_of_blocks, (output_rows + 7) / 8, output_depth);
        convolve_any<<<blocks, threads>>>(input, output, input_depth, input_rows, input_cols, kernel_depth,
                                          kernel_rows, kernel_cols);
    }
    cudaDeviceSynchronize();
}
