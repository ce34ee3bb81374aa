// Mistake: the tile has a halo of 4 elements on each side; taps that reach further read zeros.
// problem: conv2d-constant
#include <cuda_runtime.h>

#define MAX_SIDE 17

__constant__ float c_filter[MAX_SIDE * MAX_SIDE];

__global__ void convolve(const float* input, float* output, int width, int height, int radius)
{
    __shared__ float s_input[16 + 8][16 + 8];

    int first_row = blockIdx.x * 16 - 4;
    int first_col = blockIdx.y * 16 - 4;
    for (int r = threadIdx.y; r < 16 + 8; r += 16)
        for (int s = threadIdx.x; s < 16 + 8; s += 16) {
            int y = first_row + r, x = first_col + s;
            s_input[r][s] = y >= 0 && y < height && x >= 0 && x < width ? input[y * width + x] : 0.0f;
        }
    __syncthreads();

    int row = blockIdx.x * 16 + threadIdx.y;
    int col = blockIdx.y * 16 + threadIdx.x;
    if (row >= height || col >= width)
        return;
    int side = 2 * radius + 1;
    float sum = 0.0f;
    for (int r = -radius; r <= radius; r++)
        for (int s = -radius; s <= radius; s++) {
            int y = threadIdx.y + 4 + r, x = threadIdx.x + 4 + s;
            if (y >= 0 && y < 16 + 8 && x >= 0 && x < 16 + 8)
                sum += s_input[y][x] * c_filter[(radius + r) * side + radius + s];
        }
    output[row * width + col] = sum;
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    int side = 2 * radius + 1;
    dim3 threads(16, 16);
    dim3 blocks((height + 15) / 16, (width + 15) / 16);
    cudaMemcpyToSymbol(c_filter, filter, side * side * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    convolve<<<blocks, threads>>>(input, output, width, height, radius);
    cudaDeviceSynchronize();
}
