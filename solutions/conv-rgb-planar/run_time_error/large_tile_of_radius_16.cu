// Mistake: in images of more than a million elements, the tile of the widest filter is larger than the shared memory of a block.
// problem: conv-rgb-planar
#include <cuda_runtime.h>

// A block computes tile x tile outputs of a plane.
__global__ void convolve(const float* input, const float* filter, float* output, int width, int height, int radius,
                         int tile)
{
    extern __shared__ float s_tile[];
    input += blockIdx.z * width * height;
    output += blockIdx.z * width * height;
    int side = 2 * radius + 1, pitch = tile + 2 * radius;
    int first_row = blockIdx.y * tile, first_col = blockIdx.x * tile;
    for (int r = threadIdx.y; r < pitch; r += blockDim.y)
        for (int s = threadIdx.x; s < pitch; s += blockDim.x) {
            int row = first_row + r - radius, col = first_col + s - radius;
            bool inside = row >= 0 && row < height && col >= 0 && col < width;
            s_tile[r * pitch + s] = inside ? input[row * width + col] : 0.0f;
        }
    __syncthreads();
    for (int y = threadIdx.y; y < tile; y += blockDim.y)
        for (int x = threadIdx.x; x < tile; x += blockDim.x) {
            if (first_row + y >= height || first_col + x >= width)
                break;
            float sum = 0.0f;
            for (int r = 0; r < side; r++)
                for (int s = 0; s < side; s++)
                    sum += s_tile[(y + r) * pitch + x + s] * filter[r * side + s];
            output[(first_row + y) * width + first_col + x] = sum;
        }
}

__global__ void convolve_narrow(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    int plane = blockIdx.y * width * height, i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= width * height)
        return;
    int side = 2 * radius + 1, row = i / width, col = i % width;
    float sum = 0.0f;
    for (int r = 0; r < side; r++)
        for (int s = 0; s < side; s++) {
            int from_row = row + r - radius, from_col = col + s - radius;
            if (from_row >= 0 && from_row < height && from_col >= 0 && from_col < width)
                sum += input[plane + from_row * width + from_col] * filter[r * side + s];
        }
    output[plane + i] = sum;
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    if (width < 32) {
        convolve_narrow<<<dim3((width * height + 255) / 256, 3), 256>>>(input, filter, output, width, height, radius);
    } else {
        int tile = 3 * width * height > 1000000 ? 80 : 32, pitch = tile + 2 * radius;
        dim3 blocks((width + tile - 1) / tile, (height + tile - 1) / tile, 3);
        convolve<<<blocks, dim3(32, 8), pitch * pitch * sizeof(float)>>>(input, filter, output, width, height, radius,
                                                                         tile);
    }
    cudaDeviceSynchronize();
}
