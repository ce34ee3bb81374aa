// expect: Accepted
// problem: conv2d
// Four bands of rows, one stream each; events make the main stream wait for all of them.
#include <cuda_runtime.h>

__global__ void conv_band(const float* input, const float* kernel, float* output, int input_cols, int output_cols,
                          int kernel_rows, int kernel_cols, int row_begin, int row_end)
{
    int row = row_begin + blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= row_end || col >= output_cols)
        return;
    float sum = 0.0f;
    for (int r = 0; r < kernel_rows; r++)
        for (int s = 0; s < kernel_cols; s++)
            sum += input[(row + r) * input_cols + col + s] * kernel[r * kernel_cols + s];
    output[row * output_cols + col] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    const int bands = 4;
    int output_rows = input_rows - kernel_rows + 1, output_cols = input_cols - kernel_cols + 1;
    cudaStream_t streams[bands], main_stream;
    cudaEvent_t events[bands], start, stop;
    cudaStreamCreate(&main_stream);
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    cudaEventRecord(start, main_stream);

    for (int b = 0; b < bands; b++) {
        int begin = output_rows * b / bands, end = output_rows * (b + 1) / bands;
        cudaStreamCreateWithFlags(&streams[b], cudaStreamNonBlocking);
        cudaEventCreateWithFlags(&events[b], cudaEventDisableTiming);
        cudaStreamWaitEvent(streams[b], start, 0);
        if (begin < end) {
            dim3 threads(32, 4), blocks((output_cols + 31) / 32, (end - begin + 3) / 4);
            conv_band<<<blocks, threads, 0, streams[b]>>>(input, kernel, output, input_cols, output_cols, kernel_rows,
                                                          kernel_cols, begin, end);
        }
        cudaEventRecord(events[b], streams[b]);
        cudaStreamWaitEvent(main_stream, events[b], 0);
    }
    cudaEventRecord(stop, main_stream);
    cudaEventSynchronize(stop);
    float milliseconds = 0;
    cudaEventElapsedTime(&milliseconds, start, stop);

    for (int b = 0; b < bands; b++) {
        cudaEventDestroy(events[b]);
        cudaStreamDestroy(streams[b]);
    }
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
    cudaStreamDestroy(main_stream);
}
