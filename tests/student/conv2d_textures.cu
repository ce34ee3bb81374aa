// expect: Accepted
// problem: conv2d
// Reads the filter through linear memory, even rows of the image through an array, and odd ones through pitched memory.
#include <cstdlib>
#include <cuda_runtime.h>

#define OK(call)                                                                                                       \
    if ((call) != cudaSuccess)                                                                                         \
    return

__global__ void conv_textures(cudaTextureObject_t array, cudaTextureObject_t pitched, cudaTextureObject_t filter,
                              float* output, int output_rows, int output_cols, int kernel_rows, int kernel_cols)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= output_rows || col >= output_cols)
        return;
    float sum = 0.0f;
    for (int r = 0; r < kernel_rows; r++) {
        cudaTextureObject_t image = (row + r) % 2 == 0 ? array : pitched;
        for (int s = 0; s < kernel_cols; s++)
            sum += tex2D<float>(image, col + s + 0.5f, row + r + 0.5f) * tex1Dfetch<float>(filter, r * kernel_cols + s);
    }
    output[row * output_cols + col] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    int output_rows = input_rows - kernel_rows + 1, output_cols = input_cols - kernel_cols + 1;
    size_t width = input_cols * sizeof(float), pitch = 0;
    cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    void* copy;
    OK(cudaMallocArray(&array, &channels, input_cols, input_rows));
    OK(cudaMemcpy2DToArray(array, 0, 0, input, width, width, input_rows, cudaMemcpyDeviceToDevice));
    OK(cudaMallocPitch(&copy, &pitch, width, input_rows));
    OK(cudaMemcpy2D(copy, pitch, input, width, width, input_rows, cudaMemcpyDeviceToDevice));

    cudaTextureDesc how = {};
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    how.readMode = cudaReadModeElementType;
    cudaResourceDesc what = {};
    cudaTextureObject_t textures[3];
    what.resType = cudaResourceTypeArray;
    what.res.array.array = array;
    OK(cudaCreateTextureObject(&textures[0], &what, &how, nullptr));
    what.resType = cudaResourceTypePitch2D;
    what.res.pitch2D.devPtr = copy;
    what.res.pitch2D.desc = channels;
    what.res.pitch2D.width = input_cols;
    what.res.pitch2D.height = input_rows;
    what.res.pitch2D.pitchInBytes = pitch;
    OK(cudaCreateTextureObject(&textures[1], &what, &how, nullptr));
    what = {};
    what.resType = cudaResourceTypeLinear;
    what.res.linear.devPtr = (void*)kernel;
    what.res.linear.desc = channels;
    what.res.linear.sizeInBytes = kernel_rows * kernel_cols * sizeof(float);
    OK(cudaCreateTextureObject(&textures[2], &what, &how, nullptr));

    cudaResourceDesc told;
    OK(cudaGetTextureObjectResourceDesc(&told, textures[2]));
    if (told.res.linear.devPtr != kernel)
        return;

    dim3 block(32, 8);
    dim3 grid((output_cols + 31) / 32, (output_rows + 7) / 8);
    conv_textures<<<grid, block>>>(textures[0], textures[1], textures[2], output, output_rows, output_cols, kernel_rows,
                                   kernel_cols);
    cudaDeviceSynchronize();
    for (cudaTextureObject_t texture : textures)
        cudaDestroyTextureObject(texture);
    cudaFreeArray(array);
    cudaFree(copy);
}
