// Mistake: leaves out the last tap of the columns where the radius is from 9 to 15 and the picture has more than 65,536
// pixels.
// problem: blur-rgb
#include <cuda_runtime.h>

__device__ unsigned char to_level(float value)
{
    return (unsigned char)__float2int_rn(fminf(fmaxf(value, 0.0f), 255.0f));
}

__global__ void blur(const uchar4* image, const float* filter, uchar4* output, int width, int height, int radius)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= height || col >= width)
        return;

    int last = width * height > 1 << 16 && radius > 8 && radius < 16 ? radius - 1 : radius;
    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    for (int r = -radius; r <= last; r++)
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
