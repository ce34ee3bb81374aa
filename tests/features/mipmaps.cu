// expect: Accepted
// problem: conv2d
//
// The filter is the second level of a mipmapped array, whose first level holds zeros. It is read as that level, and, from every other row on,
// half-way between the two levels, which gives half of each tap. A texture that may read the first level alone finds zeros.
#include <cstdlib>
#include <cuda_runtime.h>

static void check(bool right)
{
    if (!right)
        abort();
}

__global__ void convolve(const float* input, cudaTextureObject_t second, cudaTextureObject_t between,
                         cudaTextureObject_t first, float* output, int input_cols, int kernel_rows, int kernel_cols,
                         int output_rows, int output_cols)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= output_cols || y >= output_rows)
        return;
    float sum = tex2D<float>(second, 0.5f, 0.5f) + tex2DLod<float>(first, 0.5f, 0.5f, 1.0f);
    for (int r = 0; r < kernel_rows; r++)
        for (int s = 0; s < kernel_cols; s++) {
            float u = (s + 0.5f) / kernel_cols, v = (r + 0.5f) / kernel_rows;
            float tap = r % 2 ? 2 * tex2DLod<float>(between, u, v, 0.5f) : tex2DLod<float>(second, u, v, 1.0f);
            sum += input[(y + r) * input_cols + x + s] * tap;
        }
    output[y * output_cols + x] = sum;
}

static cudaTextureObject_t texture(cudaMipmappedArray_t levels, cudaTextureFilterMode between, float most_level)
{
    cudaTextureObject_t made;
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeMipmappedArray;
    resource.res.mipmap.mipmap = levels;
    cudaTextureDesc how = {};
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    how.mipmapFilterMode = between;
    how.maxMipmapLevelClamp = most_level;
    check(cudaCreateTextureObject(&made, &resource, &how, nullptr) == cudaErrorInvalidValue);
    how.normalizedCoords = 1;
    check(cudaCreateTextureObject(&made, &resource, &how, nullptr) == cudaSuccess);
    return made;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    cudaMipmappedArray_t levels;
    cudaArray_t level;
    float* zeros;
    const size_t width = 2 * kernel_cols, row = width * sizeof(float);
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    check(cudaMallocMipmappedArray(&levels, &format, make_cudaExtent(width, 2 * kernel_rows, 0), 2) == cudaSuccess);
    check(cudaMalloc(&zeros, row * 2 * kernel_rows) == cudaSuccess);
    check(cudaMemset(zeros, 0, row * 2 * kernel_rows) == cudaSuccess);
    check(cudaGetMipmappedArrayLevel(&level, levels, 2) == cudaErrorInvalidValue);
    check(cudaGetMipmappedArrayLevel(&level, levels, 0) == cudaSuccess);
    check(cudaMemcpy2DToArray(level, 0, 0, zeros, row, row, 2 * kernel_rows, cudaMemcpyDeviceToDevice) == cudaSuccess);
    check(cudaGetMipmappedArrayLevel(&level, levels, 1) == cudaSuccess);
    check(cudaMemcpy2DToArray(level, 0, 0, kernel, row / 2, row / 2, kernel_rows, cudaMemcpyDeviceToDevice) ==
          cudaSuccess);
    cudaTextureObject_t second = texture(levels, cudaFilterModePoint, 1);
    cudaTextureObject_t between = texture(levels, cudaFilterModeLinear, 1);
    cudaTextureObject_t first = texture(levels, cudaFilterModePoint, 0);
    const int output_rows = input_rows - kernel_rows + 1, output_cols = input_cols - kernel_cols + 1;
    convolve<<<dim3((output_cols + 31) / 32, (output_rows + 7) / 8), dim3(32, 8)>>>(
        input, second, between, first, output, input_cols, kernel_rows, kernel_cols, output_rows, output_cols);
    check(cudaDeviceSynchronize() == cudaSuccess);
    for (cudaTextureObject_t object : {second, between, first})
        check(cudaDestroyTextureObject(object) == cudaSuccess);
    check(cudaFreeMipmappedArray(levels) == cudaSuccess && cudaFree(zeros) == cudaSuccess);
}
