// Mistake: a texture that filters is read at the corners of its texels, where four of them are mixed; their middles lie
// half a texel further on.
// problem: gaussian-blur
#include <cuda_runtime.h>

__global__ void blur(cudaTextureObject_t image, const float* kernel, float* output, int input_rows, int input_cols,
                     int kernel_rows, int kernel_cols)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= input_rows || col >= input_cols)
        return;
    float sum = 0.0f;
    for (int r = 0; r < kernel_rows; r++)
        for (int s = 0; s < kernel_cols; s++)
            sum += tex2D<float>(image, col - kernel_cols / 2 + s, row - kernel_rows / 2 + r) *
                   kernel[r * kernel_cols + s];
    output[row * input_cols + col] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
    size_t row_bytes = input_cols * sizeof(float);
    cudaArray_t array;
    cudaMallocArray(&array, &channels, input_cols, input_rows);
    cudaMemcpy2DToArray(array, 0, 0, input, row_bytes, row_bytes, input_rows, cudaMemcpyDeviceToDevice);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc description = {};
    description.addressMode[0] = description.addressMode[1] = cudaAddressModeBorder;
    description.filterMode = cudaFilterModeLinear;
    cudaTextureObject_t image;
    cudaCreateTextureObject(&image, &resource, &description, nullptr);

    dim3 threads(32, 8);
    dim3 blocks((input_cols + 31) / 32, (input_rows + 7) / 8);
    blur<<<blocks, threads>>>(image, kernel, output, input_rows, input_cols, kernel_rows, kernel_cols);
    cudaDeviceSynchronize();
    cudaDestroyTextureObject(image);
    cudaFreeArray(array);
}
