// Two rows of blocks for each multiprocessor take rows of the picture from an atomic counter, in both passes.
// problem: blur-rgb
#include <cuda_runtime.h>

__device__ float4 buffer[16777216];
__device__ int next_row[2];

__global__ void reset()
{
    next_row[threadIdx.x] = 0;
}

__device__ int take(int pass)
{
    __shared__ int row;
    __syncthreads();
    if (threadIdx.x == 0)
        row = atomicAdd(&next_row[pass], 1);
    __syncthreads();
    return row;
}

__global__ void rows_pass(const uchar4* image, const float* filter, int width, int height, int radius)
{
    for (int y = take(0); y < height; y = take(0))
        for (int x = threadIdx.x; x < width; x += blockDim.x) {
            float4 sum = {0.0f, 0.0f, 0.0f, 0.0f};
            for (int s = max(-radius, -x); s <= min(radius, width - 1 - x); s++) {
                uchar4 pixel = image[y * width + x + s];
                float tap = filter[radius + s];
                sum.x += pixel.x * tap;
                sum.y += pixel.y * tap;
                sum.z += pixel.z * tap;
                sum.w += pixel.w * tap;
            }
            buffer[y * width + x] = sum;
        }
}

__global__ void columns_pass(const float* filter, uchar4* output, int width, int height, int radius)
{
    for (int y = take(1); y < height; y = take(1))
        for (int x = threadIdx.x; x < width; x += blockDim.x) {
            float4 sum = {0.5f, 0.5f, 0.5f, 0.5f};
            for (int r = max(-radius, -y); r <= min(radius, height - 1 - y); r++) {
                float4 value = buffer[(y + r) * width + x];
                float tap = filter[radius + r];
                sum.x += value.x * tap;
                sum.y += value.y * tap;
                sum.z += value.z * tap;
                sum.w += value.w * tap;
            }
            output[y * width + x] = make_uchar4(fminf(fmaxf(sum.x, 0), 255), fminf(fmaxf(sum.y, 0), 255),
                                                fminf(fmaxf(sum.z, 0), 255), fminf(fmaxf(sum.w, 0), 255));
        }
}

extern "C" void solve(const unsigned char* image, const float* filter, unsigned char* output, int width, int height,
                      int radius)
{
    reset<<<1, 2>>>();
    rows_pass<<<264, 512>>>((const uchar4*)image, filter, width, height, radius);
    columns_pass<<<264, 512>>>(filter, (uchar4*)output, width, height, radius);
    cudaDeviceSynchronize();
}
