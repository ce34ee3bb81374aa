// expect: Run-Time Error
// says: cudaCreateTextureObject: invalid argument (texture_not_made.cu:34: `cudaCreateTextureObject(&texture, &resource, &how, nullptr);`); after that, kernel convolve
// says: reads through 0x0, which is not a texture object
// problem: gaussian-blur
//
// A texture cannot be made, because rows of so many bytes cannot begin where a texture's rows must. Nothing looks at the error.
#include <cuda_runtime.h>

__global__ void convolve(cudaTextureObject_t texture, const float* kernel, float* output, int rows, int cols,
                         int kernel_rows, int kernel_cols)
{
    int y = blockIdx.y * blockDim.y + threadIdx.y, x = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int r = 0; y < rows && x < cols && r < kernel_rows; r++)
        for (int s = 0; s < kernel_cols; s++)
            sum += tex2D<float>(texture, x + s - kernel_cols / 2, y + r - kernel_rows / 2) * kernel[r * kernel_cols + s];
    if (y < rows && x < cols)
        output[y * cols + x] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = (void*)input;
    resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    resource.res.pitch2D.width = input_cols;
    resource.res.pitch2D.height = input_rows;
    resource.res.pitch2D.pitchInBytes = input_cols * sizeof(float);
    cudaTextureDesc how = {};
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeBorder;
    cudaTextureObject_t texture = 0;
    cudaCreateTextureObject(&texture, &resource, &how, nullptr);
    convolve<<<dim3((input_cols + 31) / 32, (input_rows + 7) / 8), dim3(32, 8)>>>(texture, kernel, output, input_rows,
                                                                                  input_cols, kernel_rows, kernel_cols);
    cudaDeviceSynchronize();
}
