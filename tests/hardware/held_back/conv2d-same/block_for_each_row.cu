// A block of 128 threads for each row of the output loops over its columns, with taps in shared memory.
// problem: conv2d-same
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    __shared__ float taps[33 * 33];
    int side = 2 * radius + 1, row = blockIdx.x;
    for (int k = threadIdx.x; k < side * side; k += blockDim.x)
        taps[k] = filter[k];
    __syncthreads();
    for (int col = threadIdx.x; col < width; col += blockDim.x) {
        float sum = 0.0f;
        for (int r = max(0, radius - row); r < min(2 * radius + 1, height + radius - row); r++)
            for (int s = max(0, radius - col); s < min(2 * radius + 1, width + radius - col); s++)
                sum += input[(row + r - radius) * width + col + s - radius] * taps[r * side + s];
        output[row * width + col] = sum;
    }
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    convolve<<<height, 128>>>(input, filter, output, width, height, radius);
}
