// expect: Wrong Answer
// says: and both change output[0]; they may do so at the same time
// on cuda: Accepted, Wrong Answer
// problem: conv2d
// Two kernels on two streams add to the same output. They read the input through a texture.
#include <cuda_runtime.h>

// Computes the output rows [first_row, end_row) with the filter rows [first_tap, end_tap), and adds to what is there if
// `adds`.
__global__ void convolve(cudaTextureObject_t input, const float* kernel, float* output, int input_cols, int output_cols,
                         int kernel_cols, int first_row, int end_row, int first_tap, int end_tap, bool adds)
{
    int row = first_row + blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= end_row || col >= output_cols)
        return;
    float sum = adds ? output[row * output_cols + col] : 0.0f;
    for (int r = first_tap; r < end_tap; r++)
        for (int s = 0; s < kernel_cols; s++)
            sum += tex1Dfetch<float>(input, (row + r) * input_cols + col + s) * kernel[r * kernel_cols + s];
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
    int middle = kernel_rows / 2;
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = (void*)input;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = (size_t)input_rows * input_cols * sizeof(float);
    cudaTextureDesc reading = {};
    reading.readMode = cudaReadModeElementType;
    cudaTextureObject_t texture;
    cudaCreateTextureObject(&texture, &resource, &reading, nullptr);
    cudaStream_t streams[2];
    for (int i = 0; i < 2; i++)
        cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking);
    cudaMemsetAsync(output, 0, bytes, streams[0]);
    cudaStreamSynchronize(streams[0]);
    convolve<<<blocks, threads, 0, streams[0]>>>(texture, kernel, output, input_cols, output_cols, kernel_cols, 0,
                                                 output_rows, 0, middle, true);
    convolve<<<blocks, threads, 0, streams[1]>>>(texture, kernel, output, input_cols, output_cols, kernel_cols, 0,
                                                 output_rows, middle, kernel_rows, true);
    cudaDeviceSynchronize();
    for (int i = 0; i < 2; i++)
        cudaStreamDestroy(streams[i]);
    cudaDestroyTextureObject(texture);
}
