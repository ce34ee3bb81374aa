// problem: blur-rgb
//
// 2D shared tile, four loads per thread: 32 x 32 threads load the four quarters of a tile of 64 x 64 pixels, enough for
// a halo of 16 on each side; then each applies the whole 2D filter to its own pixel.
// Intensity with T = 32: 8 (2r + 1)^2 T^2 / (4 ((2T)^2 + T^2)) = 2 (2r + 1)^2 / 5 operations per byte of global memory.
#include <cuda_runtime.h>

#define TILE 32
#define MAX_RADIUS 16

__constant__ float c_filter[2 * MAX_RADIUS + 1];

__device__ unsigned char to_level(float value)
{
    // also right: not rounded: cut off in place of rounded is one level at most, which the statement allows
    return (unsigned char)__float2int_rn(fminf(fmaxf(value, 0.0f), 255.0f));
}

__device__ uchar4 pixel_at(const uchar4* image, int row, int col, int width, int height)
{
    bool inside = row >= 0 && row < height && col >= 0 && col < width;
    return inside ? image[row * width + col] : make_uchar4(0, 0, 0, 0);
}

__global__ void blur(const uchar4* image, uchar4* output, int width, int height, int radius)
{
    __shared__ uchar4 s_tile[2 * TILE][2 * TILE];

    int x = threadIdx.x, y = threadIdx.y;
    int top = blockIdx.y * TILE - MAX_RADIUS + y; // where this thread's first load comes from
    int left = blockIdx.x * TILE - MAX_RADIUS + x;
    s_tile[y][x] = pixel_at(image, top, left, width, height);
    s_tile[y][x + TILE] = pixel_at(image, top, left + TILE, width, height);
    s_tile[y + TILE][x] = pixel_at(image, top + TILE, left, width, height);
    s_tile[y + TILE][x + TILE] = pixel_at(image, top + TILE, left + TILE, width, height);
    __syncthreads();

    int row = blockIdx.y * TILE + y;
    int col = blockIdx.x * TILE + x;
    if (row >= height || col >= width)
        return;
    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    for (int r = -radius; r <= radius; r++)
        for (int s = -radius; s <= radius; s++) {
            uchar4 pixel = s_tile[MAX_RADIUS + y + r][MAX_RADIUS + x + s];
            float tap = c_filter[radius + r] * c_filter[radius + s];
            sum.x += pixel.x * tap;
            sum.y += pixel.y * tap;
            sum.z += pixel.z * tap;
            sum.w += pixel.w * tap;
        }
    output[row * width + col] = make_uchar4(to_level(sum.x), to_level(sum.y), to_level(sum.z), to_level(sum.w));
}

extern "C" void solve(const unsigned char* image, const float* filter, unsigned char* output, int width, int height,
                      int radius)
{
    cudaMemcpyToSymbol(c_filter, filter, (2 * radius + 1) * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    dim3 threads(TILE, TILE);
    dim3 blocks((width + TILE - 1) / TILE, (height + TILE - 1) / TILE);
    blur<<<blocks, threads>>>((const uchar4*)image, (uchar4*)output, width, height, radius);
    cudaDeviceSynchronize();
}
