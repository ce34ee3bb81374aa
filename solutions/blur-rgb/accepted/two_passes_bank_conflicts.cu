// problem: blur-rgb
//
// two passes, with bank conflicts: rows first, then columns, so that 2 (2r + 1) multiply-adds per channel do instead of
// (2r + 1)^2. The tile of the second pass is stored in shared memory column by column, 64 floats apart: the 32 threads
// of a warp read 32 floats of one bank, one after the other.
// Intensity with T = 32 pixels: 16 (2r + 1) / (4 (T + 2r) / T + 16 + 16 (T + 2r) / T + 4) operations per byte: the
// floats between the passes make up four fifths of what is moved.
#include <cuda_runtime.h>

#define MAX_RADIUS 16
#define MAX_PIXELS 16777216
#define THREADS_X 32
#define THREADS_Y 8
#define ROWS 32 // of a tile of the second pass, four for each thread

__constant__ float c_filter[2 * MAX_RADIUS + 1];
__device__ float4 d_rows[MAX_PIXELS]; // the picture after the first pass: not rounded, since levels would not do

__device__ unsigned char to_level(float value)
{
    // also right: not rounded: cut off in place of rounded is one level at most, which the statement allows
    return (unsigned char)__float2int_rn(fminf(fmaxf(value, 0.0f), 255.0f));
}

// d_rows[row][col] = sum over s of image[row][col + s] * filter[radius + s]
__global__ void blur_rows(const uchar4* image, int width, int height, int radius)
{
    __shared__ uchar4 s_tile[THREADS_Y][THREADS_X + 2 * MAX_RADIUS];

    int row = blockIdx.y * THREADS_Y + threadIdx.y;
    int first_col = blockIdx.x * THREADS_X;
    for (int j = threadIdx.x; j < THREADS_X + 2 * radius; j += THREADS_X) {
        int col = first_col - radius + j;
        bool inside = row < height && col >= 0 && col < width;
        s_tile[threadIdx.y][j] = inside ? image[row * width + col] : make_uchar4(0, 0, 0, 0);
    }
    // also right: missing barrier: each warp loads and reads a row of the tile that is its own, and its lanes run
    // together
    __syncthreads();

    int col = first_col + threadIdx.x;
    if (row >= height || col >= width)
        return;
    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    for (int s = 0; s <= 2 * radius; s++) {
        uchar4 pixel = s_tile[threadIdx.y][threadIdx.x + s];
        sum.x += pixel.x * c_filter[s];
        sum.y += pixel.y * c_filter[s];
        sum.z += pixel.z * c_filter[s];
        sum.w += pixel.w * c_filter[s];
    }
    d_rows[row * width + col] = sum;
}

// output[row][col] = sum over r of d_rows[row + r][col] * filter[radius + r], rounded; one channel at a time
__global__ void blur_columns(unsigned char* output, int width, int height, int radius)
{
    __shared__ float s_tile[THREADS_X][ROWS + 2 * MAX_RADIUS]; // column by column: neighbours are 64 floats apart

    int first_row = blockIdx.y * ROWS;
    int x = threadIdx.x;
    int col = blockIdx.x * THREADS_X + x; // of channels: four to a pixel
    const float* rows = (const float*)d_rows;
    for (int j = threadIdx.y; j < ROWS + 2 * radius; j += THREADS_Y) {
        int row = first_row - radius + j;
        // also right: `<` to `<=`: one column too many is loaded for a column that is not stored; d_rows ends behind
        // it, since 16,777,216 pixels have rows of whole blocks
        bool inside = row >= 0 && row < height && col < 4 * width;
        s_tile[x][j] = inside ? rows[row * 4 * width + col] : 0.0f;
    }
    __syncthreads();

    for (int j = threadIdx.y; j < ROWS; j += THREADS_Y) {
        if (first_row + j >= height || col >= 4 * width)
            return;
        float sum = 0.0f;
        for (int r = 0; r <= 2 * radius; r++)
            sum += s_tile[x][j + r] * c_filter[r];
        output[(first_row + j) * 4 * width + col] = to_level(sum);
    }
}

extern "C" void solve(const unsigned char* image, const float* filter, unsigned char* output, int width, int height,
                      int radius)
{
    cudaMemcpyToSymbol(c_filter, filter, (2 * radius + 1) * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    dim3 threads(THREADS_X, THREADS_Y);
    dim3 row_blocks((width + THREADS_X - 1) / THREADS_X, (height + THREADS_Y - 1) / THREADS_Y);
    dim3 column_blocks((4 * width + THREADS_X - 1) / THREADS_X, (height + ROWS - 1) / ROWS);
    blur_rows<<<row_blocks, threads>>>((const uchar4*)image, width, height, radius);
    blur_columns<<<column_blocks, threads>>>(output, width, height, radius);
    cudaDeviceSynchronize();
}
