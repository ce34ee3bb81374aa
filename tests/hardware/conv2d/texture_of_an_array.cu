// The image is copied to a CUDA array, and fetched through a texture of two dimensions.
// problem: conv2d
#include <cuda_runtime.h>

__global__ void convolve(cudaTextureObject_t image, const float* kernel, float* output, int kernel_rows,
                         int kernel_cols, int output_rows, int output_cols)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= output_rows || col >= output_cols)
        return;
    float sum = 0.0f;
    for (int r = 0; r < kernel_rows; r++)
        for (int s = 0; s < kernel_cols; s++)
            sum += tex2D<float>(image, col + s + 0.5f, row + r + 0.5f) * kernel[r * kernel_cols + s];
    output[row * output_cols + col] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    cudaMallocArray(&array, &format, input_cols, input_rows);
    cudaMemcpy2DToArray(array, 0, 0, input, input_cols * sizeof(float), input_cols * sizeof(float), input_rows,
                        cudaMemcpyDeviceToDevice);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc description = {};
    description.addressMode[0] = description.addressMode[1] = cudaAddressModeClamp;
    description.filterMode = cudaFilterModePoint;
    description.readMode = cudaReadModeElementType;
    cudaTextureObject_t image;
    cudaCreateTextureObject(&image, &resource, &description, nullptr);
    int output_rows = input_rows - kernel_rows + 1, output_cols = input_cols - kernel_cols + 1;
    dim3 blocks((output_cols + 15) / 16, (output_rows + 15) / 16);
    convolve<<<blocks, dim3(16, 16)>>>(image, kernel, output, kernel_rows, kernel_cols, output_rows, output_cols);
    cudaDeviceSynchronize();
    cudaDestroyTextureObject(image);
    cudaFreeArray(array);
}
