// expect: Accepted
// problem: blur-rgb
// advice: tensor_cores
// case: 2
// sketch: #include <mma.h> // fragments of 16 x 16 halves, sums in float
// sketch: wmma::load_matrix_sync(a, s_image + ..., LEADING); // halves of the tile
// sketch: wmma::load_matrix_sync(b, s_band, 16); // taps on the diagonals, zeros elsewhere
// sketch: wmma::mma_sync(sums, a, b, sums);
// All taps of the square at once, with eight pixels of a column in registers: nearly all instructions are multiply-adds in
// float, of pixels that would be exact as halves. (Two passes would gain more, and come first.)
#include <cuda_runtime.h>

#define MAX_RADIUS 16
#define OUTPUTS 8 // of a thread
#define COLS 32
#define ROWS (4 * OUTPUTS)

__constant__ float c_filter[2 * MAX_RADIUS + 1];

__device__ unsigned char to_level(float value)
{
    return (unsigned char)__float2int_rn(fminf(fmaxf(value, 0.0f), 255.0f));
}

__global__ void blur(const uchar4* image, uchar4* output, int width, int height, int radius)
{
    extern __shared__ float4 s_pixels[];
    int left = blockIdx.x * COLS, top = blockIdx.y * ROWS, cols = COLS + 2 * radius;
    for (int y = threadIdx.y; y < ROWS + 2 * radius; y += 4)
        for (int x = threadIdx.x; x < cols; x += COLS) {
            int row = top - radius + y, col = left - radius + x;
            bool inside = row >= 0 && row < height && col >= 0 && col < width;
            uchar4 pixel = inside ? image[row * width + col] : make_uchar4(0, 0, 0, 0);
            s_pixels[y * cols + x] = make_float4(pixel.x, pixel.y, pixel.z, pixel.w);
        }
    __syncthreads();

    float4 sum[OUTPUTS] = {};
    for (int s = 0; s <= 2 * radius; s++) {
        const float4* column = s_pixels + threadIdx.y * OUTPUTS * cols + threadIdx.x + s;
        float4 window[OUTPUTS];
#pragma unroll
        for (int o = 0; o < OUTPUTS - 1; o++)
            window[o] = column[o * cols];
#pragma unroll 8
        for (int r = 0; r <= 2 * radius; r++) {
            window[OUTPUTS - 1] = column[(r + OUTPUTS - 1) * cols];
            float tap = c_filter[r] * c_filter[s];
#pragma unroll
            for (int o = 0; o < OUTPUTS; o++) {
                sum[o].x += window[o].x * tap;
                sum[o].y += window[o].y * tap;
                sum[o].z += window[o].z * tap;
                sum[o].w += window[o].w * tap;
            }
#pragma unroll
            for (int o = 0; o < OUTPUTS - 1; o++)
                window[o] = window[o + 1];
        }
    }
#pragma unroll
    for (int o = 0; o < OUTPUTS; o++) {
        int row = top + threadIdx.y * OUTPUTS + o, col = left + threadIdx.x;
        if (row < height && col < width)
            output[row * width + col] =
                make_uchar4(to_level(sum[o].x), to_level(sum[o].y), to_level(sum[o].z), to_level(sum[o].w));
    }
}

extern "C" void solve(const unsigned char* image, const float* filter, unsigned char* output, int width, int height,
                      int radius)
{
    cudaMemcpyToSymbol(c_filter, filter, (2 * radius + 1) * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    size_t bytes = (ROWS + 2 * radius) * (COLS + 2 * radius) * sizeof(float4);
    cudaFuncSetAttribute(blur, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
    dim3 threads(COLS, 4);
    dim3 blocks((width + COLS - 1) / COLS, (height + ROWS - 1) / ROWS);
    blur<<<blocks, threads, bytes>>>((const uchar4*)image, (uchar4*)output, width, height, radius);
    cudaDeviceSynchronize();
}
