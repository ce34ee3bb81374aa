// Mistake: one stream frees the memory in its order while the other, which does not wait for it nor it for the other,
// still copies from it.
// says: does not wait for the copy of 16 bytes within the device on non-blocking stream 2 (pool_memory_freed_too_early.cu:42: `cudaMemcpyAsync(output, result, bytes, cudaMemcpyDeviceToDevice, b);`), and the output depends on which comes first
// problem: conv2d
// on cuda: Accepted, Wrong Answer
#include <cuda_runtime.h>

// Computes the output rows [first_row, end_row) with the filter rows [first_tap, end_tap), and adds to what is there if
// `adds`.
__global__ void convolve(const float* input, const float* kernel, float* output, int input_cols, int output_cols,
                         int kernel_cols, int first_row, int end_row, int first_tap, int end_tap, bool adds)
{
    int row = first_row + blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= end_row || col >= output_cols)
        return;
    float sum = adds ? output[row * output_cols + col] : 0.0f;
    for (int r = first_tap; r < end_tap; r++)
        for (int s = 0; s < kernel_cols; s++)
            sum += input[(row + r) * input_cols + col + s] * kernel[r * kernel_cols + s];
    output[row * output_cols + col] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    int output_rows = input_rows - kernel_rows + 1;
    int output_cols = input_cols - kernel_cols + 1;
    dim3 threads(16, 16);
    dim3 blocks((output_cols + 15) / 16, (output_rows + 15) / 16);
    size_t bytes = (size_t)output_rows * output_cols * sizeof(float);
    cudaStream_t a, b;
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    cudaEvent_t done;
    cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
    float* result;
    cudaMallocAsync(&result, bytes, a);
    convolve<<<blocks, threads, 0, a>>>(input, kernel, result, input_cols, output_cols, kernel_cols, 0, output_rows, 0, kernel_rows, false);
    cudaEventRecord(done, a);
    cudaStreamWaitEvent(b, done, 0);
    cudaMemcpyAsync(output, result, bytes, cudaMemcpyDeviceToDevice, b);
    cudaFreeAsync(result, a);
    cudaDeviceSynchronize();
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
    cudaEventDestroy(done);
}
