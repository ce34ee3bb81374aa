// problem: blur-uchar4
// One thread for each pixel. 12 operations on a pixel of 4 bytes and two taps: 1 operation per byte.
__device__ unsigned char level(float value)
{
    return (unsigned char)__float2int_rn(fminf(fmaxf(value, 0.0f), 255.0f));
}

__global__ void blur_kernel(const uchar4* image, const float* filter, uchar4* output, size_t width, size_t height,
                            size_t radius)
{
    size_t col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < height && col < width)
    {
        float sum[4] = {0, 0, 0, 0};
        const long r = radius;
        for (long i = -r; i <= r; i++)
            for (long j = -r; j <= r; j++) {
                long y = (long)row + i, x = (long)col + j;
                if (y < 0 || y >= (long)height || x < 0 || x >= (long)width)
                    continue;
                const uchar4 pixel = image[y * width + x];
                const float tap = filter[r + i] * filter[r + j];
                sum[0] += pixel.x * tap;
                sum[1] += pixel.y * tap;
                sum[2] += pixel.z * tap;
                sum[3] += pixel.w * tap;
            }
        output[row * width + col] = make_uchar4(level(sum[0]), level(sum[1]), level(sum[2]), level(sum[3]));
    }
}

void blur(const uchar4* image, const float* filter, uchar4* output, size_t width, size_t height, size_t radius)
{
    dim3 threads(16, 16);
    dim3 blocks((width + 15) / 16, (height + 15) / 16);
    blur_kernel<<<blocks, threads>>>(image, filter, output, width, height, radius);
    cudaDeviceSynchronize();
}
