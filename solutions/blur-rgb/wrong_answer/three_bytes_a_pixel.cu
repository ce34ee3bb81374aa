// Mistake: treats the picture as one with three bytes per pixel.
// problem: blur-rgb
#include <cuda_runtime.h>

__global__ void blur(const unsigned char* image, const float* filter, unsigned char* output, int width, int height,
                     int radius)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= height || col >= width)
        return;

    for (int channel = 0; channel < 3; channel++) {
        float sum = 0.0f;
        for (int r = -radius; r <= radius; r++)
            for (int s = -radius; s <= radius; s++)
                if (row + r >= 0 && row + r < height && col + s >= 0 && col + s < width)
                    sum += image[((row + r) * width + col + s) * 3 + channel] * filter[radius + r] * filter[radius + s];
        output[(row * width + col) * 3 + channel] = (unsigned char)fminf(fmaxf(sum + 0.5f, 0.0f), 255.0f);
    }
}

extern "C" void solve(const unsigned char* image, const float* filter, unsigned char* output, int width, int height,
                      int radius)
{
    dim3 threads(16, 16);
    dim3 blocks((width + 15) / 16, (height + 15) / 16);
    blur<<<blocks, threads>>>(image, filter, output, width, height, radius);
    cudaDeviceSynchronize();
}
