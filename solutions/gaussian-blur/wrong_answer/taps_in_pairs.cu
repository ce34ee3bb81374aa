// Mistake: has the texture unit mix two neighbours as the taps weigh them, one fetch for two taps. Its weights have 8
// bits of fraction, which is not accurate enough.
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
    for (int r = 0; r < kernel_rows; r++) {
        const float* taps = kernel + r * kernel_cols;
        float y = row - kernel_rows / 2 + r + 0.5f;
        float x = col - kernel_cols / 2 + 0.5f;
        for (int s = 0; s < kernel_cols; s += 2) {
            float first = taps[s], second = s + 1 < kernel_cols ? taps[s + 1] : 0.0f;
            if (first * second > 0.0f) // a mixture lies between the two
                sum += (first + second) * tex2D<float>(image, x + s + second / (first + second), y);
            else
                sum += first * tex2D<float>(image, x + s, y) + second * tex2D<float>(image, x + s + 1, y);
        }
    }
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
