// Columns first: a thread marches down 32 rows with its last inputs in a ring in shared memory; then rows.
// problem: blur-rgb
#include <cuda_runtime.h>

#define ROWS 32

__constant__ float c_filter[33];
__device__ float4 buffer[16777216];

__global__ void columns_pass(const uchar4* image, int width, int height, int radius)
{
    __shared__ uchar4 ring[33][64];
    int x = blockIdx.x * 64 + threadIdx.x, first = blockIdx.y * ROWS, side = 2 * radius + 1;
    if (x >= width)
        return; // no barriers: each thread has a column of the ring to itself
    for (int y = first - radius; y < first + radius; y++)
        ring[(y + side * 2) % side][threadIdx.x] = y >= 0 && y < height ? image[y * width + x]
                                                                        : make_uchar4(0, 0, 0, 0);
    for (int y = first; y < min(first + ROWS, height); y++) {
        int next = y + radius;
        ring[(next + side * 2) % side][threadIdx.x] = next < height ? image[next * width + x] : make_uchar4(0, 0, 0, 0);
        float4 sum = {0.0f, 0.0f, 0.0f, 0.0f};
        int place = (y - radius + side * 2) % side;
        for (int r = 0; r < side; r++) {
            uchar4 p = ring[place][threadIdx.x];
            float tap = c_filter[r];
            sum.x += p.x * tap;
            sum.y += p.y * tap;
            sum.z += p.z * tap;
            sum.w += p.w * tap;
            place = place + 1 == side ? 0 : place + 1;
        }
        buffer[y * width + x] = sum;
    }
}

__global__ void rows_pass(unsigned char* output, int width, int height, int radius)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x; // of all bytes
    if (i >= width * height * 4)
        return;
    int x = i / 4 % width;
    const float* from = (const float*)buffer + i;
    float sum = 0.0f;
    for (int s = max(0, radius - x); s < min(2 * radius + 1, width + radius - x); s++)
        sum += from[4 * (s - radius)] * c_filter[s];
    output[i] = (unsigned char)(fminf(fmaxf(sum, 0.0f), 255.0f) + 0.5f);
}

extern "C" void solve(const unsigned char* image, const float* filter, unsigned char* output, int width, int height,
                      int radius)
{
    cudaMemcpyToSymbol(c_filter, filter, (2 * radius + 1) * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    columns_pass<<<dim3((width + 63) / 64, (height + ROWS - 1) / ROWS), 64>>>((const uchar4*)image, width, height,
                                                                              radius);
    rows_pass<<<(width * height * 4 + 255) / 256, 256>>>(output, width, height, radius);
    cudaDeviceSynchronize();
}
