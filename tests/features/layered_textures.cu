// expect: Accepted
// problem: conv2d
// Even and odd rows of the image are two layers of one texture, and each row of the filter is a layer of another. A third
// texture is filtered linearly, within a layer and never between two.
#include <cuda_runtime.h>

#define OK(call)                                                                                                       \
    if ((call) != cudaSuccess)                                                                                         \
    return

enum { SIDE = 4, LAYERS = 3 };

__global__ void convolve(cudaTextureObject_t image, cudaTextureObject_t filter, const int* mistakes, float* output,
                         int output_rows, int output_cols, int kernel_rows, int kernel_cols)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= output_cols || y >= output_rows || *mistakes > 0)
        return;
    float sum = 0.0f;
    for (int r = 0; r < kernel_rows; r++)
        for (int s = 0; s < kernel_cols; s++)
            sum += tex2DLayered<float>(image, x + s + 0.5f, (y + r) / 2 + 0.5f, (y + r) % 2) *
                   tex1DLayered<float>(filter, s + 0.5f, r);
    output[y * output_cols + x] = sum;
}

// Layer z holds 100 z + 10 y + x.
__global__ void check(cudaTextureObject_t numbers, int* mistakes)
{
    int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
    bool is_inside = x + 1 < SIDE && y + 1 < SIDE;
    float exact = tex2DLayered<float>(numbers, x + 0.5f, y + 0.5f, z), number = 100.0f * z + 10.0f * y + x;
    float between = tex2DLayered<float>(numbers, x + 1.0f, y + 0.75f, z);
    float lod = tex2DLayeredLod<float>(numbers, x + 0.5f, y + 0.5f, z, 0.0f);
    if (exact != number || lod != number || (is_inside && between != number + 0.5f + 2.5f))
        atomicAdd(mistakes, 1);
}

static cudaTextureObject_t layered(cudaArray_t* array, int width, int height, int layers, const float* from,
                                   size_t pitch, size_t rows_from_layer_to_layer, cudaTextureFilterMode filter)
{
    cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
    cudaMalloc3DArray(array, &channels, make_cudaExtent(width, height, layers), cudaArrayLayered);
    for (int layer = 0; layer < layers; layer++) {
        cudaMemcpy3DParms copy = {};
        copy.srcPtr = make_cudaPitchedPtr((void*)(from + layer * rows_from_layer_to_layer), pitch, width, height);
        copy.dstArray = *array;
        copy.dstPos = make_cudaPos(0, 0, layer);
        copy.extent = make_cudaExtent(width, height == 0 ? 1 : height, 1);
        copy.kind = cudaMemcpyDefault;
        cudaMemcpy3D(&copy);
    }
    cudaResourceDesc what = {};
    cudaTextureDesc how = {};
    cudaTextureObject_t texture = 0;
    what.resType = cudaResourceTypeArray;
    what.res.array.array = *array;
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    how.filterMode = filter;
    cudaCreateTextureObject(&texture, &what, &how, nullptr);
    return texture;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    int output_rows = input_rows - kernel_rows + 1, output_cols = input_cols - kernel_cols + 1;
    float numbers[LAYERS][SIDE][SIDE];
    for (int i = 0; i < LAYERS * SIDE * SIDE; i++)
        numbers[i / SIDE / SIDE][i / SIDE % SIDE][i % SIDE] = 100 * (i / SIDE / SIDE) + 10 * (i / SIDE % SIDE) + i % SIDE;
    float* rows; // one more than there are, so that both layers have as many
    int half = (input_rows + 1) / 2;
    OK(cudaMalloc(&rows, 2 * half * input_cols * sizeof(float)));
    OK(cudaMemset(rows, 0, 2 * half * input_cols * sizeof(float)));
    OK(cudaMemcpy(rows, input, input_rows * input_cols * sizeof(float), cudaMemcpyDeviceToDevice));

    cudaArray_t image_array, filter_array, numbers_array;
    cudaTextureObject_t image = layered(&image_array, input_cols, half, 2, rows, 2 * input_cols * sizeof(float),
                                        input_cols, cudaFilterModePoint);
    cudaTextureObject_t filter = layered(&filter_array, kernel_cols, 0, kernel_rows, kernel,
                                         kernel_cols * sizeof(float), kernel_cols, cudaFilterModePoint);
    cudaTextureObject_t filtered = layered(&numbers_array, SIDE, SIDE, LAYERS, &numbers[0][0][0], SIDE * sizeof(float),
                                           SIDE * SIDE, cudaFilterModeLinear);
    int* mistakes;
    OK(cudaMalloc(&mistakes, sizeof *mistakes));
    OK(cudaMemset(mistakes, 0, sizeof *mistakes));
    check<<<1, dim3(SIDE, SIDE, LAYERS)>>>(filtered, mistakes);
    convolve<<<dim3((output_cols + 31) / 32, (output_rows + 7) / 8), dim3(32, 8)>>>(
        image, filter, mistakes, output, output_rows, output_cols, kernel_rows, kernel_cols);
    cudaDeviceSynchronize();
    cudaDestroyTextureObject(image);
    cudaDestroyTextureObject(filter);
    cudaDestroyTextureObject(filtered);
    cudaFreeArray(image_array);
    cudaFreeArray(filter_array);
    cudaFreeArray(numbers_array);
    cudaFree(rows);
    cudaFree(mistakes);
}
