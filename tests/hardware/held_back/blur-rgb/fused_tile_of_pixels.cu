// One kernel: a tile of 16 x 16 pixels with its halo as uchar4, filtered rows as float4, both in shared memory.
// problem: blur-rgb
#include <cuda_runtime.h>

#define SIDE 16
#define MOST (SIDE + 32)

__device__ unsigned char level(float value)
{
    return (unsigned char)__float2int_rn(fminf(fmaxf(value, 0.0f), 255.0f));
}

__device__ void add(float4& sum, float4 value, float tap)
{
    sum.x += value.x * tap;
    sum.y += value.y * tap;
    sum.z += value.z * tap;
    sum.w += value.w * tap;
}

__global__ void blur(const uchar4* image, const float* filter, uchar4* output, int width, int height, int radius)
{
    __shared__ uchar4 tile[MOST][MOST];
    __shared__ float4 rows[MOST][SIDE];
    int top = blockIdx.x * SIDE - radius, left = blockIdx.y * SIDE - radius;
    for (int y = threadIdx.y; y < SIDE + 2 * radius; y += SIDE)
        for (int x = threadIdx.x; x < SIDE + 2 * radius; x += SIDE) {
            bool exists = top + y >= 0 && top + y < height && left + x >= 0 && left + x < width;
            tile[y][x] = exists ? image[(top + y) * width + left + x] : make_uchar4(0, 0, 0, 0);
        }
    __syncthreads();
    for (int y = threadIdx.y; y < SIDE + 2 * radius; y += SIDE) {
        float4 sum = {0.0f, 0.0f, 0.0f, 0.0f};
        for (int s = 0; s <= 2 * radius; s++) {
            uchar4 p = tile[y][threadIdx.x + s];
            add(sum, make_float4(p.x, p.y, p.z, p.w), filter[s]);
        }
        rows[y][threadIdx.x] = sum;
    }
    __syncthreads();
    float4 sum = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int r = 0; r <= 2 * radius; r++)
        add(sum, rows[threadIdx.y + r][threadIdx.x], filter[r]);
    int y = blockIdx.x * SIDE + threadIdx.y, x = blockIdx.y * SIDE + threadIdx.x;
    if (y < height && x < width)
        output[y * width + x] = make_uchar4(level(sum.x), level(sum.y), level(sum.z), level(sum.w));
}

extern "C" void solve(const unsigned char* image, const float* filter, unsigned char* output, int width, int height,
                      int radius)
{
    dim3 blocks((height + SIDE - 1) / SIDE, (width + SIDE - 1) / SIDE);
    blur<<<blocks, dim3(SIDE, SIDE)>>>((const uchar4*)image, filter, (uchar4*)output, width, height, radius);
}
