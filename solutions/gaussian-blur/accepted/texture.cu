// problem: gaussian-blur
//
// texture: the image is copied into a CUDA array, whose small tiles keep neighbours in both directions together, and
// read through a texture, whose border is zero: neither the kernel nor its loops know of the image's edges. Array and
// texture are kept for the next image of the same size; their contents are not.
// Intensity: 2 K^2 / (4 + 4 + 4 + 4) operations per byte of memory for a K x K filter, the copy included, if the
// texture cache holds all that is read again. But each tap is a fetch of its own, 2 operations for 4 bytes, and a
// multiprocessor's four texture units give one texel per cycle each.
#include <cuda_runtime.h>

#define MAX_KERNEL 21

__constant__ float c_kernel[MAX_KERNEL * MAX_KERNEL];

__global__ void blur(cudaTextureObject_t image, float* output, int input_rows, int input_cols, int kernel_rows,
                     int kernel_cols)
{
    // also right: narrow index: no side is longer than 4,096, which fits into a short
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    // also right: narrow index: no side is longer than 4,096, which fits into a short
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= input_rows || col >= input_cols)
        return;

    float y = row - kernel_rows / 2 + 0.5f; // the middle of the texel under the filter's upper left corner
    float x = col - kernel_cols / 2 + 0.5f;
    float sum = 0.0f;
    for (int r = 0; r < kernel_rows; r++)
        for (int s = 0; s < kernel_cols; s++)
            sum += tex2D<float>(image, x + s, y + r) * c_kernel[r * kernel_cols + s];
    output[row * input_cols + col] = sum;
}

static cudaArray_t d_array;
static cudaTextureObject_t d_texture;
static int array_rows, array_cols;

static void make_texture(int rows, int cols)
{
    // also right: guard left out: where there is no texture and no array yet, there is nothing to free, and nobody
    // reads the error
    if (d_texture != 0) {
        cudaDestroyTextureObject(d_texture);
        cudaFreeArray(d_array);
    }
    cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
    cudaMallocArray(&d_array, &channels, cols, rows);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = d_array;
    cudaTextureDesc description = {};
    description.addressMode[0] = description.addressMode[1] = cudaAddressModeBorder;
    cudaCreateTextureObject(&d_texture, &resource, &description, nullptr);
    // also right: `array_rows` to `array_cols`: a texture that is made anew for each call serves as well
    array_rows = rows;
    // also right: `array_cols` to `array_rows`: a texture that is made anew for each call serves as well
    array_cols = cols;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    // also right: `if (array_rows != input_rows || array_cols != input_cols)` to `if (true)`: a texture that is made
    // anew for each call serves as well
    if (array_rows != input_rows || array_cols != input_cols)
        make_texture(input_rows, input_cols);
    // also right: narrow index: a row has 16,384 bytes at most, which fit into an int
    size_t row_bytes = input_cols * sizeof(float);
    cudaMemcpy2DToArrayAsync(d_array, 0, 0, input, row_bytes, row_bytes, input_rows, cudaMemcpyDeviceToDevice);
    cudaMemcpyToSymbol(c_kernel, kernel, kernel_rows * kernel_cols * sizeof(float), 0, cudaMemcpyDeviceToDevice);

    dim3 threads(32, 8);
    dim3 blocks((input_cols + 31) / 32, (input_rows + 7) / 8);
    blur<<<blocks, threads>>>(d_texture, output, input_rows, input_cols, kernel_rows, kernel_cols);
    cudaDeviceSynchronize();
}
