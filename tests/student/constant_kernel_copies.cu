// expect: Accepted
// problem: conv2d-constant
// The first kernel rotates the filter by 180 degrees and writes it straight into the memory of the __constant__ array. The
// second, a template over a functor, reads it. The third adds zero to the output.
#include <cuda_runtime.h>

__constant__ float c_turned[17 * 17];

__global__ void turn(const float* filter, float* turned, int count)
{
    for (int k = threadIdx.x; k < count; k += blockDim.x)
        turned[count - 1 - k] = filter[k];
}

struct Turned {
    int count;
    __device__ float operator()(int k) const { return c_turned[count - 1 - k]; }
};

template <typename Taps>
__global__ void convolve(const float* input, float* output, int width, int height, int radius, Taps taps)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    int col = blockIdx.y * blockDim.x + threadIdx.x;
    if (row >= height || col >= width)
        return;
    int side = 2 * radius + 1;
    float sum = 0.0f;
    for (int r = 0; r < side; r++)
        for (int s = 0; s < side; s++) {
            int y = row + r - radius, x = col + s - radius;
            if (y >= 0 && y < height && x >= 0 && x < width)
                sum += input[y * width + x] * taps(r * side + s);
        }
    output[row * width + col] = sum;
}

__global__ void add_nothing(float* output, int count)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        output[i] += 0.0f;
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    int count = (2 * radius + 1) * (2 * radius + 1);
    float* turned;
    cudaGetSymbolAddress((void**)&turned, c_turned);
    turn<<<1, 128>>>(filter, turned, count);
    dim3 threads(32, 4);
    dim3 blocks((height + 3) / 4, (width + 31) / 32);
    convolve<<<blocks, threads>>>(input, output, width, height, radius, Turned{count});
    add_nothing<<<64, 256>>>(output, width * height);
    cudaDeviceSynchronize();
}
