// expect: Accepted
// problem: conv2d
// Computes into memory of the stream's own, and sends the result to the output by way of pitched memory and a CUDA array,
// with hints about managed memory and a function that the host runs in between.
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void conv(const float* input, const float* kernel, float* result, int output_rows, int output_cols,
                     int kernel_rows, int kernel_cols, unsigned* rows_done)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= output_rows || col >= output_cols)
        return;
    float sum = 0.0f;
    for (int r = 0; r < kernel_rows; r++)
        for (int s = 0; s < kernel_cols; s++)
            sum += input[(row + r) * (output_cols + kernel_cols - 1) + col + s] * kernel[r * kernel_cols + s];
    result[row * output_cols + col] = sum;
    if (col == 0)
        atomicAdd(rows_done, 1);
}

static void CUDART_CB count(void* calls)
{
    ++*(int*)calls;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    int output_rows = input_rows - kernel_rows + 1, output_cols = input_cols - kernel_cols + 1, calls = 0;
    size_t width = output_cols * sizeof(float);
    float* result = nullptr;
    unsigned* rows_done = nullptr;
    cudaPitchedPtr pitched;
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaMallocAsync((void**)&result, width * output_rows, 0);
    cudaMallocManaged(&rows_done, sizeof *rows_done);
    cudaMalloc3D(&pitched, make_cudaExtent(width, output_rows, 1));
    cudaMallocArray(&array, &format, output_cols, output_rows);
    *rows_done = 0;

    dim3 threads(16, 16), blocks((output_cols + 15) / 16, (output_rows + 15) / 16);
    conv<<<blocks, threads>>>(input, kernel, result, output_rows, output_cols, kernel_rows, kernel_cols, rows_done);
    cudaLaunchHostFunc(0, count, &calls);

    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(result, width, output_cols, output_rows);
    copy.dstPtr = pitched;
    copy.extent = make_cudaExtent(width, output_rows, 1);
    copy.kind = cudaMemcpyDeviceToDevice;
    cudaMemcpy3DAsync(&copy, 0);
    cudaMemcpy2DToArray(array, 0, 0, pitched.ptr, pitched.pitch, width, output_rows, cudaMemcpyDeviceToDevice);
    cudaMemcpy2DFromArray(output, width, array, 0, 0, width, output_rows, cudaMemcpyDefault);
    cudaDeviceSynchronize();
    if (*rows_done != (unsigned)output_rows || calls != 1)
        abort();
    cudaFreeAsync(result, 0);
    cudaFree(rows_done);
    cudaFree(pitched.ptr);
    cudaFreeArray(array);
}
