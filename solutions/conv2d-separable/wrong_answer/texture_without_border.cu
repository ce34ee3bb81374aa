// Mistake: leaves the address mode of the texture as it is, so that what lies outside is the nearest element, not 0.
// problem: conv2d-separable
#include <cuda_runtime.h>

__global__ void convolve(cudaTextureObject_t image, const float* row_filter, const float* column_filter, float* output,
                         int width, int height, int radius)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= height || col >= width)
        return;
    float sum = 0.0f;
    for (int r = 0; r <= 2 * radius; r++)
        for (int s = 0; s <= 2 * radius; s++)
            sum += tex2D<float>(image, col - radius + s + 0.5f, row - radius + r + 0.5f) * column_filter[r] *
                   row_filter[s];
    output[row * width + col] = sum;
}

extern "C" void solve(const float* input, const float* row_filter, const float* column_filter, float* output,
                      int width, int height, int radius)
{
    cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    cudaMallocArray(&array, &channels, width, height);
    cudaMemcpy2DToArray(array, 0, 0, input, width * sizeof(float), width * sizeof(float), height,
                        cudaMemcpyDeviceToDevice);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc description = {};
    cudaTextureObject_t image;
    cudaCreateTextureObject(&image, &resource, &description, nullptr);

    dim3 threads(32, 8);
    dim3 blocks((width + 31) / 32, (height + 7) / 8);
    convolve<<<blocks, threads>>>(image, row_filter, column_filter, output, width, height, radius);
    cudaDeviceSynchronize();
    cudaDestroyTextureObject(image);
    cudaFreeArray(array);
}
