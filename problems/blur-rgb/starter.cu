// problem: blur-rgb
//
// One thread for each pixel. As it stands, the output is transparent black, which is a Wrong Answer:
// replace the line marked TODO. All three pointers are device pointers.
#include <cuda_runtime.h>

__device__ unsigned char to_level(float value)
{
    return (unsigned char)__float2int_rn(fminf(fmaxf(value, 0.0f), 255.0f));
}

__global__ void blur(const unsigned char* image, const float* filter, unsigned char* output, int width, int height,
                     int radius)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= height || col >= width)
        return;

    for (int channel = 0; channel < 4; channel++) {
        float sum = 0.0f;
        // TODO: add image[row + r][col + s][channel] * filter[radius + r] * filter[radius + s] to the sum, for every r
        // and s from -radius to radius; but nothing where row + r or col + s lies outside the picture.
        // The arrays are flat: image[row][col][channel] is image[(row * width + col) * 4 + channel].
        output[(row * width + col) * 4 + channel] = to_level(sum);
    }
}

extern "C" void solve(const unsigned char* image, const float* filter, unsigned char* output, int width, int height,
                      int radius)
{
    dim3 threads(16, 16);
    dim3 blocks((width + threads.x - 1) / threads.x, (height + threads.y - 1) / threads.y);
    blur<<<blocks, threads>>>(image, filter, output, width, height, radius);
    cudaDeviceSynchronize();
}
