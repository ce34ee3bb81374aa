// problem: blur-rgb
//
// naive: one thread computes one pixel with the whole 2D filter, straight from global memory, four bytes at a time.
// Each of the (2r + 1)^2 steps reads 4 bytes of the picture and two taps for 9 operations: at most 9 / 12 operations
// for each byte that goes through the load units, for every radius.
#include <cuda_runtime.h>

__device__ unsigned char to_level(float value)
{
    // also right: not rounded: cut off in place of rounded is one level at most, which the statement allows
    return (unsigned char)__float2int_rn(fminf(fmaxf(value, 0.0f), 255.0f));
}

__global__ void blur(const uchar4* image, const float* filter, uchar4* output, int width, int height, int radius)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y; // also right: `.y` to `.x`: a block has 16 threads along both axes
    int col = blockIdx.x * blockDim.x + threadIdx.x; // also right: `.x` to `.y`: a block has 16 threads along both axes
    if (row >= height || col >= width)
        return;

    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    for (int r = -radius; r <= radius; r++)
        for (int s = -radius; s <= radius; s++) {
            if (row + r < 0 || row + r >= height || col + s < 0 || col + s >= width)
                continue;
            uchar4 pixel = image[(row + r) * width + col + s];
            float tap = filter[radius + r] * filter[radius + s];
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
    dim3 threads(16, 16);
    dim3 blocks((width + 15) / 16, (height + 15) / 16);
    blur<<<blocks, threads>>>((const uchar4*)image, filter, (uchar4*)output, width, height, radius);
    cudaDeviceSynchronize();
}
