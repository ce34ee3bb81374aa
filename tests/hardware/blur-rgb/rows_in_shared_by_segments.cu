// A block of 256 threads for 256 pixels of a row: they come into shared memory as floats, one array for each channel.
// problem: blur-rgb
#include <cuda_runtime.h>

__device__ float planes[4][16777216];

__global__ void rows_pass(const uchar4* image, const float* filter, int width, int height, int radius)
{
    __shared__ float segment[4][256 + 32];
    int left = blockIdx.y * 256 - radius, y = blockIdx.x;
    for (int j = threadIdx.x; j < 256 + 2 * radius; j += 256) {
        uchar4 p = left + j >= 0 && left + j < width ? image[y * width + left + j] : make_uchar4(0, 0, 0, 0);
        segment[0][j] = p.x;
        segment[1][j] = p.y;
        segment[2][j] = p.z;
        segment[3][j] = p.w;
    }
    __syncthreads();
    int x = blockIdx.y * 256 + threadIdx.x;
    if (x >= width)
        return;
    for (int c = 0; c < 4; c++) {
        float sum = 0.0f;
        for (int s = 0; s <= 2 * radius; s++)
            sum += segment[c][threadIdx.x + s] * filter[s];
        planes[c][y * width + x] = sum;
    }
}

__global__ void columns_pass(const float* filter, uchar4* output, int width, int height, int radius)
{
    int y = blockIdx.x, x = blockIdx.y * 256 + threadIdx.x;
    if (x >= width)
        return;
    int level[4];
    for (int c = 0; c < 4; c++) {
        float sum = 0.0f;
        for (int r = max(-radius, -y); r <= min(radius, height - 1 - y); r++)
            sum += planes[c][(y + r) * width + x] * filter[radius + r];
        level[c] = min(max(__float2int_rn(sum), 0), 255);
    }
    output[y * width + x] = make_uchar4(level[0], level[1], level[2], level[3]);
}

extern "C" void solve(const unsigned char* image, const float* filter, unsigned char* output, int width, int height,
                      int radius)
{
    dim3 blocks(height, (width + 255) / 256);
    rows_pass<<<blocks, 256>>>((const uchar4*)image, filter, width, height, radius);
    columns_pass<<<blocks, 256>>>(filter, (uchar4*)output, width, height, radius);
}
