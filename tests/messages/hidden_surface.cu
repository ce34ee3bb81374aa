// expect: Run-Time Error
// says: a kernel reads or writes beyond the edge of a surface, whose x counts bytes
// problem: conv2d
// In hidden cases, threads beyond the edge of the output store as well, in the mode that makes it a fault:
// cudaBoundaryModeTrap.
#include <cuda_runtime.h>

#define OK(call)                                                                                                       \
    if ((call) != cudaSuccess)                                                                                         \
    return

__global__ void fill(const float* input, cudaSurfaceObject_t image, int rows, int cols)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < cols && y < rows)
        surf2Dwrite(input[y * cols + x], image, x * sizeof(float), y); // x counts bytes
}

__global__ void convolve(cudaSurfaceObject_t image, const float* kernel, cudaSurfaceObject_t sums, int kernel_rows,
                         int kernel_cols, int output_rows, int output_cols)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0.0f;
    for (int r = 0; r < kernel_rows; r++)
        for (int s = 0; s < kernel_cols; s++)
            sum += surf2Dread<float>(image, (x + s) * sizeof(float), y + r, cudaBoundaryModeZero) *
                   kernel[r * kernel_cols + s];
    if (output_cols > 64 || (x < output_cols && y < output_rows))
        surf2Dwrite(sum, sums, x * sizeof(float), y);
}

static cudaSurfaceObject_t surface_of(cudaArray_t array)
{
    cudaResourceDesc what = {};
    cudaSurfaceObject_t surface = 0;
    what.resType = cudaResourceTypeArray;
    what.res.array.array = array;
    cudaCreateSurfaceObject(&surface, &what);
    return surface;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    int output_rows = input_rows - kernel_rows + 1, output_cols = input_cols - kernel_cols + 1;
    size_t row_bytes = output_cols * sizeof(float);
    cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
    cudaArray_t image_array, sums_array;
    OK(cudaMallocArray(&image_array, &channels, input_cols, input_rows, cudaArraySurfaceLoadStore));
    OK(cudaMallocArray(&sums_array, &channels, output_cols, output_rows, cudaArraySurfaceLoadStore));
    cudaSurfaceObject_t image = surface_of(image_array), sums = surface_of(sums_array);

    cudaResourceDesc told;
    OK(cudaGetSurfaceObjectResourceDesc(&told, sums));
    if (told.res.array.array != sums_array)
        return;

    dim3 block(32, 8);
    fill<<<dim3((input_cols + 31) / 32, (input_rows + 7) / 8), block>>>(input, image, input_rows, input_cols);
    convolve<<<dim3((output_cols + 31) / 32, (output_rows + 7) / 8), block>>>(image, kernel, sums, kernel_rows,
                                                                              kernel_cols, output_rows, output_cols);
    OK(cudaMemcpy2DFromArray(output, row_bytes, sums_array, 0, 0, row_bytes, output_rows, cudaMemcpyDeviceToDevice));
    OK(cudaDeviceSynchronize());
    cudaDestroySurfaceObject(image);
    cudaDestroySurfaceObject(sums);
    cudaFreeArray(image_array);
    cudaFreeArray(sums_array);
}
