// expect: Wrong Answer
// says: and both change output[0]; they may do so at the same time
// on cuda: Accepted, Wrong Answer
// problem: conv2d
// Two cooperative launches on two streams add to the same output.
#include <algorithm>
#include <cuda_runtime.h>

// Computes the output rows [first_row, end_row) with the filter rows [first_tap, end_tap), and adds to what is there if
// `adds`. A cooperative launch takes no more blocks than a GPU holds, so each thread goes on to further outputs.
__global__ void convolve(const float* input, const float* kernel, float* output, int input_cols, int output_cols,
                         int kernel_cols, int first_row, int end_row, int first_tap, int end_tap, bool adds)
{
    for (int row = first_row + blockIdx.y * blockDim.y + threadIdx.y; row < end_row; row += gridDim.y * blockDim.y)
        for (int col = blockIdx.x * blockDim.x + threadIdx.x; col < output_cols; col += gridDim.x * blockDim.x) {
            float sum = adds ? output[row * output_cols + col] : 0.0f;
            for (int r = first_tap; r < end_tap; r++)
                for (int s = 0; s < kernel_cols; s++)
                    sum += input[(row + r) * input_cols + col + s] * kernel[r * kernel_cols + s];
            output[row * output_cols + col] = sum;
        }
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    int output_rows = input_rows - kernel_rows + 1;
    int output_cols = input_cols - kernel_cols + 1;
    dim3 threads(16, 16);
    dim3 blocks(std::min((output_cols + 15) / 16, 16), std::min((output_rows + 15) / 16, 16));
    size_t bytes = (size_t)output_rows * output_cols * sizeof(float);
    int middle = kernel_rows / 2;
    cudaStream_t streams[2];
    for (int i = 0; i < 2; i++)
        cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking);
    cudaMemsetAsync(output, 0, bytes, streams[0]);
    cudaStreamSynchronize(streams[0]);
    bool adds = true;
    int zero = 0;
    void* lower[] = {&input, &kernel, &output, &input_cols, &output_cols, &kernel_cols, &zero, &output_rows, &zero, &middle, &adds};
    void* upper[] = {&input, &kernel, &output, &input_cols, &output_cols, &kernel_cols, &zero, &output_rows, &middle, &kernel_rows, &adds};
    cudaLaunchCooperativeKernel((const void*)convolve, blocks, threads, lower, 0, streams[0]);
    cudaLaunchCooperativeKernel((const void*)convolve, blocks, threads, upper, 0, streams[1]);
    cudaDeviceSynchronize();
    for (int i = 0; i < 2; i++)
        cudaStreamDestroy(streams[i]);
}
