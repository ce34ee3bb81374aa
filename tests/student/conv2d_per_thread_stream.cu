// expect: Accepted
// problem: conv2d
// The per-thread default stream and the legacy one wait for each other, even while another stream waits for an event of the
// first. Each thread has a per-thread stream of its own.
#include <cuda_runtime.h>
#include <thread>

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
    float *result, *unused;
    cudaStream_t other;
    cudaEvent_t half_done;
    int middle = output_rows / 2;
    cudaMalloc(&result, bytes);
    cudaMalloc(&unused, bytes);
    cudaStreamCreate(&other);
    cudaEventCreateWithFlags(&half_done, cudaEventDisableTiming);
    convolve<<<blocks, threads, 0, cudaStreamPerThread>>>(input, kernel, result, input_cols, output_cols, kernel_cols, 0,
                                                          middle, 0, kernel_rows, false);
    cudaEventRecord(half_done, cudaStreamPerThread);
    std::thread worker([=] {
        convolve<<<blocks, threads, 0, cudaStreamPerThread>>>(input, kernel, result, input_cols, output_cols,
                                                              kernel_cols, middle, output_rows, 0, kernel_rows, false);
        cudaMemsetAsync(unused, 0, bytes, cudaStreamPerThread);
        cudaStreamSynchronize(cudaStreamPerThread);
    });
    worker.join();
    cudaStreamWaitEvent(other, half_done, 0);
    cudaMemcpyAsync(output, result, bytes, cudaMemcpyDeviceToDevice, other);
    cudaStreamSynchronize(other);
    cudaMemset(unused, 1, bytes);
    cudaEventDestroy(half_done);
    cudaStreamDestroy(other);
    cudaFree(unused);
    cudaFree(result);
}
