// problem: moving-sum
//
// doubling: sums of 1, 2, 4, 8, ... elements, each made of two of the sums before. The binary digits of 2 radius + 1
// say which of them add up to the output: 33 elements need 5 + 1 additions instead of 32.
// Intensity: about 2 log2(2 radius + 1) additions for 2 elements moved, 1.3 operations a byte for the largest radius.
#include <cuda_runtime.h>

#define TILE 256
#define MAX_RADIUS 16

__global__ void moving_sum(const float* input, float* output, int length, int radius)
{
    __shared__ float tile[TILE + 2 * MAX_RADIUS];
    int first = blockIdx.x * TILE, i = first + threadIdx.x;
    for (int k = threadIdx.x; k < TILE + 2 * radius; k += TILE) {
        int j = first + k - radius;
        tile[k] = j >= 0 && j < length ? input[j] : 0.0f;
    }
    __syncthreads();

    float sum = 0.0f;
    int begin = threadIdx.x, taps = 2 * radius + 1; /* the elements that are still missing from the sum */
    for (int width = 1; width <= taps; width *= 2) {
        if (taps & width) {
            sum += tile[begin];
            begin += width;
        }
        float doubled[2];
        for (int part = 0; part < 2; part++) {
            int k = threadIdx.x + part * TILE;
            doubled[part] = k + width < TILE + 2 * radius ? tile[k] + tile[k + width] : 0.0f;
        }
        __syncthreads();
        for (int part = 0; part < 2; part++)
            if (threadIdx.x + part * TILE < TILE + 2 * radius)
                tile[threadIdx.x + part * TILE] = doubled[part];
        __syncthreads();
    }
    if (i < length)
        output[i] = sum;
}

extern "C" void solve(const float* input, float* output, int length, int radius)
{
    moving_sum<<<(length + TILE - 1) / TILE, TILE>>>(input, output, length, radius);
    cudaDeviceSynchronize();
}
